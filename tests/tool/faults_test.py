#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each call of the driver fails once, alone and together with all later calls.

The harness detects misuse and leaks, because the fake driver aborts on misuse and exits with 99
after a leak.
"""

import unittest

from harness import DONE, FAILED, NO_DEVICE, NO_DRIVER, ToolTest


# For each driver call, the functions of cushim that report its failure; None: the call itself is
# reported.
NAMES = {
    'cuInit': None,
    'cuDeviceGetCount': None,
    'cuDeviceGet': None,
    'cuDeviceGetName': None,
    'cuDeviceGetUuid_v2': {'cushim_device_get_uuid'},
    'cuDeviceGetAttribute': None,
    'cuDeviceTotalMem_v2': None,
    'cuDeviceGetPCIBusId': None,
    'cuDevicePrimaryCtxRetain': {'cushim_context_retain_primary'},
    'cuDevicePrimaryCtxRelease_v2': {'cushim_context_release'},
    'cuCtxPushCurrent_v2': {'cushim_context_push'},
    'cuCtxGetCurrent': {'cushim_stream_create', 'cushim_event_create'},
    'cuCtxPopCurrent_v2': {'cushim_context_pop'},
    'cuStreamCreateWithPriority': {'cushim_stream_create'},
    'cuStreamDestroy_v2': {'cushim_stream_release'},
    'cuMemAlloc_v2': None,
    'cuMemsetD8Async': None,
    'cuMemFree_v2': None,
    'cuEventCreate': {'cushim_event_create'},
    'cuEventRecord': {'cushim_event_record'},
    'cuEventSynchronize': {'cushim_event_synchronize'},
    'cuEventElapsedTime_v2': {'cushim_event_get_elapsed'},
    'cuEventDestroy_v2': {'cushim_event_release'},
}


def names(call):
    """Return the names that the message may contain when this call fails."""
    return NAMES[call] or {call}


class Faults(ToolTest):

    def expected(self, calls, number):
        """Return the expected exit status when call `number` fails, and the names that the message
        may contain.
        """
        call = calls[number - 1]
        if call == 'cuDriverGetVersion':
            # The first call decides whether this is a driver; the second only refines the search.
            return (NO_DRIVER if number == 1 else DONE), None
        return (NO_DEVICE if call == 'cuInit' else FAILED), names(call)

    def check(self, *arguments, **settings):
        calls = self.run_with(13000, *arguments).calls
        self.assertGreater(len(calls), 10)
        for number in range(1, len(calls) + 1):
            with self.subTest(number=number, call=calls[number - 1]):
                result = self.run_with(13000, *arguments, '--json', FAKE_FAIL=number, **settings)
                status, allowed = self.expected(calls, number)
                if status == DONE and settings.get('FAKE_FAIL_ON'):
                    status, allowed = NO_DEVICE, names('cuInit')
                self.assert_status(result, status)
                if allowed:
                    error = result.json()['error']
                    self.assertIn(error['call'], allowed)
                    self.assertIn(error['call'], error['message'])
                    self.assertEqual(error['code'], 700)
                    self.assertNotEqual(error['advice'], '')
                self.assertEqual(result.err, '')

    def test_info_each_call_alone(self):
        self.check('info')

    def test_info_each_call_and_all_after_it(self):
        self.check('info', FAKE_FAIL_ON=1)

    def test_time_each_call_alone(self):
        self.check('time', '--repeat', '2')

    def test_time_each_call_and_all_after_it(self):
        self.check('time', '--repeat', '2', FAKE_FAIL_ON=1)

    def test_text_names_function_code_and_advice(self):
        calls = self.run_with(13000, 'time', '--repeat', '1').calls
        for call in 'cuStreamCreateWithPriority', 'cuEventSynchronize', 'cuMemFree_v2':
            with self.subTest(call=call):
                (name,) = names(call)
                result = self.run_with(13000, 'time', '--repeat', '1',
                                       FAKE_FAIL=calls.index(call) + 1, FAKE_FAIL_CODE=2)
                self.assert_status(result, FAILED)
                self.assertEqual(result.out, '')
                self.assertRegex(result.err, r'\Acushim: %s returned 2 CUDA_ERROR_OUT_OF_MEMORY: '
                                             r'.+\nadvice: .+\.\n\Z' % name)

    def test_code_that_nobody_knows(self):
        result = self.run_with(13000, 'time', FAKE_FAIL=8, FAKE_FAIL_CODE=4711, status=FAILED)
        self.assertIn('returned 4711 unrecognized CUresult', result.err)


if __name__ == '__main__':
    unittest.main()
