#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each public header compiles alone and twice, without a warning, in every mode of cuda.h.

    headers_test.py c|cpp "HEADER..." [COMPILER ARGUMENT...]
"""

import subprocess
import sys

# As the compiler calls them.
LANGUAGES = {'c': 'c', 'cpp': 'c++'}
WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Werror']
# Both rename functions of cuda.h by macros; the table must not notice.
MODES = [
    [],
    ['-DCUDA_API_PER_THREAD_DEFAULT_STREAM'],
    ['-D__CUDA_API_VERSION_INTERNAL'],
]


def compile_header(compiler, language, mode, header):
    source = '#include <cushim/%s>\n' % header * 2
    # An empty translation unit is none in ISO C.
    source += 'extern int not_empty;\n'
    command = compiler + WARNINGS + mode + ['-fsyntax-only', '-x', LANGUAGES[language], '-']
    return subprocess.run(command, input=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)


def includes_windows_h(compiler, language, header):
    """Whether whoever includes the header gets all of windows.h and its macros."""
    command = compiler + ['-M', '-x', LANGUAGES[language], '-']
    result = subprocess.run(command, input='#include <cushim/%s>\n' % header,
                            stdout=subprocess.PIPE, text=True, check=True)
    return '/windows.h' in result.stdout.lower()


def main():
    language, headers, compiler = sys.argv[1], sys.argv[2].split(), sys.argv[3:]
    failed = 0
    if not compiler:
        print('skipped: there is no C++ compiler')
        sys.exit(77)
    for header in headers:
        for mode in MODES:
            result = compile_header(compiler, language, mode, header)
            print('%-6s %s %s' % ('failed' if result.returncode else 'ok', header, ' '.join(mode)))
            if result.returncode:
                print(result.stdout)
                failed += 1
        if includes_windows_h(compiler, language, header):
            print('failed %s includes windows.h' % header)
            failed += 1
    sys.exit(1 if failed or not headers else 0)


if __name__ == '__main__':
    main()
