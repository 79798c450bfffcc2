#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cushim run --error-exitcode --report`: the findings of the mock driver, as an exit status and as
a file.
"""

import json
import os
import signal
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from harness import COMMAND, DONE, USAGE, ToolTest, environment

PROGRAM = os.environ['CUSHIM_FINDINGS']
PLACES = os.environ['CUSHIM_UNWINDS'] == '1'
SETTINGS = '--set', 'races=report', '--set', 'leaks=report', '--quiet'
EXECUTES = os.environ['CUSHIM_EXECUTES'] == '1'
UNUSED = 'cuMemAlloc_v2:nth=9 => return(OUT_OF_MEMORY)'


class Report(ToolTest):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='cushim-report-')
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_program(self, *words, options=(), name=None):
        """Return the result, and the text of the report."""
        path = os.path.join(self.folder, name) if name else None
        report = ('--report', path) if name else ()
        left = os.path.join(self.folder, 'left')
        os.makedirs(left, exist_ok=True)
        result = self.run_command('run', *SETTINGS, *options, *report, '--', PROGRAM, *words,
                                  TMPDIR=left)
        self.assertEqual(os.listdir(left), [])
        if not name:
            return result, None
        with open(path, encoding='utf-8') as file:
            return result, file.read()

    def findings(self, *words, options=()):
        _, text = self.run_program(*words, options=options, name='found.json')
        document = json.loads(text)
        self.assertEqual(document['version'], 1)
        return document['findings']

    def test_each_kind_of_finding_is_the_status(self):
        for words, options in ((['misuse'], ()), (['race'], ()), (['leak'], ()),
                               ([], ('--fault', UNUSED))):
            with self.subTest(words=words):
                result, _ = self.run_program(*words, options=('--error-exitcode', '9', *options))
                self.assert_status(result, 9)

    @unittest.skipUnless(EXECUTES, 'the mock executes no kernels')
    def test_failed_kernel_is_a_finding_if_the_program_does_not_wait(self):
        for command, settings in ('run', SETTINGS), ('check', ('--mock', '--quiet')):
            for mode in 'auto', 'threaded':
                path = os.path.join(self.folder, 'found.json')
                result = self.run_command(command, *settings, '--set', 'mode=' + mode, '--report',
                                          path, '--error-exitcode', '9', '--', PROGRAM, 'kernel')
                self.assert_status(result, 9)
                with open(path, encoding='utf-8') as file:
                    found = json.load(file)['findings']
                texts = [one['text'] for one in found if one['kind'] == 'kernel fault']
                self.assertEqual(len(texts), 1, found)
                self.assertRegex(texts[0], r"^error: the kernel 'k' \(operation \d+\), line 8 of its PTX")

    def test_status_of_a_program_without_findings_is_its_own(self):
        for words, status in ([], 0), (['7'], 7):
            result, _ = self.run_program(*words, options=('--error-exitcode', '9'))
            self.assert_status(result, status)

    def test_status_of_a_program_that_fails_is_its_own(self):
        result, _ = self.run_program('misuse', '7', options=('--error-exitcode', '9'))
        self.assert_status(result, 7)
        result, _ = self.run_program('misuse', 'kill', options=('--error-exitcode', '9'))
        self.assert_status(result, 128 + signal.SIGKILL)

    def test_the_status_of_the_report_is_that_of_the_command(self):
        for words, status in (['misuse'], 9), ([], 0), (['7'], 7):
            _, text = self.run_program(*words, name='found.json',
                                       options=('--error-exitcode', '9'))
            self.assertEqual(json.loads(text)['status'], status)

    def test_report_alone_leaves_the_status(self):
        result, _ = self.run_program('misuse', name='found.json')
        self.assert_status(result, DONE)

    def test_json_has_kind_text_function_place_and_process(self):
        found = self.findings('misuse', 'race', 'leak', options=('--fault', UNUSED))
        misuse, race, context, event, fault = found
        self.assertEqual([(one['kind'], one['level']) for one in found],
                         [('CUSHIM-handle-unknown', 'error'), ('CUSHIM-race', 'error'),
                          ('CUSHIM-leak-context', 'warning'), ('CUSHIM-leak-event', 'warning'),
                          ('unused fault', None)])
        for one in found:
            self.assertEqual((one['count'], one['is_failure']), (1, True))
        self.assertEqual(misuse['function'], 'cuEventQuery')
        self.assertRegex(misuse['text'], r'^error: cuEventQuery: 0x1234 is not the handle of an event; '
                         r'in cuEventQuery\(hEvent=event#1\), call \d+ of ')
        self.assertEqual(race['function'], 'cuMemsetD8Async')
        self.assertRegex(race['text'], r'^error: set \(stream#2, cuMemsetD8Async\) writes ')
        self.assertIn(' of memory#1: nothing orders them', race['text'])
        self.assertRegex(context['text'], r'^warning: context#1 is never released; ')
        self.assertRegex(event['text'], r'^warning: event#\d is never destroyed; ')
        self.assertEqual(event['function'], 'cuEventCreate')
        self.assertEqual(fault['function'], 'cuMemAlloc_v2')
        self.assertEqual(fault['text'], UNUSED + ': matched once, never fired')
        self.assertEqual(len({one['process'] for one in found}), 1)
        self.assertEqual({one['program'] for one in found}, {'findings'})
        for one in misuse, race, context, event:
            self.assertRegex(one['place'], r'^findings\+0x' if PLACES else '^an unknown place')

    def test_findings_of_each_process_are_its_own(self):
        found = self.findings('fork', 'misuse')
        self.assertEqual([one['kind'] for one in found], ['CUSHIM-handle-unknown'] * 2)
        self.assertEqual(len({one['process'] for one in found}), 2)

    def test_junit_is_what_readers_of_it_expect(self):
        _, text = self.run_program('misuse', 'leak', name='found.xml', options=('--fault', UNUSED))
        [suite] = ElementTree.fromstring(text)
        self.assertEqual((suite.tag, suite.get('tests'), suite.get('failures')),
                         ('testsuite', '4', '4'))
        self.assertEqual([case.tag for case in suite], ['testcase'] * 4)
        self.assertEqual([case[0].get('type') for case in suite],
                         ['CUSHIM-handle-unknown', 'CUSHIM-leak-context', 'CUSHIM-leak-event',
                          'unused fault'])
        for case in suite:
            self.assertTrue(case.get('classname') and case.get('name'))
            self.assertEqual([failure.tag for failure in case], ['failure'])
            self.assertEqual(case[0].get('message'), case[0].text)
        self.assertIn(UNUSED, suite[3][0].text)

    def test_junit_names_are_unique_and_those_of_the_last_run(self):
        def names(*words):
            _, text = self.run_program(*words, name='found.xml', options=('--fault', UNUSED))
            [suite] = ElementTree.fromstring(text)
            return [case.get('name') for case in suite]

        first = names('fork', 'misuse', 'leak')
        self.assertEqual(first, names('fork', 'misuse', 'leak'))
        self.assertCountEqual(first, [
            'CUSHIM-handle-unknown: cuEventQuery, findings',
            'CUSHIM-handle-unknown: cuEventQuery, findings (2)',
            'CUSHIM-leak-context: cuDevicePrimaryCtxRetain, findings',
            'CUSHIM-leak-event: cuEventCreate, findings',
            'unused fault: cuMemAlloc_v2, findings', 'unused fault: cuMemAlloc_v2, findings (2)'])

    def test_names_that_mean_something_in_xml_are_kept(self):
        program = os.path.join(self.folder, 'a<b>&"c\'')
        os.symlink(PROGRAM, program)
        path = os.path.join(self.folder, 'found.xml')
        self.run_command('run', *SETTINGS, '--report', path, '--', program, 'misuse')
        [suite] = ElementTree.parse(path).getroot()
        self.assertEqual(suite[0].get('classname'), program)

    def test_junit_without_findings_is_a_test_that_passes(self):
        _, text = self.run_program(name='found.xml')
        [suite] = ElementTree.fromstring(text)
        self.assertEqual((suite.get('tests'), suite.get('failures')), ('1', '0'))
        [case] = suite
        self.assertEqual(len(case), 0)

    def test_program_that_never_opens_the_driver_is_no_silent_success(self):
        result = self.run_command('run', '--error-exitcode', '9', '--', 'true', status=DONE)
        self.assertIn('no process has reported what the mock driver found', result.err)

    def test_report_that_cannot_be_written_is_a_failure(self):
        result = self.run_command('run', *SETTINGS, '--report', '/nowhere/found.json', '--',
                                  PROGRAM, status=1)
        self.assertIn('/nowhere/found.json: ', result.err)

    def test_statuses_that_are_none_are_refused(self):
        for number in '0', '256', 'x':
            self.assert_status(self.run_command('run', '--error-exitcode', number, 'true'), USAGE)

    def test_programs_that_are_not_there_answer_as_without_a_report(self):
        for word, status in ('/nowhere/program', 127), ('/tmp', 126):
            self.assert_status(self.run_command('run', '--error-exitcode', '9', word), status)

    def test_signals_reach_the_program_and_the_command_waits(self):
        for number, words in ((signal.SIGTERM, 'trap "exit 5" TERM'), (signal.SIGHUP,
                                                                       'trap "exit 6" HUP')):
            with self.subTest(number=number):
                script = words + '; echo ready; while :; do sleep 0.05; done'
                command = subprocess.Popen(
                    [*COMMAND, 'run', '--quiet', '--error-exitcode', '9', '--', 'sh', '-c',
                     script], stdout=subprocess.PIPE, env=environment({}),
                    preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
                with command:
                    self.assertEqual(command.stdout.readline(), b'ready\n')
                    command.send_signal(number)
                    self.assertIn(command.wait(timeout=60), (5, 6))


if __name__ == '__main__':
    unittest.main()
