#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cushim probe`."""

import os
import unittest

from harness import (CRASHED, DONE, FAILED, HUNG, NO_DEVICE, NO_DRIVER, NOWHERE, USAGE, ToolTest,
                     built_driver, fake)

MEMBERS = ['verdict', 'simulated', 'reason', 'advice', 'stage', 'state', 'code', 'code_name', 'driver_version',
           'device_count', 'library', 'exit_status', 'signal', 'unreaped_pid']


# Anything that returns at all returns within this time, also on a busy machine.
PATIENT = ('--timeout', '240s')


class Probe(ToolTest):

    def probe(self, name, *arguments, patience=PATIENT, action=None, when='init'):
        settings = {'FAKE_DRIVER_ACTION': action, 'FAKE_DRIVER_WHEN': when} if action else {}
        return self.run_command('probe', '--library', built_driver(name), *patience, *arguments,
                                **settings)

    def test_each_verdict_has_its_status(self):
        for name, verdict, status in (('one-device', 'usable', DONE),
                                      ('no-devices', 'absent', NO_DEVICE),
                                      ('init-100', 'absent', NO_DEVICE),
                                      ('init-803', 'broken', NO_DEVICE),
                                      ('init-999', 'broken', NO_DEVICE),
                                      ('count-3', 'broken', FAILED),
                                      ('stub', 'absent', NO_DRIVER),
                                      ('no-init', 'broken', NO_DRIVER),
                                      ('nobody-built-this', 'absent', NO_DRIVER)):
            with self.subTest(name):
                result = self.assert_status(self.probe(name), status)
                self.assertEqual(result.lines()['verdict'], verdict)
                self.assertEqual(result.lines()['stage'], 'done')
                self.assertEqual(result.err, '')

    def test_status_and_advice_are_those_of_info(self):
        for settings in ({}, {'FAKE_DEVICES': 0}, {'FAKE_DEVICES': 1}, {'FAKE_INIT': 100},
                         {'FAKE_INIT': 803}, {'FAKE_INIT': 999}, {'CUSHIM_LIBRARY': 'none'},
                         {'CUSHIM_LIBRARY': ''}, {'CUSHIM_LIBRARY': NOWHERE},
                         {'FAKE_INIT': 100, 'CUDA_VISIBLE_DEVICES': ''}):
            with self.subTest(settings):
                words = () if 'CUSHIM_LIBRARY' in settings else ('--library', fake(13000))
                info = self.run_command('info', *words, **settings)
                probe = self.run_command('probe', *PATIENT, *words, **settings)
                self.assertEqual(probe.status, info.status)
                # The report of info is that of cuInit: it does not know that there is no device.
                if 'FAKE_DEVICES' not in settings and settings:
                    report = self.run_command('info', '--json', *words, **settings).json()['report']
                    self.assertEqual(probe.lines().get('advice'), report['advice'])

    def test_crash(self):
        result = self.assert_status(self.probe('misbehaving', action='call-exit'), CRASHED)
        self.assertEqual(result.lines()['verdict'], 'broken')
        self.assertEqual(result.lines()['stage'], 'init')
        self.assertIn('with exit status 3, in cuInit', result.lines()['reason'])
        self.assertNotIn('state', result.lines())

    def test_hung(self):
        # On a slow machine, the process reaches cuInit later.
        for seconds in 1, 8, 64:
            result = self.probe('misbehaving', patience=('--timeout', '%d s' % seconds),
                                action='hang')
            self.assert_status(result, HUNG)
            self.assertEqual(result.lines()['verdict'], 'hung')
            self.assertIn('not come back within %d s' % seconds, result.lines()['reason'])
            if result.lines()['stage'] == 'init':
                break
        self.assertEqual(result.lines()['stage'], 'init')
        self.assertEqual(result.lines()['library'], built_driver('misbehaving'))
        self.assertEqual(result.lines()['version'], 'CUDA 13.0')
        self.assertIn(built_driver('misbehaving'), result.lines()['reason'])

    def test_driver_that_prints_is_not_heard(self):
        result = self.assert_status(self.probe('misbehaving', action='print'), DONE)
        self.assertNotIn('cushim 4', result.out + result.err)

    def test_json(self):
        document = self.probe('one-device', '--json').json()
        self.assertEqual(list(document), MEMBERS)
        self.assertEqual(document['verdict'], 'usable')
        self.assertEqual(document['state'], 'ready')
        self.assertEqual(document['driver_version'], 13000)
        self.assertEqual(document['device_count'], 1)
        self.assertEqual(document['code'], 0)
        self.assertEqual(document['code_name'], 'CUDA_SUCCESS')
        self.assertEqual(document['exit_status'], 0)
        self.assertIsNone(document['signal'])
        self.assertIsNone(document['unreaped_pid'])

    def test_json_of_a_crash(self):
        result = self.probe('misbehaving', '--json', action='call-exit', when='open')
        self.assert_status(result, CRASHED)
        document = result.json()
        self.assertEqual(list(document), MEMBERS)
        self.assertEqual(document['verdict'], 'broken')
        self.assertEqual(document['stage'], 'load')
        self.assertEqual(document['state'], 'untried')
        self.assertIsNone(document['code'])
        self.assertIsNone(document['code_name'])
        self.assertEqual(document['library'], built_driver('misbehaving'))
        self.assertEqual(document['exit_status'], 3)

    def test_relative_library(self):
        folder, name = os.path.split(os.path.join(os.environ['CUSHIM_FAKE_DRIVERS'], 'one-device'))
        suffix = os.path.splitext(built_driver('x'))[1]
        result = self.run_command('probe', '--library', name + suffix, *PATIENT, folder=folder)
        self.assert_status(result, DONE)

    def test_library_of_an_empty_name_is_refused(self):
        for words in [], ['--json']:
            result = self.run_command('probe', '--library', '', *words, status=FAILED)
            self.assertIn('the path is empty', result.err + result.out)
        self.assertEqual(result.json()['error']['call'], 'probe')
        self.assertEqual(result.json()['error']['code_name'], 'CUDA_ERROR_INVALID_VALUE')

    def test_no_driver(self):
        result = self.run_command('probe', '--library', NOWHERE, *PATIENT, status=NO_DRIVER)
        self.assertIn(NOWHERE, result.lines()['reason'])

    def test_mock_option_is_answered_with_the_command_to_type(self):
        result = self.run_command('probe', '--mock', status=USAGE)
        self.assertIn('Type `cushim run -- cushim probe --allow-mock`.', result.err)

    def test_timeout_has_limits(self):
        for value in '0', '5', '86401s', 'x', '-1s', '1.5s', '':
            with self.subTest(value):
                result = self.run_command('probe', '--timeout=' + value, status=USAGE)
                self.assertIn('a duration from 1 ms to 86400 s', result.err)

    def test_time_without_a_unit_gets_a_suggestion(self):
        result = self.run_command('probe', '--timeout', '5')
        self.assertIn('did you mean "5 s", "5 ms" or "5 ns"?', result.err)

    def test_word_of_the_child_is_none_for_people(self):
        for words in [], ['', 'more']:
            with self.subTest(words=words):
                result = self.run_command('probe-child', *words, status=USAGE)
                self.assertIn("no command 'probe-child'", result.err)
                self.assertEqual(result.out, '')
        self.assertNotIn('probe-child', self.run_command('help', 'all').out)


if __name__ == '__main__':
    unittest.main()
