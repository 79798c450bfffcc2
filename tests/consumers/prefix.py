#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Install cushim for the tests of consumers, in one prefix.

    prefix.py SOURCE FOLDER CUDA_INCLUDE STAMP COMPILER...

FOLDER/build is kept, so that the next time only what has changed is built. The installation is anew
each time: FOLDER/prefix.
"""

import os
import shutil
import sys

sys.dont_write_bytecode = True

import consumer  # noqa: E402


def main():
    source, folder, cuda_include, stamp, *compiler = sys.argv[1:]
    build, prefix = os.path.join(folder, 'build'), os.path.join(folder, 'prefix')
    options = ['--prefix=' + prefix, '--libdir=lib', '-Dcuda-include=' + cuda_include,
               '-Dtests=disabled', '-Ddefault_library=both', '--wrap-mode=nodownload']
    if os.path.exists(os.path.join(build, 'build.ninja')):
        options.append('--reconfigure')
    else:
        shutil.rmtree(build, ignore_errors=True)
    consumer.run('meson', 'setup', build, source, *options,
                 env=consumer.environment(CC=' '.join(compiler)))
    shutil.rmtree(prefix, ignore_errors=True)
    consumer.run('meson', 'install', '-C', build, env=consumer.environment())
    with open(stamp, 'w', encoding='ascii'):
        pass


if __name__ == '__main__':
    main()
