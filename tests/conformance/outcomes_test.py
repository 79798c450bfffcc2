# SPDX-License-Identifier: Apache-2.0
"""The whole suite on a mock that is set to be difficult: what fails is named here, and why it must.

usage: outcomes_test.py CONFORMANCE hostile|races

hostile: the mock does what a driver may do.
races:   the search for missing waits reports none in the suite, but for those that there are. Where
         a race is a violation that aborts, a case with one fails.
"""
import json
import subprocess
import sys

# The settings, those that are added one by one, what the detail of a failure says if it counts, and
# the cases that fail.
RUNS = {
    'hostile': ('hostile = yes\n',
                ['', 'seed = 1', 'seed = 2', 'schedule = lazy', 'schedule = random',
                 'mode = threaded'], '', {
        '050_priority_range_is_0_to_minus_5':
            'it is what one device was measured to have; the CUDA reference allows a device '
            'without priorities',
    }),
    'races': ('races = violation\nviolation = abort\n',
              ['', 'schedule = lazy', 'schedule = random'], 'nothing orders them', {
        '109_another_context_may_be_current':
            'a copy on a stream that nothing orders, and one on the default stream of another '
            'context',
        '111_copies_to_pageable_memory_are_waited_for':
            'cuMemsetD8 returns before the memory is set, and a non-blocking stream reads it',
        '121_allocations_come_before_their_time':
            'memory that one stream allocates is used on another, which the CUDA reference forbids',
        '141_branches_of_a_graph_run_side_by_side':
            'memory is read on one stream while a graph writes it on another: to see that it does',
    }),
}
LEAST_CASES = 400


def failed(conformance, settings, detail):
    """The details of the cases that fail so, by name, and how many cases there are."""
    process = subprocess.run(
        [conformance, '--json', '--driver=mock', '--settings=' + settings],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=600, check=False)
    if not process.stdout:
        sys.exit('the suite does not begin')
    cases = json.loads(process.stdout)['cases']
    return {case['name']: case['detail'] for case in cases
            if case['result'] == 'FAIL' and detail in case['detail']}, len(cases)


def main():
    conformance, run = sys.argv[1:]
    settings, more, detail, expected = RUNS[run]
    errors = []
    for added in more:
        cases, count = failed(conformance, settings + added, detail)
        if count < LEAST_CASES:
            errors.append('%r: there are only %d cases' % (added, count))
        for name in sorted(cases.keys() - expected.keys()):
            errors.append('%r: %s: %s' % (added, name, cases[name]))
        for name in sorted(expected.keys() - cases.keys()):
            errors.append('%r: %s does not fail' % (added, name))
    for error in errors:
        print(error)
    sys.exit(1 if errors else 0)


main()
