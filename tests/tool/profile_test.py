#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cushim profile`."""

import os
import tempfile
import unittest

from harness import DONE, FAILED, NO_DEVICE, NO_DRIVER, USAGE, ToolTest

FIRST = '''\
# Fake GPU with the driver of CUDA 13.0, as it answers: written by cushim profile.
# What identifies the machine has been replaced: PCI numbers and board group 0, NUMA node -1.
schema = 1
name = Fake GPU
driver_version = 13000
memory_bytes = 8589934592
priority.least = 0
priority.greatest = -5

attribute.WARP_SIZE = 32
attribute.PCI_BUS_ID = 0
attribute.PCI_DOMAIN_ID = 0
attribute.COMPUTE_CAPABILITY_MAJOR = 9
attribute.COMPUTE_CAPABILITY_MINOR = 0
attribute.190 = -190

limit.STACK_SIZE = 1024
limit.MALLOC_HEAP_SIZE = 8589934592
limit.15 = 15
'''

PROFILES = os.path.join(os.path.dirname(__file__), '../../src/mock/config/profiles')


def entries(text):
    """Map each key to its value, without the comments of the file."""
    lines = [line for line in text.splitlines() if line and not line.startswith('#')]
    return dict(line.split(' = ') for line in lines)


class Profile(ToolTest):

    def test_has_what_the_driver_knows_and_no_identifier(self):
        result = self.run_with(13000, 'profile', status=DONE)
        self.assertEqual(result.err, '')
        self.assertEqual(result.out, FIRST)
        self.assertNotIn('cuDeviceGetUuid_v2', result.calls)
        self.assertNotIn('cuDeviceGetPCIBusId', result.calls)

    def test_another_device_and_driver(self):
        result = self.run_with(12020, 'profile', '--device', '1', '--name', 'Second', status=DONE)
        for line in ('name = Second', 'driver_version = 12020', 'memory_bytes = 17179869184',
                     'attribute.COMPUTE_CAPABILITY_MINOR = 1', 'attribute.PCI_BUS_ID = 0',
                     'limit.MALLOC_HEAP_SIZE = 17179869184'):
            self.assertIn(line, result.out.splitlines())
        self.assertNotIn('Fake', result.out)

    def test_file_has_what_is_printed_otherwise(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'gpu.profile')
            result = self.run_with(13000, 'profile', '--output', path, status=DONE)
            self.assertEqual(result.out + result.err, '')
            with open(path, encoding='ascii') as file:
                self.assertEqual(file.read(), FIRST)

    def test_file_that_cannot_be_written(self):
        for path, problem in (('/nowhere/gpu.profile', 'No such file or directory'),
                              ('/dev/full', 'No space left on device')):
            with self.subTest(path):
                result = self.run_with(13000, 'profile', '--output', path, status=FAILED)
                self.assertIn('could not be written to %s: %s' % (path, problem), result.err)

    def test_names_that_a_profile_cannot_have(self):
        for name in ('', ' x', 'x ', 'a # b', '#a', 'two\nlines', 'x' * 256):
            with self.subTest(name):
                result = self.run_with(13000, 'profile', '--name', name, status=USAGE)
                self.assertEqual(result.out, '')
                self.assertIn('a profile cannot have the name', result.err)
                self.assertEqual(result.calls, [])
        self.assert_status(self.run_with(13000, 'profile', '--name', 'a#b ' + 'x' * 251), DONE)

    def test_device_without_a_name_needs_one(self):
        result = self.run_with(13000, 'profile', '--device', '2', FAKE_DEVICES=3, status=USAGE)
        self.assertIn('another name with --name', result.err)
        self.assert_status(self.run_with(13000, 'profile', '--device', '2', '--name', 'GPU',
                                         FAKE_DEVICES=3), DONE)

    def test_no_driver_no_device_and_not_that_one(self):
        self.assert_status(self.run_command('profile', CUSHIM_LIBRARY='none'), NO_DRIVER)
        self.assert_status(self.run_with(13000, 'profile', FAKE_DEVICES=0), NO_DEVICE)
        result = self.run_with(13000, 'profile', '--device', '2', status=USAGE)
        self.assertIn("--device is out of range with '2': expected 0 to 1", result.err)

    def test_has_no_json(self):
        self.assert_status(self.run_with(13000, 'profile', '--json'), USAGE)

    def test_failure_of_any_call_writes_nothing(self):
        calls = self.run_with(13000, 'profile').calls
        first = {calls.index(call) + 1 for call in calls} | {len(calls)}
        for number in sorted(first - {1, 2} | {calls.index('cuDeviceGetAttribute') + 100}):
            with self.subTest(number=number, call=calls[number - 1]):
                result = self.run_with(13000, 'profile', FAKE_FAIL=number)
                if calls[number - 1] == 'cuDriverGetVersion':
                    continue
                self.assertIn(result.status, (FAILED, NO_DEVICE))
                self.assertRegex(result.err, r'\Acushim: .*700|CUDA_ERROR_ILLEGAL_ADDRESS')
                self.assertEqual(result.out, '')


