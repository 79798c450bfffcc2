# SPDX-License-Identifier: Apache-2.0
"""The toolkit that the registry is tested against, and how a test of the registry runs.

A test script is called with the toolkit's include directory. It exits 0 when all its claims hold,
77 when nothing could be tested (and prints why), and 1 otherwise.
"""

import os
import re
import struct
import sys
import unittest

sys.dont_write_bytecode = True
REGISTRY = os.path.abspath(os.path.join(os.path.dirname(__file__), '../../loader/registry'))
sys.path[:0] = [REGISTRY, os.path.join(REGISTRY, '../generator')]

import registry  # noqa: E402  (found through the line above)

# Header that declares a group; all others are in cuda.h and cudaProfiler.h.
INTEROP_HEADERS = {'gl': 'cudaGL.h', 'egl': 'cudaEGL.h', 'vdpau': 'cudaVDPAU.h'}


def table(name):
    """Path of one of the registry's tables."""
    return os.path.join(REGISTRY, name + '.tsv')


def functions():
    """The rows of functions.tsv, checked against types.tsv."""
    return registry.read_functions(table('functions'), registry.read_types(table('types')))


def include():
    """The toolkit's include directory; skips the test if there is none."""
    path = sys.argv[1] if len(sys.argv) > 1 else ''
    if not os.path.exists(os.path.join(path, 'cuda.h')) or not path:
        raise unittest.SkipTest("no cuda.h in '%s': name a toolkit with -Dcuda-include" % path)
    return path


def version():
    """CUDA_VERSION of the toolkit."""
    with open(os.path.join(include(), 'cuda.h'), encoding='utf-8', errors='replace') as file:
        return int(re.search(r'^#define CUDA_VERSION (\d+)', file.read(), re.MULTILINE).group(1))


def exports(path):
    """Names of the dynamic symbols that a 64-bit little-endian ELF file defines."""
    with open(path, 'rb') as file:
        image = file.read()
    if image[:6] != b'\x7fELF\x02\x01':
        raise ValueError('%s is no 64-bit little-endian ELF file' % path)
    start, = struct.unpack_from('<Q', image, 0x28)
    size, count = struct.unpack_from('<HH', image, 0x3A)
    # Of a section header: type, offset, size, link, entry size.
    sections = [struct.unpack_from('<4xI16xQQI12xQ', image, start + i * size)
                for i in range(count)]
    names = set()
    for kind, offset, length, link, entry in sections:
        if kind != 11:  # SHT_DYNSYM
            continue
        text = sections[link][1]
        for at in range(offset, offset + length, entry):
            name, section = struct.unpack_from('<I2xH', image, at)
            if section != 0:
                end = image.index(b'\0', text + name)
                names.add(image[text + name:end].decode())
    return names


def main():
    """Run the test cases of the script and exit as Meson expects it."""
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules['__main__'])
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
    if not result.wasSuccessful() or result.testsRun == 0:
        sys.exit(1)
    for _, reason in result.skipped:
        print('skipped: %s' % reason)
    sys.exit(77 if len(result.skipped) == result.testsRun else 0)
