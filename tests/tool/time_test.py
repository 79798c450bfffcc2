#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cushim time`."""

import os
import re
import subprocess
import time
import unittest

from harness import (COMMAND, DONE, FAILED, INTERRUPTED, NO_DEVICE, NO_DRIVER, NOWHERE, USAGE,
                     WINDOWS, ToolTest, environment, fake)

WARMUP = 3


def milliseconds(rounds):
    """Return the times of the fake driver's measured rounds."""
    return [1 + 3 * k % 7 for k in range(rounds)]


def in_context(call):
    """Return the driver calls of a function that needs a context, which is current."""
    return ['cuCtxGetCurrent', call]


class Figures(ToolTest):

    def check(self, repeat, minimum, median, maximum):
        result = self.run_with(13000, 'time', '--json', '--repeat', str(repeat), '--bytes', '3M')
        self.assert_status(result, DONE)
        document = result.json()
        self.assertEqual(document['minimum_ms'], minimum)
        self.assertEqual(document['median_ms'], median)
        self.assertEqual(document['maximum_ms'], maximum)
        self.assertEqual(document['bandwidth_bytes_per_second'],
                         round(3 * 1048576 / (median / 1000)))
        self.assertEqual(document['rounds'], repeat)

    def test_one_round(self):
        self.assertEqual(milliseconds(1), [1])
        self.check(1, 1, 1, 1)

    def test_odd_number_of_rounds(self):
        self.assertEqual(milliseconds(5), [1, 4, 7, 3, 6])
        self.check(5, 1, 4, 7)

    def test_even_number_of_rounds_has_its_median_between_two(self):
        self.assertEqual(milliseconds(4), [1, 4, 7, 3])
        self.check(4, 1, 3.5, 7)

    def test_no_bandwidth_where_no_time_has_passed(self):
        result = self.run_with(13000, 'time', '--json', FAKE_STILL=1, status=DONE)
        self.assertEqual(result.json()['median_ms'], 0)
        self.assertIsNone(result.json()['bandwidth_bytes_per_second'])
        result = self.run_with(13000, 'time', FAKE_STILL=1, status=DONE)
        self.assertEqual(result.lines()['bandwidth'], 'unknown, for the median is not above zero')

    def test_text(self):
        result = self.run_with(12020, 'time', '--repeat', '5', '--bytes', '1G', '--device', '1')
        self.assert_status(result, DONE)
        self.assertEqual(result.err, '')
        self.assertEqual(result.out.splitlines(), [
            'device      1: Fake "B" \\ ? MIG 1g.5gb',
            'driver      CUDA 12.2',
            'library     ' + fake(12020),
            'elapsed by  cuEventElapsedTime, as the driver lacks cuEventElapsedTime_v2',
            'work        1073741824 bytes (1 GiB) set by cuMemsetD8Async',
            'rounds      5 timed after 3 untimed',
            'minimum         1.000000 ms',
            'median          4.000000 ms',
            'maximum         7.000000 ms',
            'bandwidth        268.435 GB/s at the median'])

    def test_json(self):
        result = self.run_with(13000, 'time', '--json', '--repeat=2', '--bytes=512', status=DONE)
        document = result.json()
        self.assertEqual(document.pop('report')['library'], fake(13000))
        self.assertEqual(document, {
            'simulated': False, 'mock': None, 'device': {'ordinal': 0, 'name': 'Fake GPU'},
            'elapsed_function': 'cuEventElapsedTime_v2', 'bytes': 512, 'repeat': 2,
            'warmup_rounds': WARMUP, 'rounds': 2, 'interrupted': False, 'minimum_ms': 1,
            'median_ms': 2.5, 'maximum_ms': 4, 'bandwidth_bytes_per_second': 204800})


