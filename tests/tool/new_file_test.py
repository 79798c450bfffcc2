#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where `cushim profile --output` writes, and where somebody else would like it to write."""

import os
import stat
import tempfile
import unittest

from harness import DONE, FAILED, ToolTest

NOBODY = 65534
TEXT = 'what was there\n'


class NewFile(ToolTest):

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = os.path.join(temporary.name, 'shared')
        self.own = os.path.join(temporary.name, 'own')
        self.path = os.path.join(self.folder, 'gpu.profile')
        os.mkdir(self.folder)
        os.chmod(self.folder, 0o1777)
        with open(self.own, 'w', encoding='ascii') as file:
            file.write(TEXT)

    def write(self, path=None, folder=None):
        return self.run_with(13000, 'profile', '--output', path or self.path, folder=folder)

    def assert_written(self, result, path=None):
        self.assert_status(result, DONE)
        with open(path or self.path, encoding='ascii') as file:
            self.assertIn('schema = 1', file.read())

    def assert_refused(self, result, reason):
        self.assert_status(result, FAILED)
        self.assertIn('could not be written to', result.err)
        self.assertIn(reason, result.err)
        with open(self.own, encoding='ascii') as file:
            self.assertEqual(file.read(), TEXT)

    def test_own_file_in_a_shared_folder_is_written(self):
        for _ in 'made', 'made anew':
            self.assert_written(self.write())
        self.assert_written(self.write('gpu.profile', folder=self.folder))

    def test_link_in_a_shared_folder_is_not_followed(self):
        os.symlink(self.own, self.path)
        for mode in 0o1777, 0o777:
            os.chmod(self.folder, mode)
            self.assert_refused(self.write(), 'it is a link, in a folder that everybody may write')
            self.assert_refused(self.write('gpu.profile', folder=self.folder), 'it is a link')
        os.remove(self.path)
        os.symlink('gone', self.path)
        self.assert_refused(self.write(), 'it is a link')
        self.assertFalse(os.path.exists(os.path.join(self.folder, 'gone')))

    def test_another_name_of_a_file_is_not_written(self):
        os.link(self.own, self.path)
        self.assert_refused(self.write(), "not this user's own file")

    def test_pipe_is_not_waited_for(self):
        os.mkfifo(self.path)
        self.assert_refused(self.write(), 'No such device or address')
        reader = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        self.assert_refused(self.write(), "not this user's own file")

    @unittest.skipUnless(os.geteuid() == 0, 'only root can give files to others')
    def test_file_of_somebody_else_is_not_written(self):
        with open(self.path, 'w', encoding='ascii') as file:
            file.write(TEXT)
        os.chown(self.path, NOBODY, NOBODY)
        result = self.write()
        self.assert_status(result, FAILED)
        with open(self.path, encoding='ascii') as file:
            self.assertEqual(file.read(), TEXT)

    def test_link_in_a_folder_of_ones_own_is_followed(self):
        os.chmod(self.folder, 0o755)
        os.symlink(self.own, self.path)
        self.assert_written(self.write())
        self.assert_written(self.write(), self.own)
        self.assertTrue(stat.S_ISLNK(os.lstat(self.path).st_mode))

    def test_standard_output_by_its_name(self):
        result = self.write('/dev/stdout')
        self.assert_status(result, DONE)
        self.assertIn('schema = 1', result.out)


if __name__ == '__main__':
    unittest.main()
