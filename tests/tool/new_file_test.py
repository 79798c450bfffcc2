#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where `cushim profile --output` writes, and attempts of other users to redirect it."""

import os
import stat
import sys
import tempfile
import unittest

from harness import COMMAND, DONE, FAILED, ToolTest

NOBODY = 65534
TEXT = 'what was there\n'
AS_NOBODY = """import os, sys
os.setgroups([])
os.setgid(%d)
os.setuid(%d)
os.execv(sys.argv[1], sys.argv[1:])
""" % (NOBODY, NOBODY)


class NewFile(ToolTest):

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = os.path.join(temporary.name, 'shared')
        self.own = os.path.join(temporary.name, 'own')
        self.path = os.path.join(self.folder, 'gpu.profile')
        self.part = self.path + '.part'
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

    def assert_replaced(self, kept):
        """Assert that FILE is not the file behind the descriptor, but a complete file of this user.
        """
        self.assertEqual(os.pread(kept, 4096, 0).decode(), TEXT)
        status = os.lstat(self.path)
        self.assertNotEqual(status.st_ino, os.fstat(kept).st_ino)
        self.assertTrue(stat.S_ISREG(status.st_mode))
        self.assertEqual((status.st_uid, status.st_nlink), (os.geteuid(), 1))
        mask = os.umask(0)
        os.umask(mask)
        self.assertEqual(stat.S_IMODE(status.st_mode), 0o666 & ~mask)
        with open(self.path, encoding='ascii') as file, self.profile() as whole:
            self.assertEqual(file.read(), whole.read())
        self.assertEqual(os.listdir(self.folder), ['gpu.profile'])

    def profile(self):
        """Return a profile that was written to a folder where no other user writes."""
        path = os.path.join(os.path.dirname(self.folder), 'whole')
        self.assert_written(self.write(path), path)
        return open(path, encoding='ascii')

    def descriptor(self, path):
        kept = os.open(path, os.O_RDONLY)
        self.addCleanup(os.close, kept)
        return kept

    def test_another_name_of_a_file_is_replaced_and_not_written_into(self):
        os.link(self.own, self.path)
        kept = self.descriptor(self.own)
        self.assert_written(self.write())
        self.assert_replaced(kept)
        with open(self.own, encoding='ascii') as file:
            self.assertEqual(file.read(), TEXT)
        self.assertEqual(os.stat(self.own).st_nlink, 1)

    def test_pipe_is_not_waited_for(self):
        os.mkfifo(self.path)
        self.assert_refused(self.write(), 'No such device or address')
        reader = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        self.assert_refused(self.write(), "not this user's own file")

    @unittest.skipUnless(os.geteuid() == 0, 'only root can give files to others')
    def test_file_of_somebody_else_is_replaced_and_not_written_into(self):
        with open(self.path, 'w', encoding='ascii') as file:
            file.write(TEXT)
        os.chown(self.path, NOBODY, NOBODY)
        kept = self.descriptor(self.path)
        self.assert_written(self.write())
        self.assert_replaced(kept)

    def assert_part_is_in_the_way(self, reason):
        """Assert that the file in the way is unchanged, and so is FILE, which may exist or not."""
        before = os.lstat(self.part)
        for content in None, TEXT:
            if content:
                with open(self.path, 'w', encoding='ascii') as file:
                    file.write(content)
            result = self.write()
            self.assert_refused(result, reason)
            self.assertIn(self.part + ': ', result.err)
            after = os.lstat(self.part)
            self.assertEqual((after.st_ino, after.st_mode, after.st_uid, after.st_nlink,
                              after.st_size, after.st_mtime_ns),
                             (before.st_ino, before.st_mode, before.st_uid, before.st_nlink,
                              before.st_size, before.st_mtime_ns))
            self.assertEqual(os.path.exists(self.path), content is not None)
            if content:
                with open(self.path, encoding='ascii') as file:
                    self.assertEqual(file.read(), content)
        os.remove(self.path)
        os.remove(self.part)

    def test_link_in_the_place_of_the_part_is_not_followed(self):
        for target in self.own, 'gone':
            os.symlink(target, self.part)
            self.assert_part_is_in_the_way('it is a link, in a folder that everybody may write')
            self.assertFalse(os.path.exists(os.path.join(self.folder, 'gone')))

    def test_another_name_of_a_file_in_the_place_of_the_part_is_not_written_into(self):
        os.link(self.own, self.part)
        self.assert_part_is_in_the_way("not this user's own file")

    def test_pipe_in_the_place_of_the_part_is_not_waited_for(self):
        os.mkfifo(self.part)
        self.assert_part_is_in_the_way('No such device or address')

    @unittest.skipUnless(os.geteuid() == 0, 'only root can give files to others')
    def test_file_of_somebody_else_in_the_place_of_the_part_is_not_written_into(self):
        for mode in 0o600, 0o666:
            with open(self.part, 'w', encoding='ascii') as file:
                file.write(TEXT)
            os.chmod(self.part, mode)
            os.chown(self.part, NOBODY, NOBODY)
            # The kernel may forbid even root to open it (fs.protected_regular).
            self.assert_part_is_in_the_way(': ')

    @unittest.skipUnless(os.geteuid() == 0, 'only root can become somebody else')
    def test_own_file_is_kept_where_the_part_may_not_be_opened(self):
        os.chmod(os.path.dirname(self.folder), 0o755)
        command = [sys.executable, '-c', AS_NOBODY, *COMMAND]
        if self.run_command('--version', command=command).status != DONE:
            self.skipTest('the command is in a folder of this user alone')
        with open(self.part, 'w', encoding='ascii') as file:
            file.write(TEXT)
        os.chmod(self.part, 0o600)
        with open(self.path, 'w', encoding='ascii') as file:
            file.write(TEXT)
        os.chown(self.path, NOBODY, NOBODY)
        self.assert_refused(self.run_with(13000, 'profile', '--output', self.path,
                                          command=command), self.part + ': Permission denied')
        for path in self.path, self.part:
            with open(path, encoding='ascii') as file:
                self.assertEqual(file.read(), TEXT)

    def test_part_of_a_run_that_was_killed_is_taken(self):
        with open(self.part, 'w', encoding='ascii') as file:
            file.write(TEXT * 1000)
        kept = self.descriptor(self.own)
        self.assert_written(self.write())
        self.assert_replaced(kept)

    def test_link_in_a_folder_of_ones_own_is_followed(self):
        os.chmod(self.folder, 0o755)
        os.symlink(self.own, self.path)
        self.assert_written(self.write())
        self.assert_written(self.write(), self.own)
        self.assertTrue(stat.S_ISLNK(os.lstat(self.path).st_mode))

    def test_standard_output_by_its_name(self):
        result = self.assert_status(self.write('/dev/stdout'), DONE)
        self.assertIn('schema = 1', result.out)


if __name__ == '__main__':
    unittest.main()