@unittest.skipUnless('CUSHIM_MOCK_LIBRARY' in os.environ, 'the mock driver was not built')
class OnTheMock(ToolTest):
    """The command prints the profile with which the mock was made."""

    def profile(self, *arguments):
        result = self.run_command('profile', '--mock', *arguments, status=DONE)
        self.assertEqual(result.err, '')
        self.assertIn("cushim's mock driver", result.out.splitlines()[0])
        return entries(result.out)

    def test_built_in_profile(self):
        for name, memory in ('h200', '150109880320'), ('h100', '85017493504'):
            with open(os.path.join(PROFILES, name + '.profile'), encoding='ascii') as file:
                written = entries(file.read())
            self.assertGreater(len(written), 150)
            printed = self.profile('--set', 'profile=' + name)
            # The mock has as much memory as a small machine can provide, not the device's.
            self.assertEqual(printed.pop('memory_bytes'), '2147483648')
            self.assertEqual(written.pop('memory_bytes'), memory)
            self.assertEqual(printed, written)

    def test_documented_profiles(self):
        for name in 't4', 'a100', 'rtx4090':
            with open(os.path.join(PROFILES, name + '.profile'), encoding='ascii') as file:
                written = entries(file.read())
            self.assertEqual(len(written), 69 if name == 'a100' else 68)
            printed = self.profile('--set', 'profile=' + name)
            # The mock invents no values that the file lacks, apart from the following ones.
            for key in 'PCI_BUS_ID', 'PCI_DEVICE_ID', 'PCI_DOMAIN_ID':
                self.assertEqual(printed.pop('attribute.' + key), '0')
            for key in 'priority.least', 'priority.greatest':
                self.assertEqual(printed.pop(key), '0')
            for entry in printed, written:
                entry.pop('memory_bytes')
            self.assertEqual(printed, written)

    def test_profile_of_another_driver(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'fake.profile')
            self.assert_status(self.run_with(13000, 'profile', '--output', path), DONE)
            with open(path, encoding='ascii') as file:
                written = entries(file.read())
            printed = self.profile('--set', 'profile=' + path)
        # The mock has a PCI address of its own, so it has all three parts.
        self.assertEqual(printed.pop('attribute.PCI_DEVICE_ID'), '0')
        for prefix, count in (('attribute.', 6), ('priority.', 2), ('name', 1)):
            part = {key: value for key, value in written.items() if key.startswith(prefix)}
            self.assertEqual(len(part), count)
            self.assertEqual({key: value for key, value in printed.items()
                              if key.startswith(prefix)}, part)
        # The other limits are those of an H200.
        for limit in 'limit.STACK_SIZE', 'limit.MALLOC_HEAP_SIZE':
            self.assertEqual(printed[limit], written[limit])


if __name__ == '__main__':
    unittest.main()
