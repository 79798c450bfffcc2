#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The mock as a shared library, used by programs that know nothing of it.

    dropin_test.py LIBRARY CLIENT LINKED VERSION
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, '../../loader/registry'))

import registry  # noqa: E402

ROWS = registry.read_functions(os.path.join(HERE, '../../loader/registry/functions.tsv'))
IDENTITY = r'cushim mock %s: .*; this is not a GPU'
NOT_READY = 'every call returns CUDA_ERROR_SYSTEM_NOT_READY'


# The command with which Meson starts programs for another system, and the prefix of paths there.
WRAPPER = os.environ.get('EXE_WRAPPER', '').split()
ROOT = 'Z:' if WRAPPER else ''


def run(*words, program=None, **environment):
    """Run the client or another program; return the lines of its output and of its standard error.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith('CUSHIM_')}
    # Files instead of pipes, because other processes that Wine starts would keep pipes open.
    with tempfile.TemporaryFile('w+') as out, tempfile.TemporaryFile('w+') as err:
        done = subprocess.run([*WRAPPER, program or CLIENT, *words], stdout=out, stderr=err,
                              env={**kept, **environment})
        out.seek(0)
        err.seek(0)
        output, errors = out.read(), err.read()
    if done.returncode != 0:
        raise AssertionError('exit status %d: %s%s' % (done.returncode, output, errors))
    return output.splitlines(), errors.splitlines()


def preload(library):
    """Return the sanitizer's runtime that must be preloaded before a sanitized library."""
    # The ldd of another platform fails, but there are no sanitizers there either.
    linked = subprocess.run(['ldd', CLIENT], check=False, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True).stdout
    return ' '.join(re.findall(r'=> (\S+/lib[a-z]+san\S+)', linked) + [library])


