# SPDX-License-Identifier: Apache-2.0
"""The suite fails on every wrong mock, in the case that is about its fault, and passes without one.

usage: wrong_test.py CONFORMANCE LIBRARY   (wrong.c and the mock)
"""
import json
import os
import subprocess
import sys

# What must fail on a mock with this fault: beginnings of names of cases.
FAULTS = {
    'none': [],
    'always_done': ['024_record_behind_pending', '024_record_behind_a_latch',
                    'cushim_event_wait_for', 'cushim_stream_wait_for'],
    'no_snapshot': ['026_waiter_keeps', '026_waiter_does_not'],
    'at_submission': ['024_bytes'],
    'inline_host': ['057_functions_run_in_order', '057_function_runs_after'],
    'never_negative': ['040'],
    'not_clamped': ['050_priorities_are_clamped', 'cushim_stream_is_non_blocking'],
    'sticky_lost': ['034_fault_sticks', '034_trap', 'cushim_event_explain_blames'],
}
# A case that a fault holds up for ever is given up after this.
SECONDS = 8


def run(conformance, library, name):
    """The suite's report on a library with this fault, and its exit status."""
    process = subprocess.run(
        [conformance, '--json', '--seconds=%d' % SECONDS, '--driver=' + library],
        env=dict(os.environ, CUSHIM_WRONG=name), stdout=subprocess.PIPE, timeout=600, check=False)
    if not process.stdout:
        sys.exit('%s: the suite does not begin' % name)
    return json.loads(process.stdout), process.returncode


def judge(name, report, status):
    """What is wrong with the suite's judgement; an empty list if nothing is."""
    failed = [case['name'] for case in report['cases'] if case['result'] == 'FAIL']
    if not FAULTS[name]:
        return ['%s: %s' % (case['name'], case['detail']) for case in report['cases']
                if case['result'] == 'FAIL'] + (['exit status %d' % status] if status else [])
    errors = ['passed: nothing failed'] if not failed or status == 0 else []
    for beginning in FAULTS[name]:
        ran = [case['name'] for case in report['cases'] if case['name'].startswith(beginning)]
        if not ran:
            errors.append('there is no case %s' % beginning)
        if not any(case.startswith(beginning) for case in failed):
            errors.append('%s does not fail' % beginning)
    return errors


def main():
    conformance, library = sys.argv[1:]
    errors = []
    for name in FAULTS:
        report, status = run(conformance, library, name)
        print('%-15s  %3d passed, %3d failed' % (name, report['passed'], report['failed']),
              flush=True)
        errors += ['%s: %s' % (name, error) for error in judge(name, report, status)]
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == '__main__':
    sys.exit(main())
