# SPDX-License-Identifier: Apache-2.0
"""The toolkit with which the registry is compared, and how a test of the registry runs.

A test script is called with the toolkit's include folder. It exits with 0 when all tests pass, with
77 when it could test nothing (and prints why), and otherwise with 1.
"""

import functools
import os
import re
import sys
import unittest

sys.dont_write_bytecode = True
REGISTRY = os.path.abspath(os.path.join(os.path.dirname(__file__), '../../loader/registry'))
BINARY = os.path.abspath(os.path.join(os.path.dirname(__file__), '../binary'))
sys.path[:0] = [REGISTRY, os.path.join(REGISTRY, '../generator'), BINARY]

import built_file  # noqa: E402
import registry  # noqa: E402  (found through the line above)
from header import read_header  # noqa: E402
from update import Toolkit  # noqa: E402

# The header that declares a group; all other groups are in cuda.h and cudaProfiler.h.
INTEROP_HEADERS = {'gl': 'cudaGL.h', 'egl': 'cudaEGL.h', 'vdpau': 'cudaVDPAU.h'}


def table(name):
    """Return the path of a table of the registry."""
    return os.path.join(REGISTRY, name + '.tsv')


def functions():
    """Return the rows of functions.tsv, checked against types.tsv."""
    return registry.read_functions(table('functions'), registry.read_types(table('types')))


@functools.lru_cache(maxsize=None)
def newest():
    """Return the newest version of CUDA in the registry."""
    return registry.newest_version(functions(), registry.read_results(table('results')),
                                   registry.read_attributes(table('attributes')))


def following(version):
    """Return the version of CUDA that comes after another."""
    return version + 10 if version % 100 < 90 else version // 1000 * 1000 + 1000


def include():
    """Return the toolkit's include folder; skip the test if there is none."""
    path = sys.argv[1] if len(sys.argv) > 1 else ''
    if not os.path.exists(os.path.join(path, 'cuda.h')) or not path:
        raise unittest.SkipTest("no cuda.h in '%s': name a toolkit with -Dcuda-include" % path)
    return path


@functools.lru_cache(maxsize=None)
def header(name):
    """Return what one header of the toolkit declares."""
    return read_header(os.path.join(include(), name))


@functools.lru_cache(maxsize=None)
def installed():
    """Return the whole toolkit, as update.py reads it."""
    return Toolkit(include())


def check_known(case, names, known, where):
    """Fail if the toolkit has names that the registry lacks.

    A toolkit that is newer than the registry has such names; update.py adds them, so they are no
    failure. The same holds for the newest version, which the registry may know only in part.
    """
    unknown = sorted(set(names) - set(known))
    if unknown and version() >= newest():
        print('%s of CUDA %d has what the registry lacks (run update.py): %s'
              % (where, version(), ', '.join(unknown)))
    else:
        case.assertEqual(unknown, [], 'in %s, but in no row: run update.py' % where)


def version():
    """Return CUDA_VERSION of the toolkit."""
    with open(os.path.join(include(), 'cuda.h'), encoding='utf-8', errors='replace') as file:
        return int(re.search(r'^#define CUDA_VERSION (\d+)', file.read(), re.MULTILINE).group(1))


def exports(path):
    """Return the dynamic symbols that a file defines."""
    return {symbol.name for symbol in built_file.File(path).symbols(built_file.DYNAMIC_SYMBOLS)}


def main(only=None):
    """Run the test cases of the script, or one class of them, and exit with the code that Meson
    expects.
    """
    script = sys.modules['__main__']
    loader = unittest.defaultTestLoader
    suite = (loader.loadTestsFromTestCase(getattr(script, only)) if only else
             loader.loadTestsFromModule(script))
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
    if not result.wasSuccessful() or result.testsRun == 0:
        sys.exit(1)
    for _, reason in result.skipped:
        print('skipped: %s' % reason)
    sys.exit(77 if len(result.skipped) == result.testsRun else 0)
