# SPDX-License-Identifier: Apache-2.0
"""A hostile mock does what a driver may do: the suite passes on it, but for what is named here.

usage: hostile_test.py CONFORMANCE
"""
import json
import subprocess
import sys

# Cases that fail, and why they must. One that is named here and passes is an error.
FAILING = {
    '050_priority_range_is_0_to_minus_5': 'it is what one device was measured to have; the CUDA '
                                          'reference allows a device without priorities',
}

SETTINGS = ['', 'seed = 1', 'seed = 2', 'schedule = lazy', 'schedule = random', 'mode = threaded']


def failed(conformance, settings):
    """The names of the cases that fail, with the reasons, and how many cases there are."""
    process = subprocess.run(
        [conformance, '--json', '--driver=mock', '--settings=hostile = yes\n' + settings],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=600, check=False)
    if not process.stdout:
        sys.exit('the suite does not begin')
    cases = json.loads(process.stdout)['cases']
    return {case['name']: case['detail'] for case in cases if case['result'] == 'FAIL'}, len(cases)


def main():
    errors = []
    for settings in SETTINGS:
        cases, count = failed(sys.argv[1], settings)
        if count < 300:
            errors.append('%r: there are only %d cases' % (settings, count))
        for name in sorted(cases.keys() - FAILING.keys()):
            errors.append('%r: %s: %s' % (settings, name, cases[name]))
        for name in sorted(FAILING.keys() - cases.keys()):
            errors.append('%r: %s passes' % (settings, name))
    for error in errors:
        print(error)
    sys.exit(1 if errors else 0)


main()