class Calls(ToolTest):

    def test_every_call_in_order(self):
        result = self.run_with(13000, 'time', '--repeat', '2', '--bytes', '4K', status=DONE)
        turn = ['cuEventRecord', 'cuMemsetD8Async 4096', 'cuEventRecord', 'cuEventSynchronize',
                'cuEventElapsedTime_v2']
        start = result.log.index('cuInit')
        self.assertEqual(result.log[start:], [
            'cuInit', 'cuDeviceGetCount', 'cuDeviceGet', 'cuDeviceGetName',
            'cuDevicePrimaryCtxRetain', 'cuCtxPushCurrent_v2',
            *in_context('cuStreamCreateWithPriority'), 'cuMemAlloc_v2 4096',
            *in_context('cuEventCreate'), *in_context('cuEventCreate'), *turn * (WARMUP + 2),
            'cuEventDestroy_v2', 'cuEventDestroy_v2', 'cuMemFree_v2', 'cuStreamDestroy_v2',
            'cuCtxPopCurrent_v2', 'cuDevicePrimaryCtxRelease_v2'])

    def test_fallback_of_elapsed_time_is_reported_and_called(self):
        result = self.run_with(12020, 'time', '--json', '--repeat', '1', status=DONE)
        self.assertEqual(result.json()['elapsed_function'], 'cuEventElapsedTime')
        self.assertEqual(result.json()['report']['fallbacks'],
                         {'cuEventElapsedTime_v2': 'cuEventElapsedTime'})
        self.assertIn('cuEventElapsedTime', result.calls)

    def test_old_driver_releases_by_the_older_call(self):
        result = self.run_with(9010, 'time', '--json', '--repeat', '1', status=DONE)
        self.assertEqual(result.calls[-1], 'cuDevicePrimaryCtxRelease')
        self.assertEqual(result.json()['report']['missed'], ['cuDevicePrimaryCtxRelease_v2'])


class Failures(ToolTest):

    def test_no_driver_where_one_was_named(self):
        result = self.run_command('time', CUSHIM_LIBRARY=NOWHERE, status=NO_DRIVER)
        self.assertEqual(result.out, '')
        self.assertRegex(result.err, r'\Acushim: [^\n]*%s[^\n]*\nadvice: .+\n\Z'
                         % re.escape(NOWHERE))

    def test_no_driver_in_json(self):
        result = self.run_command('time', '--json', '--library', NOWHERE, status=NO_DRIVER)
        self.assertEqual(list(result.json()), ['error', 'simulated', 'mock', 'report'])
        self.assertEqual(result.json()['error']['kind'], 'no-driver')
        self.assertEqual(result.json()['report']['state'], 'not-found')
        self.assertEqual(result.err, '')

    def test_no_device(self):
        for settings in {'FAKE_INIT': 100}, {'FAKE_INIT': 999}, {'FAKE_DEVICES': 0}:
            with self.subTest(settings=settings):
                result = self.run_with(13000, 'time', status=NO_DEVICE, **settings)
                self.assertEqual(result.out, '')
                self.assertIn('advice: ', result.err)

    def test_out_of_memory(self):
        result = self.run_with(13000, 'time', '--bytes', '2G', FAKE_MEMORY=1 << 30, status=FAILED)
        self.assertEqual(result.out, '')
        self.assertIn('cuMemAlloc_v2 returned 2 CUDA_ERROR_OUT_OF_MEMORY: ', result.err)
        self.assertRegex(result.err, r'\nadvice: .*free')
        self.assertEqual(result.calls[-3:], ['cuStreamDestroy_v2', 'cuCtxPopCurrent_v2',
                                             'cuDevicePrimaryCtxRelease_v2'])

    def test_device_that_does_not_exist(self):
        for devices, expected in (1, 'expected 0, for the driver has 1 device'), \
                                 (2, 'expected 0 to 1, for the driver has 2 devices'):
            with self.subTest(devices=devices):
                result = self.run_with(13000, 'time', '--device', '2', FAKE_DEVICES=devices)
                self.assert_status(result, USAGE)
                self.assertIn("--device is out of range with '2': %s\n" % expected, result.err)
                self.assertNotIn('cuDevicePrimaryCtxRetain', result.calls)

    def test_driver_too_old_for_the_measurement(self):
        result = self.run_with(6050, 'time', '--json', status=FAILED)
        error = result.json()['error']
        self.assertEqual(error['call'], 'cushim_context_retain_primary')
        self.assertEqual(error['code'], 36)
        self.assertEqual(error['message'],
                         'cushim_context_retain_primary returned 36 '
                         'CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER: this driver lacks '
                         'cuDevicePrimaryCtxRetain, which came with CUDA 7.0')
        self.assertEqual(error['advice'], 'Update the NVIDIA driver.')
        self.assertEqual(result.json()['report']['missed'], ['cuDevicePrimaryCtxRetain'])

    def test_elapsed_time_is_explained(self):
        calls = self.run_with(13000, 'time', '--repeat', '1').calls
        elapsed = calls.index('cuEventElapsedTime_v2') + 1
        # The code, whether later calls fail as well, and the advice.
        for code, on, advice in (400, 1, 'Both events are not recorded yet. '), \
                                (400, 0, 'Neither event stands in the way any more: '), \
                                (600, 1, 'Both events are still pending: '), \
                                (700, 0, 'Neither event is to blame: '):
            with self.subTest(code=code, on=on):
                result = self.run_with(13000, 'time', '--repeat', '1', FAKE_FAIL=elapsed,
                                       FAKE_FAIL_CODE=code, FAKE_FAIL_ON=on, status=FAILED)
                self.assertIn('cushim_event_get_elapsed returned %d CUDA_ERROR_' % code, result.err)
                self.assertIn('\nadvice: ' + advice, result.err)


