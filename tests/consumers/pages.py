# SPDX-License-Identifier: Apache-2.0
"""The pages whose commands packaging_test.py runs, and how a page is parsed."""

import re

# For each page, the sections with code blocks in a language that is run, and these languages.
TESTED = {
    'docs/getting-started.md': {
        'Installing': ['sh', 'sh', 'sh'],
        'A first program': ['sh'],
        'Calling the driver': ['sh'],
    },
    'docs/integration.md': {
        'Meson': ['ini', 'meson', 'sh'],
        'CMake with a clone': ['cmake', 'sh', 'cmake'],
        'CMake': ['cmake', 'sh'],
        'CMake with the two files': ['cmake', 'sh', 'cmake', 'cmake', 'cmake'],
        'pkg-config': ['sh'],
        'Two files': ['sh', 'sh', 'sh'],
        'Unmodified cuda.h code': ['sh', 'sh', 'sh'],
    },
    'docs/plugins.md': {
        'Linking a plugin': ['sh'],
    },
    'docs/testing.md': {
        'Ten minutes': ['sh'],
        'Fuzzing your input': ['sh'],
        'An unmodified program': ['sh'],
        'A whole program': ['cmake'],
        'With cmocka and other frameworks': ['sh'],
        'With GoogleTest, Catch2 and pytest': ['sh', 'cmake'],
        'Under sanitizers': ['sh'],
    },
}
LANGUAGES = 'sh', 'ini', 'meson', 'cmake'


def sections(page):
    """Map each heading to the blocks below it, each as (language, text)."""
    found = {}
    for title, text in re.findall(r'(?ms)^#+ (.*?)\n(.*?)(?=^## |\Z)', page):
        found[title] = [(language, block)
                        for language, block in re.findall(r'(?ms)^```(\w+)\n(.*?)^```$', text)
                        if language in LANGUAGES]
    return found
