# SPDX-License-Identifier: Apache-2.0
"""`cushim trace -- PROGRAM`: which files it writes, how it ends, and what it refuses.

Programs run on the mock. `--library` names the mock's library in the role of a real driver's.
"""

import contextlib
import os
import re
import signal
import subprocess
import unittest

import validate_json
from harness import COMMAND, TraceTest, read_html

PROGRAM = os.environ['CUSHIM_TRACED_PROGRAM']
MOCK = os.environ['CUSHIM_MOCK_LIBRARY']
COMPARED = os.environ['CUSHIM_COMPARED'].split(':')
FAILED, USAGE, NOT_EXECUTABLE, NOT_FOUND = 1, 64, 126, 127
PLAIN_CALLS = 14


def take_signals():
    """Restore the default handlers, because the tests may run with ignored signals, such as under
    nohup.
    """
    for number in signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM:
        signal.signal(number, signal.SIG_DFL)


class Command(TraceTest):
    def environment(self, **settings):
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(('CUSHIM_LIBRARY', 'CUSHIM_TRACE', 'CUSHIM_MOCK_SET',
                                        'NVTX_'))}
        return {**kept, **settings}

    def run_command(self, *words, code=0, **settings):
        """Run the command in the test's folder; return its standard output and standard error."""
        run = subprocess.run([COMMAND, *words], cwd=self.folder, env=self.environment(**settings),
                             stdin=subprocess.DEVNULL, capture_output=True, check=False,
                             timeout=300)
        self.assertEqual(run.returncode, code, run.stderr.decode())
        return run.stdout.decode(), run.stderr.decode()

    def trace(self, *words, options=(), output='run.json', code=0, **settings):
        return self.run_command('trace', '--mock', '--set', 'quiet=yes', '--output', output,
                                *options, '--', *words, code=code, **settings)

    def files(self):
        return sorted(os.listdir(self.folder))

    def read(self, name):
        with open(self.path(name), 'rb') as file:
            return file.read()

    def calls(self, data):
        document = validate_json.parse(data)
        validate_json.validate(document)
        return [event['name'] for event in document['traceEvents']
                if 'returned' in event.get('args', {})]


class Outputs(Command):
    def test_the_name_of_the_output_says_what_it_is(self):
        for name in 'run.json', 'run.html':
            _, error = self.trace(PROGRAM, 'plain', output=name)
            self.assertIn('\nWrote %s\n' % name, error)
            self.assertIn('%d calls, blocked' % PLAIN_CALLS, error)
        self.assertEqual(self.files(), ['run.html', 'run.json'])
        self.assertEqual(len(self.calls(self.read('run.json'))), PLAIN_CALLS)
        [track] = [one for one in read_html(self.read('run.html'))['tracks']
                   if one['kind'] == 'thread']
        self.assertEqual(track['count'], PLAIN_CALLS)

    def test_the_default_is_a_page(self):
        self.run_command('trace', '--mock', '--set', 'quiet=yes', PROGRAM, 'plain')
        self.assertEqual(self.files(), ['cushim-trace.html'])
        read_html(self.read('cushim-trace.html'))

    def test_quiet_prints_nothing(self):
        _, error = self.run_command('trace', '--mock', '--quiet', PROGRAM, 'plain')
        self.assertEqual(error, '')
        self.assertEqual(self.files(), ['cushim-trace.html'])

    def test_each_process_has_a_file(self):
        self.trace(PROGRAM, 'fork', output='run.html')
        self.assertEqual(len(self.files()), 2)
        for name in self.files():
            process = re.fullmatch(r'run\.(\d+)\.html', name)
            self.assertEqual(read_html(self.read(name))['process'], int(process[1]))

    def test_an_output_in_another_folder_is_found(self):
        os.mkdir(self.path('sub folder'))
        self.trace(PROGRAM, 'plain', output='sub folder/run.json')
        self.assertEqual(os.listdir(self.path('sub folder')), ['run.json'])

    def test_options_reach_the_trace(self):
        self.trace(PROGRAM, 'plain', options=['--calls', 'cuInit,cuMemFree'])
        self.assertEqual(self.calls(self.read('run.json')), ['cuInit', 'cuMemFree_v2'])
        _, error = self.trace(PROGRAM, 'plain', options=['--delay', '100 s'])
        self.assertIn('No call was recorded: ', error)
        self.trace(PROGRAM, 'profiler', options=['--from-profiler'])
        self.assertEqual(self.calls(self.read('run.json')), ['cuCtxGetDevice', 'cuProfilerStop'])

    def test_the_output_of_a_program_is_its_own(self):
        out, _ = self.trace('sh', '-c', 'echo out; cat >&2; "$0" plain', PROGRAM)
        self.assertEqual(out, 'out\n')
        self.assertEqual(self.files(), ['run.json'])