class Interruption(ToolTest):

    def test_prints_what_was_measured(self):
        result = self.run_with(13000, 'time', '--json', FAKE_INTERRUPT=WARMUP + 5)
        self.assert_status(result, INTERRUPTED)
        document = result.json()
        self.assertEqual([document['interrupted'], document['rounds'], document['repeat']],
                         [True, 5, 100])
        self.assertEqual(document['median_ms'], 4)

    def test_prints_it_as_text(self):
        result = self.run_with(13000, 'time', FAKE_INTERRUPT=WARMUP + 5, status=INTERRUPTED)
        self.assertEqual(result.lines()['rounds'], '5 timed after 3 untimed; interrupted')

    def test_before_the_first_timed_round_leaves_no_result(self):
        result = self.run_with(13000, 'time', '--json', FAKE_INTERRUPT=WARMUP, status=INTERRUPTED)
        self.assertEqual(result.json()['error']['kind'], 'interrupted')

    @unittest.skipIf(WINDOWS, 'there is no nohup')
    def test_ignored_where_whoever_started_it_ignores_interruptions(self):
        result = self.run_with(13000, 'time', '--json', FAKE_INTERRUPT=WARMUP + 5,
                               command=['sh', '-c', 'trap "" INT; exec "$@"', 'sh', *COMMAND])
        self.assert_status(result, DONE)
        document = result.json()
        self.assertEqual([document['interrupted'], document['rounds']], [False, 100])

    def test_in_the_last_round_changes_nothing(self):
        result = self.run_with(13000, 'time', '--repeat', '2', FAKE_INTERRUPT=WARMUP + 2)
        self.assert_status(result, DONE)


class Progress(ToolTest):

    def run_on_terminal(self, **settings):
        """Run the command with a terminal as standard error; return the status and the terminal's
        input.
        """
        import pty  # not on Windows
        main, terminal = pty.openpty()
        arguments = [*COMMAND, 'time', '--repeat', '30', '--library', fake(13000)]
        with subprocess.Popen(arguments, env=environment(settings), stdout=subprocess.DEVNULL,
                              stderr=terminal) as process:
            os.close(terminal)
            shown = b''
            try:
                while piece := os.read(main, 4096):
                    shown += piece
            except OSError:  # Linux's error when the other end is closed
                pass
        os.close(main)
        return process.returncode, shown.decode('ascii')

    @unittest.skipIf(WINDOWS, 'there are no such terminals')
    def test_shown_in_a_long_run_and_erased(self):
        status, shown = self.run_on_terminal(FAKE_ROUND_MS=45)
        self.assertEqual(status, DONE)
        self.assertRegex(shown, r'\A(\rround \d+ of 30 \(\d+ %\))+\r +\r\Z')

    @unittest.skipIf(WINDOWS, 'there are no such terminals')
    def test_not_shown_in_the_first_second(self):
        begin = time.monotonic()
        status, shown = self.run_on_terminal()
        self.assertEqual(status, DONE)
        # On a machine where the run takes longer, progress may be shown.
        if time.monotonic() - begin < 1:
            self.assertEqual(shown, '')

    def test_not_shown_where_there_is_no_terminal(self):
        result = self.run_with(13000, 'time', '--repeat', '30', FAKE_ROUND_MS=45, status=DONE)
        self.assertEqual(result.err, '')


if __name__ == '__main__':
    unittest.main()
