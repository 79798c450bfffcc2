#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the counts of functions and the newest version, as loader/registry has them, into pages.

usage: counts.py [--check]     --check: say whether the pages are up to date, and write nothing
"""
import os
import re
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REGISTRY = os.path.join(ROOT, 'loader', 'registry')
sys.dont_write_bytecode = True
sys.path.insert(0, REGISTRY)

import registry  # noqa: E402
from rows import version_text  # noqa: E402

# The sentence of each page, with the names of the numbers in it.
SENTENCES = {
    'README.md': '{core} functions up to CUDA {newest} and {interop} of graphics interop',
    os.path.join('docs', 'driver-api.md'):
        'to {newest}: {core} functions of `cuda.h` and `cudaProfiler.h`, and {interop} of graphics '
        'interop',
}


def numbers():
    functions = registry.read_functions(os.path.join(REGISTRY, 'functions.tsv'))
    results = registry.read_results(os.path.join(REGISTRY, 'results.tsv'), complete=False)
    attributes = registry.read_attributes(os.path.join(REGISTRY, 'attributes.tsv'))
    interop = sum(row.interop for row in functions)
    return {'core': str(len(functions) - interop), 'interop': str(interop),
            'newest': version_text(registry.newest_version(functions, results, attributes))}


def fill_in(page, text):
    """The page with the numbers of today in its sentence, which must be there."""
    pattern = re.escape(SENTENCES[page]).replace(r'\ ', r'\s+')
    found = re.search(re.sub(r'\\{(\w+)\\}', r'(?P<\1>[\\d.]*\\d)', pattern), text)
    if not found:
        sys.exit('%s lacks the sentence "... %s"' % (page, SENTENCES[page]))
    for name, number in sorted(numbers().items(), key=lambda item: found.start(item[0]),
                               reverse=True):
        text = text[:found.start(name)] + number + text[found.end(name):]
    return text


def main(arguments):
    if arguments not in ([], ['--check']):
        sys.exit(textwrap.dedent(__doc__))
    for page in SENTENCES:
        with open(os.path.join(ROOT, page), encoding='utf-8') as file:
            before = file.read()
        text = fill_in(page, before)
        if text != before and arguments:
            sys.exit('%s is not up to date: run docs/counts.py' % page)
        if text != before:
            with open(os.path.join(ROOT, page), 'w', encoding='utf-8') as file:
                file.write(text)


if __name__ == '__main__':
    main(sys.argv[1:])