class Library(unittest.TestCase):
    def readelf(self, *words):
        return subprocess.run(['readelf', '-W', *words, LIBRARY], check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def test_exports_the_driver_and_its_own_identity_and_nothing_else(self):
        names = {line.split()[-1] for line in subprocess.run(
            ['nm', '-D', '--defined-only', LIBRARY], check=True, text=True,
            stdout=subprocess.PIPE).stdout.splitlines()}
        driver = {name for name in names if re.match(r'cu[A-Z]', name)}
        self.assertEqual(driver, {row.symbol for row in ROWS if row.platform != 'windows'})
        self.assertEqual(names - driver, {'cushim_mock_current', 'cushim_mock_identity',
                                          'cushim_mock_race', 'cushim_mock_get_state',
                                          'cushim_mock_misuse',
                                          'InitializeInjectionNvtx2'})

    def test_is_called_libcuda_and_stays_loaded(self):
        dynamic = self.readelf('-d')
        self.assertIn('[libcuda.so.1]', dynamic)
        self.assertIn('NODELETE', dynamic)
        self.assertNotIn('TEXTREL', dynamic)
        self.assertNotIn('libcushim', dynamic)

    def test_both_names_are_opened(self):
        for name in 'libcuda.so.1', 'libcuda.so':
            with self.subTest(name):
                output, _ = run(name, 'cuInit', LD_LIBRARY_PATH=os.path.dirname(LIBRARY))
                self.assertEqual(output, ['cuInit 0'])


class Words(unittest.TestCase):
    """The lines that go to standard error."""

    def test_first_init_says_what_this_is_and_no_other_call_says_anything(self):
        output, errors = run(LIBRARY, 'cuDriverGetVersion', 'cuInit', 'cuInit')
        self.assertEqual(output[1:], ['cuInit 0', 'cuInit 0'])
        self.assertEqual(len(errors), 1)
        self.assertRegex(errors[0], IDENTITY % re.escape(VERSION))
        self.assertEqual(run(LIBRARY, 'cuDriverGetVersion')[1], [])

    def test_quiet_is_quiet(self):
        self.assertEqual(run(LIBRARY, 'cuInit', CUSHIM_MOCK_SETTINGS='quiet = yes')[1], [])

    def test_refused_function_is_named_once(self):
        output, errors = run(LIBRARY, 'cuInit', 'cuEGLStreamConsumerConnect',
                             'cuEGLStreamConsumerConnect', CUSHIM_MOCK_SETTINGS='quiet = yes')
        self.assertEqual(output[1:], ['cuEGLStreamConsumerConnect 801'] * 2)
        self.assertEqual(errors, ['cushim mock: cuEGLStreamConsumerConnect is not implemented: '
                                  'CUDA_ERROR_NOT_SUPPORTED'])

    def test_misuses_are_reported_at_once(self):
        output, errors = run(LIBRARY, 'cuInit', 'garbage', 'garbage',
                             CUSHIM_MOCK_SETTINGS='quiet = yes')
        self.assertEqual(output[1:], ['garbage 400'] * 2)
        misuse = ('CUSHIM-handle-unknown: error: cuEventQuery: 0x1234 is not the handle of an '
                  'event; in cuEventQuery, call %d of thread 1, at ')
        self.assertEqual(len(errors), 2)
        for number, error in zip((2, 3), errors):
            self.assertTrue(error.startswith('cushim mock: ' + misuse % number), error)

    def test_leaks_are_printed_if_asked_for(self):
        settings = 'quiet = yes\nleaks = report'
        self.assertEqual(run(LIBRARY, 'cuInit', CUSHIM_MOCK_SETTINGS=settings)[1], [])
        errors = run(LIBRARY, 'cuInit', 'stream', CUSHIM_MOCK_SETTINGS=settings)[1]
        self.assertEqual([line for line in errors if line[0] != ' '],
                         ['cushim: warning: CUSHIM-leak-context: context#1 is never destroyed',
                          'cushim: warning: CUSHIM-leak-stream: stream#1 is never destroyed'])
        self.assertEqual(run(LIBRARY, 'cuInit', 'stream', CUSHIM_MOCK_SETTINGS='quiet = yes')[1],
                         [])


class Faults(unittest.TestCase):
    """Fault rules in the environment, for a program that knows nothing of them."""

    def test_calls_fail_by_the_rules_and_others_do_not(self):
        output, errors = run(LIBRARY, 'cuInit', 'cuInit', 'cuDriverGetVersion', 'cuInit',
                             CUSHIM_MOCK_SETTINGS='quiet = yes\nfault = cuInit:nth=2 => '
                             'return(NO_DEVICE)')
        self.assertEqual(output, ['cuInit 0', 'cuInit 100', 'cuDriverGetVersion 1', 'cuInit 0'])
        self.assertEqual(errors, [])

    def test_rules_that_never_fired_are_reported_at_the_end(self):
        settings = ('quiet = yes\nfault = cuInit:nth=3 => return(NO_DEVICE)\n'
                    'fault = cuEventQuery => hang\nfault = op.copy => hang\n'
                    'fault = cuGraph* => missing')
        self.assertEqual(run(LIBRARY, 'cuInit', 'cuInit', CUSHIM_MOCK_SETTINGS=settings)[1], [
            'cushim mock: fault cuInit:nth=3 => return(NO_DEVICE): matched 2 times, never fired',
            'cushim mock: fault cuEventQuery => hang: never matched',
            'cushim mock: fault op.copy => hang: never matched'])

    def test_missing_symbols_are_not_there(self):
        output, errors = run(LIBRARY, 'has:cuGraphLaunch', 'has:cuEventElapsedTime_v2',
                             'has:cuEventElapsedTime', 'cuGraphLaunch', 'cuInit',
                             CUSHIM_MOCK_SETTINGS='quiet = yes\nfault = cuGraph* => missing\n'
                             'fault = * => older(12.7)')
        self.assertEqual(output, ['cuGraphLaunch 0', 'cuEventElapsedTime_v2 0',
                                  'cuEventElapsedTime 1', 'cuGraphLaunch -1', 'cuInit 0'])
        self.assertEqual(errors, [])

    def test_init_still_says_what_this_is(self):
        errors = run(LIBRARY, 'cuInit', CUSHIM_MOCK_SETTINGS='fault = cuInit => delay(1 ms)')[1]
        self.assertEqual(len(errors), 1)
        self.assertRegex(errors[0], IDENTITY % '.*')


class Setup(unittest.TestCase):
    """Settings in the environment, and those that are refused."""

    def config(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, 'mock.conf')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return ROOT + path

    def test_settings_come_from_a_file_and_over_it_from_the_environment(self):
        path = self.config('schema = 1\ndriver_version = 11.2\nquiet = yes\n')
        output, errors = run(LIBRARY, 'has:cuMemAllocAsync', 'has:cuStreamGetId', 'cuInit',
                             CUSHIM_MOCK_CONFIG=path)
        self.assertEqual(output, ['cuMemAllocAsync 1', 'cuStreamGetId 0', 'cuInit 0'])
        self.assertEqual(errors, [])
        output, _ = run(LIBRARY, 'has:cuMemAllocAsync', CUSHIM_MOCK_CONFIG=path,
                        CUSHIM_MOCK_SETTINGS='driver_version = 10.0')
        self.assertEqual(output, ['cuMemAllocAsync 0'])

    def test_rules_of_faults_of_the_file_and_of_the_environment_all_hold(self):
        path = self.config('schema = 1\nquiet = yes\nfault = cuInit:nth=1 => return(1)\n'
                           'fault = cuInit:nth=2 => return(2)\n')
        output, _ = run(LIBRARY, 'cuInit', 'cuInit', 'cuInit', 'cuInit', CUSHIM_MOCK_CONFIG=path,
                        CUSHIM_MOCK_SETTINGS='fault = cuInit:nth=3 => return(3)')
        self.assertEqual(output, ['cuInit 1', 'cuInit 2', 'cuInit 3', 'cuInit 0'])

    def refuses(self, where, **environment):
        output, errors = run(LIBRARY, 'cuInit', 'cuDriverGetVersion', 'cuDeviceGetCount',
                             'cuEGLStreamConsumerConnect', **environment)
        self.assertEqual([line.split()[-1] for line in output], ['802'] * 4)
        self.assertEqual(len(errors), 1)
        self.assertTrue(errors[0].startswith('cushim mock: ' + where), errors[0])
        self.assertTrue(errors[0].endswith(NOT_READY), errors[0])

    def test_refused_setup_names_the_place_and_does_not_pretend_to_work(self):
        self.refuses('CUSHIM_MOCK_SETTINGS:2:8: ', CUSHIM_MOCK_SETTINGS='quiet = yes\nmode = fast')
        path = self.config('schema = 1\n\nmode  = fast\n')
        self.refuses(path + ':3:9: ', CUSHIM_MOCK_CONFIG=path)
        self.refuses('CUSHIM_MOCK_SETTINGS:1:19: ', CUSHIM_MOCK_SETTINGS='fault = cuInit => ha')

    def test_setup_that_cannot_be_read_is_refused(self):
        self.refuses('/no/such/file', CUSHIM_MOCK_CONFIG='/no/such/file')


class Processes(unittest.TestCase):
    """Ways into a process that only some systems have, and forks."""

    def test_preloaded_library_hides_what_came_later_as_well(self):
        # An emulator would use LD_PRELOAD itself; QEMU_SET_ENV passes a variable to the program.
        variable = {'LD_PRELOAD': preload(LIBRARY)}
        if 'QEMU_LD_PREFIX' in os.environ:
            variable = {'QEMU_SET_ENV': 'LD_PRELOAD=' + preload(LIBRARY)}
        output, errors = run('default', 'has:cuEventElapsedTime', 'has:cuEventElapsedTime_v2',
                             'cuInit', **variable,
                             CUSHIM_MOCK_SETTINGS='quiet = yes\ndriver_version = 12.7')
        self.assertEqual(output, ['cuEventElapsedTime 1', 'cuEventElapsedTime_v2 0', 'cuInit 0'])
        self.assertEqual(errors, [])

    def test_linked_program_runs(self):
        output, errors = run(program=LINKED, LD_LIBRARY_PATH=os.path.dirname(LIBRARY),
                             CUSHIM_MOCK_SETTINGS='driver_version = 12.7')
        self.assertEqual(output, ['cuInit 0', 'cuDriverGetVersion 0', 'version 12070'])
        self.assertEqual(len(errors), 1)
        self.assertIn('12.7', errors[0])

    def test_child_does_not_repeat_what_its_parent_did(self):
        output, errors = run(LIBRARY, 'cuInit', 'garbage', 'fork', 'cuDeviceGetCount',
                             CUSHIM_MOCK_SETTINGS='quiet = yes')
        self.assertEqual(output[-1], 'cuDeviceGetCount 3')
        self.assertEqual(len([line for line in errors if 'CUSHIM-handle-unknown' in line]), 1)


if __name__ == '__main__':
    LIBRARY, CLIENT, LINKED, VERSION = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
