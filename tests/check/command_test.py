#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cushim check -- PROGRAM`: its output, its files, and its exit status.

Programs run on the mock, or on the mock's library in the role of a real driver.
"""

import json
import os
import re
import signal
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

COMMAND = os.environ['CUSHIM_COMMAND']
PROGRAM = os.environ['CUSHIM_CHECKED_PROGRAM']
MOCK = os.environ['CUSHIM_MOCK_LIBRARY']
EXAMPLES = os.environ['CUSHIM_EXAMPLES'].split(':')
KERNELS = os.environ['CUSHIM_EXAMPLE_KERNELS']
SANITIZED = os.environ['CUSHIM_SANITIZED'] == '1'
PLACES = os.environ['CUSHIM_UNWINDS'] == '1'
USAGE, NOT_FOUND = 64, 127


class Check(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='cushim-check-')
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_command(self, *words, code=0, **settings):
        """Run the command; return its standard output and standard error."""
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(('CUSHIM_LIBRARY', 'CUSHIM_CHECK', 'CUSHIM_MOCK_SET'))}
        run = subprocess.run([COMMAND, 'check', *words], cwd=self.folder,
                             env={**kept, 'TMPDIR': self.folder, **settings},
                             stdin=subprocess.DEVNULL, capture_output=True, check=False,
                             timeout=300)
        self.assertEqual(run.returncode, code, run.stderr.decode())
        return run.stdout.decode(), run.stderr.decode()

    def check(self, *words, options=(), code=0, over=('--mock', ), **settings):
        return self.run_command(*over, *options, '--', PROGRAM, *words, code=code, **settings)

    def findings(self, *words, options=(), **more):
        self.check(*words, options=('--report', 'found.json', *options), **more)
        with open(self.path('found.json'), encoding='utf-8') as file:
            return json.load(file)['findings']

    def ids(self, *words, **more):
        return [one['kind'] for one in self.findings(*words, **more)]


class Findings(Check):

    def test_program_without_misuse(self):
        out, error = self.check('3', code=3)
        self.assertEqual(out, '')
        self.assertTrue(error.endswith('cushim: check: 0 errors, 0 warnings, 0 advice; '
                                       '1 process\n'), error)

    def test_finding_is_said_as_it_is_found(self):
        out, error = self.check('query', options=('--quiet', ))
        self.assertEqual(out, 'query 400\n')
        place = r'call \d+ of thread 1, at %s.*' % (r'checked-program\+0x' if PLACES else 'an unk')
        self.assertRegex(error, r'\Acushim: error: CUSHIM-event-destroyed: cuEventQuery is given '
                         r'event#1, which was destroyed\n'
                         r'  in   cuEventQuery\(hEvent=destroyed event#1\), ' + place + r'\n'
                         r'  event#1 was made by cuEventCreate, ' + place + r'\n'
                         r'  event#1 was ended by cuEventDestroy_v2, ' + place + r'\n'
                         r'  rule .* \(driver-semantics\.md, statement 78\)\n'
                         r'  cure .*\n\Z')

    def test_how_often_it_was_found_is_said_at_the_end(self):
        _, error = self.check('query', 'queries')
        self.assertRegex(error, r'\ncushim: check: 3 times, the first: CUSHIM-event-destroyed: cuEventQuery is '
                         r'given event#\d, which was destroyed\ncushim: check: 2 errors, ')
        self.assertEqual(error.count(' times, '), 1)
        _, error = self.check('queries', options=('--quiet', ))
        self.assertNotIn(' times, ', error)

    def test_over_a_driver_the_same_is_found(self):
        for over in (('--mock', ), ('--library', MOCK)):
            self.assertEqual(self.ids('query', 'free', 'unregister', over=over),
                             ['CUSHIM-event-destroyed', 'CUSHIM-memory-freed-twice',
                              'CUSHIM-host-unregistered-twice'])

    def test_leaks_are_wanted_of_the_mock_and_asked_for_of_a_driver(self):
        both = ['CUSHIM-leak-context', 'CUSHIM-leak-event']
        driver = ('--library', MOCK)
        self.assertEqual(self.ids('leak'), both)
        self.assertEqual(self.ids('leak', over=driver), [])
        self.assertEqual(self.ids('leak', over=driver, options=('--leaks', )), both)

    def test_calls_of_handlers_at_exit_are_checked(self):
        for over in (('--mock', ), ('--library', MOCK)):
            self.assertEqual(self.ids('late', over=over, options=('--leaks', )),
                             ['CUSHIM-event-destroyed'])

    def test_killed_program_has_said_all_that_was_found(self):
        found = self.findings('query', 'die', code=128 + signal.SIGKILL)
        self.assertEqual([one['kind'] for one in found], ['CUSHIM-event-destroyed'])

    def test_each_process_has_findings_of_its_own(self):
        one, other = self.findings('fork', 'query')
        self.assertEqual({one['kind'], other['kind']},
                         {'CUSHIM-handle-before-fork', 'CUSHIM-event-destroyed'})
        self.assertNotEqual(one['process'], other['process'])

    def test_let_through_calls_the_driver(self):
        driver, misuse = ('--library', MOCK), 'cushim mock: CUSHIM-handle-unknown: error: '
        _, error = self.check('query', over=driver)
        self.assertNotIn(misuse, error)
        self.assertIn('it returns CUDA_ERROR_INVALID_HANDLE, and the driver is not called', error)
        _, error = self.check('query', over=driver, options=('--let-through', ))
        self.assertIn(misuse, error)
        self.assertIn('CUSHIM-event-destroyed', error)
        self.assertNotIn('the driver is not called', error)

    def test_over_the_mock_calls_are_let_through(self):
        _, error = self.check('query')
        self.assertNotIn('the driver is not called', error)
        self.assertNotIn('CUSHIM-handle-unknown', error)

    @unittest.skipIf(SANITIZED, 'a sanitizer keeps what is freed')
    def test_what_check_remembers_has_a_bound(self):
        for what in 'contexts', 'threads':
            with self.subTest(what=what):
                out, _ = self.check(what, options=('--set', 'mode=auto'))
                self.assertLess(int(out.split()[1]), 1000, 'KiB more for thousands of them')

    def test_level(self):
        self.assertEqual(self.ids('unregister', options=('--level', 'error')), [])

    def test_nothing_checked_is_said(self):
        _, error = self.run_command('--mock', '--', 'true')
        self.assertIn('cushim: nothing was checked: no process has called the driver', error)

    def test_without_a_driver_the_program_runs(self):
        out, error = self.run_command('--', 'echo', 'done', CUSHIM_LIBRARY='none')
        self.assertEqual(out, 'done\n')
        self.assertIn('cushim: nothing is checked, as there is no driver: ', error)

    def test_without_a_driver_a_report_says_that_nothing_was_checked(self):
        out, error = self.run_command('--report', 'found.json', '--error-exitcode', '9', '--',
                                      'echo', 'done', code=9, CUSHIM_LIBRARY='none')
        self.assertEqual(out, 'done\n')
        self.assertIn('cushim: nothing is checked, as there is no driver: ', error)
        with open(self.path('found.json'), encoding='utf-8') as file:
            [one] = json.load(file)['findings']
        self.assertEqual((one['kind'], one['level']), ('unchecked', 'warning'))

    def test_folder_for_temporary_files_may_be_relative(self):
        os.mkdir(self.path('temporary'))
        _, error = self.run_command('--mock', '--', 'sh', '-c', 'cd / && exec "$0" query', PROGRAM,
                                    TMPDIR='temporary')
        self.assertIn('cushim: check: 1 error, ', error)

    def test_process_that_cannot_write_its_report_says_so(self):
        _, error = self.run_command('--mock', '--', 'sh', '-c',
                                    'rmdir "${CUSHIM_CHECK%/*}"; exec "$0" query', PROGRAM)
        self.assertIn('CUSHIM-event-destroyed', error)
        self.assertRegex(error, r'cushim: warning: the findings of process \d+ are only printed: '
                         r'.*/found\.\* cannot be written: No such file or directory\n')

    def test_process_that_cannot_read_its_options_runs_unchecked(self):
        for over in (('--mock', ), ('--library', MOCK)):
            with self.subTest(over=over):
                with open(self.path('known'), 'w', encoding='ascii') as file:
                    file.write('CUSHIM-event-destroyed cuEventQuery\n')
                out, error = self.run_command(
                    *over, '--suppressions', 'known', '--report', 'found.json',
                    '--error-exitcode', '9', '--', 'sh', '-c', 'rm known; exec "$0" free', PROGRAM,
                    code=9)
                self.assertEqual(out, 'free 1\n')
                self.assertIn('cushim: nothing is checked: the suppressions ', error)
                with open(self.path('found.json'), encoding='utf-8') as file:
                    [one] = json.load(file)['findings']
                self.assertEqual(one['kind'], 'unchecked')
                self.assertIn('known cannot be read: No such file', one['text'])

    def test_examples_are_right(self):
        self.assertGreaterEqual(len(EXAMPLES), 7)
        for program in EXAMPLES:
            name = os.path.basename(program)
            settings = {'CUSHIM_MOCK_KERNELS': KERNELS} if name == 'scale' else {}
            # Its picture belongs to the caller and is not page-locked, which causes advice.
            advice = 1 if name == 'gpu_optional' else 0
            with self.subTest(program=name):
                out, error = self.run_command('--mock', '--level', 'advice', '--error-exitcode',
                                              '99', '--', program, **settings)
                self.assertNotEqual(out, '')
                self.assertRegex(error, r'cushim: check: 0 errors, 0 warnings, %d advice; '
                                 r'[12] process' % advice)


class Outcome(Check):

    def test_status_is_that_of_findings_if_the_program_ends_with_0(self):
        status = '--error-exitcode', '9'
        self.check('query', options=status, code=9)
        self.check('unregister', options=status, code=9)
        self.check('query', '7', options=status, code=7)
        self.check(options=status)
        self.check('query')

    def test_expected_findings(self):
        status = '--error-exitcode', '9'
        expected = '--expect', 'CUSHIM-event-destroyed:1'
        self.check('query', options=(*status, *expected))
        self.check('query', 'free', options=(*status, *expected), code=9)
        _, error = self.check(options=(*status, *expected), code=9)
        self.assertIn('1 finding of CUSHIM-event-destroyed was expected, and there are 0', error)
        _, error = self.check('query', options=('--expect', 'CUSHIM-event-destroyed:2'))
        self.assertIn('2 findings of CUSHIM-event-destroyed were expected, and there is 1', error)

    def test_suppressions(self):
        with open(self.path('known'), 'w', encoding='ascii') as file:
            file.write('# known\nCUSHIM-event-destroyed cuEventQuery\n')
        found = self.ids('query', 'free', options=('--suppressions', 'known'))
        self.assertEqual(found, ['CUSHIM-memory-freed-twice'])

    def test_suppressions_have_any_name(self):
        for name in ('a #b', 'a ', 'a\nleaks = on', 'a\x01b'):
            with self.subTest(name=name):
                with open(self.path(name), 'w', encoding='ascii') as file:
                    file.write('CUSHIM-*\n')
                self.assertEqual(self.ids('query', options=('--suppressions', name)), [])

    def test_json_has_level_count_and_whether_it_is_a_failure(self):
        found = self.findings('query', 'queries', 'lookup', options=(
            '--level', 'advice', '--promise', '12.2', '--expect', 'CUSHIM-event-destroyed:2'))
        self.assertEqual([(one['kind'], one['level'], one['count'], one['is_failure'])
                          for one in found],
                         [('CUSHIM-event-destroyed', 'error', 1, False),
                          ('CUSHIM-event-destroyed', 'error', 3, False),
                          ('CUSHIM-promise-lookup', 'advice', 1, False)])
        self.assertIn('cuEventElapsedTime_v2 of CUDA 12.8 is looked up; CUDA 12.2 does not have it',
                      found[2]['text'])
        one, _, expectation = self.findings('query', 'queries',
                                            options=('--expect', 'CUSHIM-event-destroyed:1'))
        self.assertEqual((one['count'], one['is_failure']), (1, True))
        self.assertEqual((expectation['kind'], expectation['level'], expectation['is_failure']),
                         ('expectation', None, True))

    def test_json_has_function_and_place(self):
        [one] = self.findings('query')
        self.assertEqual(one['function'], 'cuEventQuery')
        self.assertRegex(one['text'], '^error: cuEventQuery is given event#1')
        self.assertRegex(one['place'],
                         r'^checked-program\+0x' if PLACES else '^an unknown place')

    def test_junit_has_failures(self):
        self.check('query', 'free', options=('--report', 'found.xml'))
        suite, = ElementTree.parse(self.path('found.xml')).getroot()
        self.assertEqual([suite.get(name) for name in ('name', 'tests', 'failures')],
                         ['cushim check', '2', '2'])
        self.assertEqual([case.find('failure').get('type') for case in suite],
                         ['CUSHIM-event-destroyed', 'CUSHIM-memory-freed-twice'])

    def test_no_file_is_left(self):
        self.check('query', 'fork')
        self.assertEqual(os.listdir(self.folder), [])

    def test_what_is_refused(self):
        with open(self.path('bad'), 'w', encoding='ascii') as file:
            file.write('\nCUSHIM-nothing\n')
        with open(self.path('large'), 'w', encoding='ascii') as file:
            file.write('#' * (1 << 20) + '\n')
        for options, message in (
                (('--level', 'all'), 'level is error, warning or advice'),
                (('--expect', 'x'), 'expect is an id and a number'),
                (('--expect', 'CUSHIM-event-time:x'), 'expect is an id and a number'),
                (('--expect', 'CUSHIM-nonsense:1'), 'there is no id "CUSHIM-nonsense"'),
                (('--expect', 'CUSHIM-event-destroid:1'),
                 'there is no id "CUSHIM-event-destroid"; did you mean "CUSHIM-event-destroyed"?'),
                (('--promise', 'new'), 'promise is a version of CUDA, such as 12.2'),
                (('--suppressions', '/nowhere/file'),
                 'the suppressions /nowhere/file cannot be read: '),
                (('--suppressions', '.'), 'the suppressions . cannot be read: Is a directory'),
                (('--suppressions', 'large'), 'the suppressions large have more than 1048576 '),
                (('--suppressions', 'bad'), 'bad:2:1: there is no id CUSHIM-nothing')):
            _, error = self.run_command('--mock', *options, '--', 'true', code=USAGE)
            self.assertTrue(re.match('cushim: ' + re.escape(message), error), error)
        self.run_command('--mock', '--', '/nowhere/program', code=NOT_FOUND)


if __name__ == '__main__':
    unittest.main()
