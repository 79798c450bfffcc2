# SPDX-License-Identifier: Apache-2.0
"""A soak that leaks one event in a thousand fails, in the figure that counts handles.

usage: leak_test.py CUSHIM SOAK [OPTION]...
"""
import re
import subprocess
import sys

CUSHIM, SOAK, *OPTIONS = sys.argv[1:]
# How fast memory grows with leaks depends on the machine's speed.
MEMORY = {'resident_bytes', 'heap_bytes'}


def main():
    command = [CUSHIM, 'run', '--quiet', '--', SOAK, '--operations', '200000', '--threads', '4',
               '--leak', '1000', *OPTIONS]
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    print(run.stdout)
    growing = set(re.findall(r'(?m)^(\w+) .* GROWS$', run.stdout))
    return (run.returncode != 1 or not re.search(r'(?m), 0 failed$', run.stdout)
            or growing - MEMORY != {'mock_handles'})


if __name__ == '__main__':
    sys.exit(main())
