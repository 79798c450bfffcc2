# SPDX-License-Identifier: Apache-2.0
"""Settings that are refused are told by the user's own line, and by nothing else.

usage: settings_test.py CONFORMANCE
"""
import os
import subprocess
import sys

# What Meson starts programs of another system with.
WRAPPER = os.environ.get('EXE_WRAPPER', '').split()

REFUSED = 'conformance: settings:%d:%d: mode is manual, auto or threaded, not "manul"\n'


def main():
    errors = []
    for settings, line, column in (('mode=manul', 1, 6), ('seed = 5\nmode = manul', 2, 8),
                                   ('mode = manul\nseed = 5\n', 1, 8)):
        result = subprocess.run([*WRAPPER, sys.argv[1], '--settings=' + settings],
                                stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                check=False, timeout=60)
        if (result.returncode, result.stdout, result.stderr) != (1, '', REFUSED % (line, column)):
            errors.append('%r: %s' % (settings, result))
    for error in errors:
        print(error)
    sys.exit(1 if errors else 0)


main()