class Ends(Command):
    """The exit status, and the handling of signals."""

    def test_status_is_that_of_the_program(self):
        for status in 0, 1, 7, 127, 255:
            self.trace('sh', '-c', '"$0" plain; exit %d' % status, PROGRAM, code=status)
            self.assertEqual(len(self.calls(self.read('run.json'))), PLAIN_CALLS)
            os.remove(self.path('run.json'))

    def test_a_program_that_is_killed_is_converted(self):
        _, error = self.trace(PROGRAM, 'killed', '1000', code=128 + signal.SIGKILL)
        self.assertEqual(self.calls(self.read('run.json')).count('cuDeviceGet'), 1000)
        self.assertIn('has not ended the trace', error)

    @contextlib.contextmanager
    def waiting(self):
        """Start the command in a new process group, with a program that waits."""
        with subprocess.Popen([COMMAND, 'trace', '--mock', '--set', 'quiet=yes',
                               '--output', 'run.json', '--',
                               PROGRAM, 'waits'], cwd=self.folder, env=self.environment(),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, start_new_session=True,
                              preexec_fn=take_signals) as process:
            try:
                self.assertEqual(process.stdout.readline(), b'ready\n')
                yield process
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)

    def test_ctrl_c_ends_the_program_and_the_trace_is_converted(self):
        for number in signal.SIGINT, signal.SIGQUIT:
            with self.waiting() as process:
                os.killpg(process.pid, number)
                self.assertEqual(process.wait(300), 128 + number)
            self.assertIn('cuCtxSetCurrent', self.calls(self.read('run.json')))
            os.remove(self.path('run.json'))

    def test_signals_for_the_command_are_passed_on(self):
        for number in signal.SIGTERM, signal.SIGHUP:
            with self.waiting() as process:
                process.send_signal(number)
                self.assertEqual(process.wait(300), 128 + number)
            self.assertIn('cuCtxSetCurrent', self.calls(self.read('run.json')))
            os.remove(self.path('run.json'))

    def test_signals_end_the_conversion(self):
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            # The command blocks until the page is read, because the page is larger than a pipe's
            # buffer.
            os.mkfifo(self.path('run.html'))
            with subprocess.Popen([COMMAND, 'trace', '--mock', '--set', 'quiet=yes',
                                   '--output', 'run.html',
                                   '--', PROGRAM, 'plain'], cwd=self.folder,
                                  env=self.environment(), stderr=subprocess.DEVNULL,
                                  preexec_fn=take_signals) as process:
                with open(self.path('run.html'), 'rb') as page:
                    self.assertNotEqual(page.read(1), b'')
                    process.send_signal(number)
                    page.read()
                self.assertEqual(process.wait(300), -number)
            [name] = [name for name in self.files() if name.endswith('.trace')]
            os.remove(self.path(name))
            os.remove(self.path('run.html'))

    def test_the_trace_of_a_process_that_goes_on_stays(self):
        _, error = self.trace(PROGRAM, 'daemon')
        [name] = [name for name in self.files() if name.endswith('.trace')]
        process = int(name.split('.')[-2])
        try:
            self.assertIn('process %d still runs, and its trace goes on in %s\n' %
                          (process, self.path(name)), error)
        finally:
            os.kill(process, signal.SIGKILL)
        self.assertIn('cuInit', self.calls(self.run_command('trace', 'convert', name)[0].encode()))

    def test_a_signal_that_comes_at_once_is_passed_on(self):
        self.trace('sh', '-c', 'kill -TERM $PPID; exec sleep 300', code=128 + signal.SIGTERM)


class Refusals(Command):
    def test_a_program_that_is_not_there(self):
        for word in 'cushim-no-such-program', '/nowhere/program':
            _, error = self.trace(word, code=NOT_FOUND)
            self.assertIn("The program '%s' was not found." % word, error)
        _, error = self.trace('/tmp', code=NOT_EXECUTABLE)
        self.assertIn("The program '/tmp' cannot be executed: ", error)
        self.assertEqual(self.files(), [])

    def test_nothing_starts_where_something_is_wrong(self):
        for options, output, code in ((['--delay', 'soon'], 'run.json', USAGE),
                                      (['--buffer', '0'], 'run.json', USAGE),
                                      (['--calls', 'c' * 2000], 'run.json', USAGE),
                                      (['--calls', 'cuInit, cuNone'], 'run.json', USAGE),
                                      (['--from-profiler', '--delay', '1s'], 'run.json', USAGE),
                                      (['--set', 'devices=-1'], 'run.json', USAGE),
                                      (['--fault', 'cuNo => hang'], 'run.json', USAGE),
                                      ([], 'run.txt', USAGE), ([], '.json', USAGE),
                                      ([], '-', USAGE), ([], 'x' * 236 + '.json', FAILED),
                                      ([], '/nowhere/run.json', FAILED),
                                      ([], '/proc/run.json', FAILED)):
            with self.subTest(options=options, output=output):
                self.trace('touch', 'started', options=options, output=output, code=code)
                self.assertEqual(self.files(), [])

    def test_a_driver_that_is_named_and_missing(self):
        _, error = self.run_command('trace', '--library', '/nowhere/libcuda.so.1', '--', 'touch',
                                    'started', code=2)
        self.assertIn('/nowhere/libcuda.so.1', error)
        self.assertEqual(self.files(), [])

    def test_what_cannot_be_converted_stays(self):
        os.mkdir(self.path('run.json'))
        _, error = self.trace(PROGRAM, 'plain', code=FAILED)
        [name] = [name for name in self.files() if name.endswith('.trace')]
        self.assertIn('the trace stays in %s\n' % self.path(name), error)
        out, _ = self.run_command('trace', 'convert', name)
        self.assertEqual(len(self.calls(out.encode())), PLAIN_CALLS)


