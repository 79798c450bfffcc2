# SPDX-License-Identifier: Apache-2.0
"""The search for missing waits tells of none in the suite, but for those that there are.

Where a race is a violation that aborts, a case with one fails.

usage: races_test.py CONFORMANCE
"""
import json
import subprocess
import sys

# Cases with a race, and which it is.
RACES = {
    '109_another_context_may_be_current':
        'a copy on a stream that nothing orders, and one on the default stream of another context',
    '111_copies_to_pageable_memory_are_waited_for':
        'cuMemsetD8 returns before the memory is set, and a non-blocking stream reads it',
    '121_allocations_come_before_their_time':
        'memory that one stream allocates is used on another, which the CUDA reference forbids',
    '141_branches_of_a_graph_run_side_by_side':
        'memory is read on one stream while a graph writes it on another: to see that it does',
}

SETTINGS = ['', 'schedule = lazy', 'schedule = random']


def races(conformance, settings):
    """What is told of a race in each case with one."""
    process = subprocess.run(
        [conformance, '--json', '--driver=mock',
         '--settings=races = violation\nviolation = abort\n' + settings],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=600, check=False)
    if not process.stdout:
        sys.exit('the suite does not begin')
    return {case['name']: case['detail'] for case in json.loads(process.stdout)['cases']
            if case['result'] == 'FAIL' and 'nothing orders them' in case['detail']}


def main():
    errors = []
    for settings in SETTINGS:
        cases = races(sys.argv[1], settings)
        for name in sorted(cases.keys() - RACES.keys()):
            errors.append('%r: %s: %s' % (settings, name, cases[name]))
        for name in sorted(RACES.keys() - cases.keys()):
            errors.append('%r: no race in %s' % (settings, name))
    for error in errors:
        print(error)
    sys.exit(1 if errors else 0)


main()
