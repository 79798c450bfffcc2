# SPDX-License-Identifier: Apache-2.0
"""The suite itself: its cases, and its results on mocks that are difficult or wrong.

usage: suite_test.py CONFORMANCE cases driver-semantics.md | adversarial | races | wrong LIBRARY

cases:   every statement has a case, and wrong settings are refused with the user's own line number.
adversarial: the suite passes on a mock in adversarial mode.
races:   the race detector finds only the known races in the suite. If a race aborts the process as
         a misuse, the cases with races fail.
wrong:   on LIBRARY (wrong.c and the mock) with one deliberate error at a time, the suite fails in
         the case about it; without an error it passes.
"""
import json
import os
import re
import subprocess
import sys

# The command with which Meson starts programs for another system.
WRAPPER = os.environ.get('EXE_WRAPPER', '').split()

REFUSED = 'conformance: settings:%d:%d: mode is manual, auto or threaded, not "manul"\n'

# For each mode: its settings, the settings that are added one by one, a text that the details of an
# expected failure contain, and the cases that must fail with the reason.
RUNS = {
    'adversarial': ('adversarial = yes\n',
                ['', 'seed = 1', 'seed = 2', 'schedule = lazy', 'schedule = random',
                 'mode = threaded'], '', {
        '050_priority_range_is_0_to_minus_5':
            'it is what one device was measured to have; the CUDA reference allows a device '
            'without priorities',
    }),
    'races': ('races = misuse\nmisuse = abort\n',
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

# The cases that must fail on a mock with each error, as beginnings of their names.
FAULTS = {
    'none': [],
    'always_done': ['024_record_behind_pending', '024_record_behind_a_latch',
                    'cushim_event_synchronize_for', 'cushim_stream_synchronize_for'],
    'no_snapshot': ['026_waiter_keeps', '026_waiter_does_not'],
    'at_submission': ['024_bytes'],
    'inline_host': ['057_functions_run_in_order', '057_function_runs_after'],
    'never_negative': ['040'],
    'not_clamped': ['050_priorities_are_clamped', 'cushim_stream_is_non_blocking'],
    'sticky_lost': ['034_fault_sticks', '034_trap', 'cushim_event_explain_blames'],
}
# An error blocks some cases for ever, so they get this time limit. On a slow machine, other cases
# may then time out, too, which does no harm, because only cases that must fail are judged. Without
# an error, the suite's own limit applies.
SECONDS_WITH_FAULT = 8


def run(*arguments, **environment):
    return subprocess.run([*WRAPPER, CONFORMANCE, *arguments], env=dict(os.environ, **environment),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)


def report(*arguments, **environment):
    """Return the names of the cases of a run, the details of the failed ones, and the exit status.
    """
    process = run('--json', *arguments, **environment)
    if not process.stdout:
        sys.exit('the suite does not begin: ' + process.stderr)
    cases = json.loads(process.stdout)['cases']
    return ([case['name'] for case in cases],
            {case['name']: case['detail'] for case in cases if case['result'] == 'FAIL'},
            process.returncode)


def every_statement_has_a_case(document):
    """Every case must also be about a statement of the document, or about cushim."""
    with open(document, encoding='utf-8') as file:
        numbers = [int(number) for number in re.findall(r'(?m)^(\d+)\. ', file.read())]
    names = run('--list').stdout.split()
    cases = {int(name[:3]) for name in names if name[:3].isdigit()}
    yield from ('statement %d is there twice' % number
                for number in sorted(set(numbers)) if numbers.count(number) > 1)
    yield from ('statement %d has no case' % number for number in sorted(set(numbers) - cases))
    yield from ('statement %d has cases and is not in the document' % number
                for number in sorted(cases - set(numbers)))
    yield from ('%s begins with neither a statement nor cushim' % name for name in names
                if not re.match(r'\d{3}_|cushim_', name))
    yield from ('%s is there twice' % name for name in set(names) if names.count(name) > 1)
    if numbers != sorted(numbers) or not numbers:
        yield 'the statements are not there or not in order'


def settings_are_refused_by_the_users_own_line():
    for settings, line, column in (('mode=manul', 1, 6), ('seed = 5\nmode = manul', 2, 8),
                                   ('mode = manul\nseed = 5\n', 1, 8)):
        result = run('--settings=' + settings)
        if (result.returncode, result.stdout, result.stderr) != (1, '', REFUSED % (line, column)):
            yield '%r: %s' % (settings, result)


def outcomes_are_expected(name):
    settings, more, detail, expected = RUNS[name]
    for added in more:
        names, failed, _ = report('--driver=mock', '--settings=' + settings + added)
        failed = {case: said for case, said in failed.items() if detail in said}
        if len(names) < LEAST_CASES:
            yield '%r: there are only %d cases' % (added, len(names))
        yield from ('%r: %s: %s' % (added, case, failed[case])
                    for case in sorted(failed.keys() - expected.keys()))
        yield from ('%r: %s does not fail' % (added, case)
                    for case in sorted(expected.keys() - failed.keys()))


def faults_are_found(library):
    for fault, beginnings in FAULTS.items():
        limit = ['--seconds=%d' % SECONDS_WITH_FAULT] if beginnings else []
        names, failed, status = report('--driver=' + library, *limit, CUSHIM_WRONG=fault)
        print('%-15s  %3d cases, %3d failed' % (fault, len(names), len(failed)), flush=True)
        if not beginnings:
            yield from ('none: %s: %s' % found for found in failed.items())
        if (status == 0) != (not beginnings):
            yield '%s: exit status %d' % (fault, status)
        for beginning in beginnings:
            if not any(case.startswith(beginning) for case in names):
                yield '%s: there is no case %s' % (fault, beginning)
            if not any(case.startswith(beginning) for case in failed):
                yield '%s: %s does not fail' % (fault, beginning)


def main(what, *more):
    if what == 'cases':
        errors = [*every_statement_has_a_case(*more), *settings_are_refused_by_the_users_own_line()]
    elif what == 'wrong':
        errors = [*faults_are_found(*more)]
    else:
        errors = [*outcomes_are_expected(what)]
    for error in errors:
        print(error)
    sys.exit(1 if errors else 0)


CONFORMANCE = sys.argv[1]
main(*sys.argv[2:])