class Untraced(Command):
    def test_a_program_without_calls(self):
        _, error = self.trace('sh', '-c', 'exit 3', code=3)
        self.assertIn('nothing was traced', error)
        self.assertEqual(self.files(), [])

    def test_where_there_is_no_driver_the_program_runs_as_before(self):
        script = 'echo "$CUSHIM_TRACE,$LD_LIBRARY_PATH,$CUSHIM_LIBRARY"; exit 5'
        settings = {'CUSHIM_LIBRARY': 'none', 'LD_LIBRARY_PATH': '/mine'}
        out, error = self.run_command('trace', '--', 'sh', '-c', script, code=5, **settings)
        self.assertEqual(out, ',/mine,none\n')
        self.assertIn('nothing is traced, as there is no driver: ', error)
        self.assertEqual(self.files(), [])


class Drivers(Command):
    """The library over a driver; the driver is the mock's library, given by its path."""

    def test_faults_over_a_driver(self):
        rule = 'cuMemsetD8Async => return(LAUNCH_FAILED)'
        words = ['run', '--real', '--library', MOCK]
        settings = {'CUSHIM_MOCK_SETTINGS': 'quiet = yes'}
        self.run_command(*words, '--', PROGRAM, 'plain', **settings)
        _, error = self.run_command(*words, '--fault', rule, '--', PROGRAM, 'plain', code=1,
                                    **settings)
        self.assertEqual(error, 'cuMemsetD8Async: 719\n')
        _, error = self.run_command(*words, '--fault', 'cuCtxDestroy => return(999)', '--', PROGRAM,
                                    'plain', **settings)
        self.assertIn('cushim: fault ', error)
        self.assertEqual(self.files(), [])

    def test_a_trace_over_a_driver_shows_its_faults(self):
        _, error = self.run_command(
            'trace', '--library', MOCK, '--output', 'run.json', '--fault',
            'cuMemsetD8Async => return(LAUNCH_FAILED)', '--', PROGRAM, 'plain', code=1,
            CUSHIM_MOCK_SETTINGS='quiet = yes')
        self.assertIn('cuMemsetD8Async returned CUDA_ERROR_LAUNCH_FAILED', error)
        self.assertEqual(validate_json.parse(self.read('run.json'))['otherData']['clock'], 'host')
        self.assertEqual(self.files(), ['run.json'])

    def test_ranges_go_to_the_library_unless_the_user_has_named_another(self):
        out, _ = self.trace('sh', '-c', 'echo "$NVTX_INJECTION64_PATH"')
        self.assertEqual(os.path.realpath(out.strip()), os.path.realpath(MOCK))
        out, _ = self.trace('sh', '-c', 'echo "$NVTX_INJECTION64_PATH"',
                            NVTX_INJECTION64_PATH='/mine/injection.so')
        self.assertEqual(out, '/mine/injection.so\n')
        self.trace(PROGRAM, 'ranges')
        events = validate_json.parse(self.read('run.json'))['traceEvents']
        self.assertIn('\u2713 inner', [event['name'] for event in events])


class Programs(Command):
    def test_programs_do_the_same_as_without_a_trace(self):
        traced = 0
        # In mode auto, no thread of the mock influences the times that the programs print.
        settings = {'CUSHIM_MOCK_SETTINGS': 'mode = auto'}
        for program in COMPARED:
            with self.subTest(program=os.path.basename(program)):
                plain = subprocess.run([COMMAND, 'run', '--quiet', '--', program],
                                       cwd=self.folder, env=self.environment(**settings),
                                       capture_output=True, check=False, timeout=300)
                out, error = self.trace(program, code=plain.returncode, **settings)
                self.assertEqual(out, plain.stdout.decode())
                # Only `cushim run` checks the program.
                said = re.sub(r'^cushim: \w+: CUSHIM-.*\n(?:  .*\n)*', '', plain.stderr.decode(),
                              flags=re.MULTILINE)
                self.assertTrue(error.startswith(said), error)
                self.assertNotIn('nothing was traced', error)
                traced += 1
        self.assertGreater(traced, 4)


if __name__ == '__main__':
    unittest.main()
