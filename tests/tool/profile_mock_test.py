#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cushim profile` on the mock driver: what it was made of comes back."""

import os
import tempfile
import unittest

from harness import DONE, ToolTest

H200 = os.path.join(os.path.dirname(__file__), '../../src/mock/profiles/h200.profile')


def entries(text):
    """Key -> value; the comments are the file's own."""
    lines = [line for line in text.splitlines() if line and not line.startswith('#')]
    return dict(line.split(' = ') for line in lines)


class OnTheMock(ToolTest):

    def profile(self, *arguments):
        result = self.run_command('profile', '--mock', *arguments)
        self.assert_status(result, DONE)
        self.assertEqual(result.err, '')
        self.assertIn("cushim's mock driver", result.out.splitlines()[0])
        return entries(result.out)

    def test_built_in_profile(self):
        with open(H200, encoding='ascii') as file:
            written = entries(file.read())
        self.assertGreater(len(written), 150)
        told = self.profile()
        # The mock has the memory that a small machine can back, not the device's.
        self.assertEqual(told.pop('memory_bytes'), '2147483648')
        self.assertEqual(written.pop('memory_bytes'), '150109880320')
        self.assertEqual(told, written)

    def test_profile_of_another_driver(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'fake.profile')
            self.assert_status(self.run_with(13000, 'profile', '--output', path), DONE)
            with open(path, encoding='ascii') as file:
                written = entries(file.read())
            told = self.profile('--set', 'profile=' + path)
        # The mock has addresses of its own, so it tells all three.
        self.assertEqual(told.pop('attribute.PCI_DEVICE_ID'), '0')
        for prefix, count in (('attribute.', 6), ('priority.', 2), ('name', 1)):
            part = {key: value for key, value in written.items() if key.startswith(prefix)}
            self.assertEqual(len(part), count)
            self.assertEqual({key: value for key, value in told.items()
                              if key.startswith(prefix)}, part)
        # It keeps the limits that an H200 has.
        for limit in 'limit.STACK_SIZE', 'limit.MALLOC_HEAP_SIZE':
            self.assertEqual(told[limit], written[limit])


if __name__ == '__main__':
    unittest.main()
