#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cushim info` with drivers that crash, hang or send garbage, and with bad libraries before a good
one.
"""

import os
import shutil
import tempfile
import unittest

from harness import (COMMAND, CRASHED, DONE, HUNG, NO_DRIVER, WINDOWS, ToolTest, built_driver, fake)

MISBEHAVING = built_driver('misbehaving')
# How the driver ends the process, and how the command describes it.
ENDS = {'call-quick-exit': 'exit status 4', 'end-well': 'exit status 0'}
if not WINDOWS:
    ENDS.update({'fault': 'signal 11 (SIGSEGV)', 'abort': 'signal 6 (SIGABRT)'})
HERE = 'call-quick-exit'


def misbehave(how, when):
    return {'FAKE_DRIVER_ACTION': how, 'FAKE_DRIVER_WHEN': when}


class Named(ToolTest):
    """A driver that the user has named."""

    def info(self, how, when, *words, **settings):
        """Return both forms of the output, which must have the same contents."""
        text, document = (self.run_command('info', *words, *form, **settings,
                                           **misbehave(how, when)) for form in ([], ['--json']))
        self.assertEqual([text.err, document.err], ['', ''])
        report, error = document.json()['report'], document.json()['error']
        self.assertEqual(text.status, document.status)
        for member in 'state', 'reason', 'advice':
            self.assertTrue(report[member])
            self.assertIn('%-11s %s\n' % (member, report[member]), text.out.split('\n\n')[0])
        self.assertEqual([report['reason'], report['advice']], [error['message'], error['advice']])
        return text, document.json()

    def test_crash_while_it_is_opened(self):
        for words, settings in ((['--library', MISBEHAVING], {}),
                                ([], {'CUSHIM_LIBRARY': MISBEHAVING})):
            for how, said in ENDS.items():
                with self.subTest(how, words=words):
                    text, document = self.info(how, 'open', *words, **settings)
                    self.assert_status(text, CRASHED)
                    self.assertEqual(text.lines()['state'], 'not-loadable')
                    self.assertIn(MISBEHAVING, text.lines()['reason'])
                    self.assertIn(said, text.lines()['reason'])
                    self.assertEqual(document['error']['kind'], 'crashed')
                    self.assertIsNone(document['error']['call'])
                    [candidate] = document['report']['candidates']
                    self.assertEqual([candidate['origin'], candidate['path'], candidate['outcome']],
                                     ['option' if words else 'environment', MISBEHAVING,
                                      'not-loadable'])

    def test_crash_in_a_call_of_the_driver(self):
        devices = 'as it was asked for its devices'
        for when, where, call in (('init', 'in cuInit', 'cuInit'), ('count', devices, None),
                                  ('device', devices, None)):
            for how, said in ENDS.items():
                with self.subTest(how, when=when):
                    text, document = self.info(how, when, '--library', MISBEHAVING)
                    self.assert_status(text, CRASHED)
                    self.assertEqual(text.lines()['state'], 'init-failed')
                    self.assertIn('%s, %s' % (said, where), text.lines()['reason'])
                    self.assertEqual(document['error']['kind'], 'crashed')
                    self.assertEqual(document['error']['call'], call)
                    self.assertEqual(document['report']['library'], MISBEHAVING)
                    self.assertEqual(document['report']['candidates'][0]['driver_version'], 13000)

    def test_crash_as_the_process_ends(self):
        plain = self.run_command('info', '--library', MISBEHAVING)
        for how in ENDS:
            with self.subTest(how):
                result = self.run_command('info', '--library', MISBEHAVING,
                                          **misbehave(how, 'close'))
                self.assertEqual((result.status, result.out, result.err),
                                 (plain.status, plain.out, plain.err))

    def test_driver_that_hangs(self):
        words = ['info', '--library', MISBEHAVING, '--timeout', '1s']
        # On a slow machine, the process may not even have reached the driver.
        text, document = (self.run_command(*words, *form, **misbehave('hang', 'init'))
                          for form in ([], ['--json']))
        for result in text, document:
            self.assert_status(result, HUNG)
            self.assertIn('not come back within 1 s: it hangs ', result.out)
        self.assertEqual(document.json()['error']['kind'], 'hung')

    @unittest.skipIf(WINDOWS, 'a path has no line breaks there')
    def test_path_that_looks_like_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            path = shutil.copy(MISBEHAVING, folder + '/a\nverdict     broken\n\x1b[2J')
            for command in 'info', 'probe':
                result = self.run_command(command, '--library', path)
                self.assertIn('library     %s/a?verdict     broken??[2J\n' % folder, result.out)
                self.assertNotIn('\nverdict     broken', result.out)

    @unittest.skipIf(WINDOWS, 'the handle of the answer has no number there')
    def test_driver_that_garbles_the_answer(self):
        text, _ = self.info('print-everywhere', 'init', '--library', MISBEHAVING)
        self.assert_status(text, CRASHED)
        self.assertIn('garbled the answer', text.lines()['reason'])


@unittest.skipIf(WINDOWS, 'the search has one folder there')
class Searched(ToolTest):
    """A driver after a bad library in the search."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.realpath(folder.name)
        self.good = self.put('good', fake(13000))

    def put(self, name, source):
        """Put a libcuda.so.1, a copy or bytes, into a folder of this name."""
        path = os.path.join(self.root, name, 'libcuda.so.1')
        os.mkdir(os.path.dirname(path))
        if isinstance(source, bytes):
            with open(path, 'wb') as file:
                file.write(source)
        else:
            shutil.copy(source, path)
        return path

    def shadowed(self, bad, *statuses, between=(), **settings):
        """Return the output for a search that first finds the library in `bad`."""
        folders = [os.path.dirname(path) for path in (bad, *between, self.good)]
        settings['LD_LIBRARY_PATH'] = ':'.join(folders)
        result = self.run_command('info', '--json', **settings)
        self.assertIn(result.status, statuses, str(result))
        document = result.json()
        [diagnostic] = [row for row in document['diagnostics'] if row['name'] == 'shadowed-driver']
        self.assertIn('LD_LIBRARY_PATH leads to ' + bad, diagnostic['evidence'])
        self.assertIn('there is also %s: The driver for CUDA 13.0 is initialised and has 2 devices'
                      % self.good, diagnostic['evidence'])
        self.assertIn('CUSHIM_LIBRARY=%s ' % self.good, diagnostic['advice'])
        self.assertIn('take the folder of %s out of LD_LIBRARY_PATH' % bad, diagnostic['advice'])
        text = self.run_command('info', **settings)
        self.assertIn('\nevidence    %s\nadvice      %s\n'
                      % (diagnostic['evidence'], diagnostic['advice']), text.out)
        advised = self.run_command('info', **{**settings, 'CUSHIM_LIBRARY': self.good}, status=DONE)
        return document

    def test_crash_while_it_is_opened(self):
        bad = self.put('bad', MISBEHAVING)
        for how, said in ENDS.items():
            with self.subTest(how):
                document = self.shadowed(bad, CRASHED, **misbehave(how, 'open'))
                report = document['report']
                self.assertEqual(report['state'], 'not-loadable')
                self.assertIn(said, report['reason'])
                self.assertIn('The search leads to %s.' % bad, report['reason'])
                self.assertEqual(report['candidates'][0]['path'], bad)

    def test_crash_in_cu_init(self):
        document = self.shadowed(self.put('bad', MISBEHAVING), CRASHED, **misbehave(HERE, 'init'))
        self.assertEqual(document['report']['state'], 'init-failed')

    def test_stub(self):
        document = self.shadowed(self.put('bad', built_driver('stub')), NO_DRIVER)
        self.assertEqual(document['report']['state'], 'stub')

    def test_empty_file(self):
        document = self.shadowed(self.put('bad', b''), NO_DRIVER)
        self.assertEqual(document['report']['state'], 'not-loadable')

    def test_truncated_file(self):
        with open(built_driver('complete'), 'rb') as file:
            whole = file.read()
        # The dynamic linker maps segments beyond the end of the file; it crashes only if it
        # accesses them.
        for length in 16, 64, 4096, len(whole) // 2:
            bad = self.put('%d' % length, whole[:length])
            with self.subTest(length=length):
                document = self.shadowed(bad, NO_DRIVER, CRASHED)
                self.assertEqual(document['report']['state'], 'not-loadable')

    def test_file_that_cannot_be_used_either_is_not_proposed(self):
        between = [self.put('stub', built_driver('stub')), self.put('text', b'no library'),
                   self.put('crash', MISBEHAVING)]
        self.shadowed(self.put('bad', b''), NO_DRIVER, between=between, **misbehave(HERE, 'open'))


@unittest.skipIf(WINDOWS, 'there is no such limit')
class WithoutAnotherProcess(ToolTest):
    """With one descriptor left, the driver can be loaded, but no pipe can be opened."""

    LIMITED = ['sh', '-c', 'ulimit -n 4 && exec "$@"', 'sh', *COMMAND]

    def test_driver_is_loaded_all_the_same(self):
        result = self.run_command('info', '--library', fake(13000), command=self.LIMITED)
        self.assert_status(result, DONE)
        self.assertIn('cushim: no other process has tried the driver first: ', result.err)

    @unittest.skipUnless('CUSHIM_MOCK_LIBRARY' in os.environ, 'built without the mock driver')
    def test_mock_driver_needs_none(self):
        result = self.run_command('info', '--mock', command=self.LIMITED, status=DONE)
        self.assertEqual(result.err, '')


if __name__ == '__main__':
    unittest.main()
