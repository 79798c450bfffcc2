# SPDX-License-Identifier: Apache-2.0
"""Every statement of the document has a case, and every case is about a statement of it.

usage: statements_test.py driver-semantics.md CONFORMANCE
"""
import os
import re
import subprocess
import sys

# What Meson starts programs of another system with.
WRAPPER = os.environ.get('EXE_WRAPPER', '').split()


def main():
    document, conformance = sys.argv[1:]
    with open(document, encoding='utf-8') as file:
        numbers = [int(number) for number in re.findall(r'(?m)^(\d+)\. ', file.read())]
    listed = subprocess.run([*WRAPPER, conformance, '--list'], stdout=subprocess.PIPE, check=True,
                            text=True)
    cases = {int(name[:3]) for name in listed.stdout.split()}
    errors = ['statement %d is there twice' % number
              for number in sorted(set(numbers)) if numbers.count(number) > 1]
    errors += ['statement %d has no case' % number for number in sorted(set(numbers) - cases)]
    errors += ['statement %d has cases and is not in the document' % number
               for number in sorted(cases - set(numbers))]
    if numbers != sorted(numbers):
        errors.append('the statements are not in order')
    if not numbers:
        errors.append('there are no statements')
    for error in errors:
        print(error)
    sys.exit(1 if errors else 0)


main()
