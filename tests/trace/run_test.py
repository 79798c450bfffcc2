# SPDX-License-Identifier: Apache-2.0
"""Traces of programs on the mock, over the mock in the role of a driver, and over real drivers."""

import glob
import os
import re
import subprocess
import unittest

from harness import TraceTest

PROGRAM = os.environ['CUSHIM_TRACED_PROGRAM']
IN_PROCESS = os.environ['CUSHIM_IN_PROCESS']
MOCK = os.environ['CUSHIM_MOCK_LIBRARY']
OVER_DRIVER = os.environ['CUSHIM_OVER_DRIVER']
NEW_DRIVER = os.environ['CUSHIM_NEW_DRIVER']
# The folder where tests/drivers/fetch.sh stores them.
DRIVERS = os.environ.get('CUSHIM_DRIVERS') or os.path.join(
    os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), 'cushim', 'drivers')

# In mode `auto` the mock has no threads, so each run makes the same trace.
QUIET = 'quiet = yes\nmode = auto'

# Whether the kernel can allocate pages of the file without opening it (MADV_POPULATE_WRITE).
POPULATES = [int(part) for part in re.findall('[0-9]+', os.uname().release)[:2]] >= [5, 14]


class Run(TraceTest):
    def trace(self, library, *words, options='', code=0, program=PROGRAM, **environment):
        """Run a program with a library as its driver; return the paths of its traces."""
        variables = {**os.environ, 'CUSHIM_LIBRARY': library,
                     'LD_LIBRARY_PATH': os.path.dirname(library),
                     'CUSHIM_MOCK_SETTINGS': QUIET, 'CUSHIM_TRACE': self.path('run'),
                     'CUSHIM_TRACE_OPTIONS': options, **environment}
        for old in glob.glob(self.path('run.*')):
            os.remove(old)
        self.run_result = subprocess.run([program, *words], env=variables, capture_output=True,
                                         cwd=self.folder, check=False, timeout=300)
        self.assertEqual(self.run_result.returncode, code, self.run_result.stderr)
        return sorted(glob.glob(self.path('run.*.trace')), key=os.path.getmtime)

    def mock(self, *words, **options):
        return self.trace(MOCK, *words, **options)

    def over_mock(self, *words, **options):
        """Run a program with the library over a driver, which is the mock's library."""
        return self.trace(OVER_DRIVER, *words, CUSHIM_DRIVER=MOCK, **options)

    def document(self, path):
        return self.json(path)[0]

    def events(self, path):
        """Return the text of the events without addresses and process numbers."""
        events = self.convert(path, 'out.json')[0].decode().split('"otherData"')[0]
        process = re.search('"pid":([0-9]+)', events)[1]
        for number in (process, str(int(process) + 1)):
            events = events.replace('"pid":' + number, '').replace('Process ' + number, '')
        return re.sub('0x[0-9a-f]+', '', events)

    def calls(self, path):
        """Return the calls in a trace, by time."""
        events = [event for event in self.document(path)['traceEvents'] if event['ph'] == 'X' and
                  event['name'].startswith('cu') and 'returned' in event.get('args', {})]
        return sorted(events, key=lambda event: event['ts'])

    def works(self, path):
        """Return the work in a trace, by time."""
        events = [event for event in self.document(path)['traceEvents'] if event['ph'] == 'X' and
                  'call' in event.get('args', {})]
        return sorted(events, key=lambda event: event['ts'])


class OverMock(Run):
    """Programs on the mock, whose traces have the times of the virtual clock."""

    def test_calls_come_in_order_with_arguments_and_results(self):
        [path] = self.mock('plain')
        calls = self.calls(path)
        self.assertEqual([call['name'] for call in calls], [
            'cuDriverGetVersion', 'cuInit', 'cuDevicePrimaryCtxRetain', 'cuCtxSetCurrent',
            'cuStreamCreate', 'cuMemAlloc_v2', 'cuMemcpyHtoDAsync_v2', 'cuMemsetD8Async',
            'cuStreamSynchronize', 'cuMemcpyDtoH_v2', 'cuStreamCreate', 'cuMemFree_v2',
            'cuStreamDestroy_v2', 'cuDevicePrimaryCtxRelease_v2'])
        failed = [call for call in calls if call['args']['returned'] != 'CUDA_SUCCESS']
        self.assertEqual([(call['name'], call['args']['returned']) for call in failed],
                         [('cuStreamCreate', 'CUDA_ERROR_INVALID_VALUE')])
        self.assertEqual(calls[6]['args']['ByteCount'], 4096)

    def test_work_is_linked_to_its_call_and_lies_behind_it(self):
        [path] = self.mock('plain')
        document = self.document(path)
        flows = [event for event in document['traceEvents'] if event['ph'] in 'sf']
        works = self.works(path)
        self.assertEqual([work['args'].get('bytes') for work in works], [4096, 256, 1024])
        self.assertEqual(len(flows), 2 * len(works))
        for work in works:
            self.assertGreater(work['dur'], 0)

    def test_the_same_program_gives_the_same_trace(self):
        self.assertEqual(len({self.events(*self.mock('plain')) for _ in range(100)}), 1)

    def test_patterns_choose_the_calls(self):
        for run in (self.mock, self.over_mock):
            [path] = run('plain', options='calls = cuMem*, cuInit ,cuStreamDestroy')
            self.assertEqual({call['name'] for call in self.calls(path)}, {
                'cuInit', 'cuMemAlloc_v2', 'cuMemcpyHtoDAsync_v2', 'cuMemsetD8Async',
                'cuMemcpyDtoH_v2', 'cuMemFree_v2', 'cuStreamDestroy_v2'})

    def test_kernels_have_names_and_shapes_and_copies_have_sizes(self):
        for run in (self.mock, self.over_mock):
            [path] = run('kinds')
            kernels, copies = [], []
            for work in self.works(path):
                args = work['args']
                if 'bytes' in args:
                    copies.append((args['call'], work['name'], args['bytes']))
                else:
                    kernels.append((args['call'], work['name'], args['grid'], args['block'],
                                    args['shared_bytes']))
            self.assertEqual(sorted(kernels), [
                ('cuLaunchKernel', 'traced', [2, 3, 1], [32, 2, 1], 128),
                ('cuLaunchKernelEx', 'traced', [4, 1, 1], [8, 1, 1], 64),
                ('cuLaunchKernel_ptsz', 'traced', [5, 1, 1], [1, 1, 1], 0)])
            self.assertEqual(sorted(copies), [
                ('cuMemcpy2D_v2', 'copy', 30), ('cuMemcpy2D_v2', 'copy on device', 30),
                ('cuMemcpy2D_v2', 'copy to device', 30), ('cuMemcpy2D_v2', 'copy to host', 30),
                ('cuMemcpy3DPeer', 'copy between devices', 20),
                ('cuMemcpy3D_v2', 'copy to host', 24)])
            self.assertEqual(int(self.document(path)['otherData']['untimed_work']), 0)

    def test_names_of_kernels_that_were_looked_up_unseen_are_asked_for(self):
        for run in (self.mock, self.over_mock):
            [path] = run('kinds', options='calls = cuLaunchKernel')
            self.assertEqual([work['name'] for work in self.works(path)], ['traced'] * 2)

    def test_what_is_captured_is_no_work(self):
        [path] = self.mock('capture')
        self.assertEqual([work['args']['bytes'] for work in self.works(path)
                          if work['args'].get('bytes')], [100, 400, 500])

    def test_a_call_that_fails_is_no_work(self):
        [path] = self.mock('plain', code=1, CUSHIM_MOCK_SETTINGS=QUIET +
                           '\nfault = cuMemsetD8Async => return(LAUNCH_FAILED)')
        self.assertNotIn('set', [work['name'] for work in self.works(path)])

    def test_the_profiler_functions_switch_it_on_and_off(self):
        [path] = self.mock('profiler', options='from_profiler = on')
        self.assertEqual([call['name'] for call in self.calls(path)],
                         ['cuCtxGetDevice', 'cuProfilerStop'])

    def test_a_delay_and_a_duration_limit_it(self):
        [path] = self.mock('plain', options='delay = 150 ms\nduration = 10 s')
        names = [call['name'] for call in self.calls(path)]
        self.assertNotIn('cuInit', names)
        self.assertIn('cuStreamDestroy_v2', names)
        [path] = self.mock('plain', options='duration = 50 ms')
        self.assertEqual([call['name'] for call in self.calls(path)],
                         ['cuDriverGetVersion', 'cuInit'])

    def test_wrong_options_are_refused_by_name(self):
        for options, why in (('calls = cuInit, cuNone', 'no function is like "cuNone"'),
                             ('calls = ' + 'c' * 200, 'no function is like "cccc'),
                             ('from_profiler = on\ndelay = 1 s', 'from_profiler and delay both'),
                             ('colour = red', 'there is no setting "colour"'),
                             ('delay = soon', 'delay is a duration'),
                             ('buffer = 0', 'buffer is a size'),
                             ('device_times = maybe', 'device_times is on or off')):
            self.mock('plain', options=options, code=1)
            self.assertIn(why, self.run_result.stderr.decode())

    def test_ranges_and_marks_of_nvtx_are_in_it(self):
        [path] = self.mock('ranges', NVTX_INJECTION64_PATH=MOCK)
        events = self.document(path)['traceEvents']
        found = {event['name']: event for event in events if event['ph'] in 'Xi'}
        ends = {name: event['ts'] + event.get('dur', 0) for name, event in found.items()}
        self.assertLessEqual(found['outer']['ts'], found['\u2713 inner']['ts'])
        self.assertGreaterEqual(ends['outer'], ends['\u2713 inner'])
        self.assertGreater(ends['within'], ends['\u2713 inner'])
        self.assertGreater(ends['of the domain'], found['within']['ts'])
        self.assertGreaterEqual(ends['outer'], ends['of the domain'])
        self.assertEqual(found['registered']['ph'], 'X')
        self.assertEqual({event['name'] for event in events if event['ph'] == 'i'},
                         {'here', 'marked by attributes', '\u2713 there', 'registered'})

    def test_ranges_of_the_process_overlap_and_end_in_any_thread(self):
        [path] = self.mock('ranges', NVTX_INJECTION64_PATH=MOCK)
        found = {(event['name'], event['ph']): event['ts']
                 for event in self.document(path)['traceEvents'] if event['ph'] in 'be'}
        first, second = 'ended by a thread', 'marked by attributes'
        times = [found[first, 'b'], found[second, 'b'], found[first, 'e'], found[second, 'e']]
        self.assertEqual(times, sorted(set(times)))
        last = self.calls(path)[-1]['ts']
        self.assertLess(found['started wide', 'b'], found['started wide', 'e'])
        self.assertLessEqual(found['started wide', 'e'], last)

    def test_threads_have_the_names_that_nvtx_gives_them(self):
        [path] = self.mock('ranges', NVTX_INJECTION64_PATH=MOCK)
        names = {event['args']['name'] for event in self.document(path)['traceEvents']
                 if event['name'] == 'thread_name'}
        self.assertTrue(any('the first thread' in name for name in names), names)
        self.assertTrue(any('another thread' in name for name in names), names)


class Processes(Run):
    def test_a_child_writes_a_file_of_its_own(self):
        parent, child = sorted(self.mock('fork'), key=lambda path: -len(self.calls(path)))
        self.assertEqual([call['name'] for call in self.calls(child)], ['cuInit'])
        self.assertEqual(self.calls(parent)[-1]['name'], 'cuDevicePrimaryCtxRelease_v2')
        self.assertEqual(sum(call['name'] == 'cuInit' for call in self.calls(parent)), 1)

    def test_a_program_that_executes_another_keeps_its_trace(self):
        first, second = self.mock('exec', PROGRAM, 'plain')
        self.assertTrue(second.endswith('-2.trace') or first.endswith('-2.trace'))
        self.assertEqual({len(self.calls(first)), len(self.calls(second))}, {4, 14})

    def test_files_lie_where_the_trace_began(self):
        os.mkdir(self.path('sub'))
        child, parent = sorted(self.mock('wanders', 'sub', '3000', CUSHIM_TRACE='run'),
                               key=lambda path: len(self.calls(path)))
        self.assertEqual(os.listdir(self.path('sub')), [])
        self.assertEqual([call['name'] for call in self.calls(child)], ['cuDriverGetVersion'])
        self.assertEqual(len(self.calls(parent)), 3000 + 4)

    def test_a_file_grows_where_none_can_be_opened(self):
        [path] = self.mock('unopened', '3000')
        lost = int(self.document(path)['otherData']['lost_calls'])
        self.assertEqual(lost + len(self.calls(path)), 3000 + 4)
        if POPULATES:
            self.assertEqual(lost, 0)

    def test_what_a_killed_program_wrote_is_there(self):
        [path] = self.mock('killed', '1000', code=-9)
        document, summary = self.json(path)
        self.assertEqual(sum(call['name'] == 'cuDeviceGet' for call in self.calls(path)), 1000)
        self.assertFalse(document['otherData']['ended'])
        self.assertIn('has not ended the trace', summary)


class Threads(Run):
    COUNT, EACH = 64, 100000

    def count(self, path):
        counts = {}
        for call in self.calls(path):
            counts[call['tid']] = counts.get(call['tid'], 0) + 1
        return counts

    def test_nothing_is_lost_that_there_is_room_for(self):
        for run in (self.mock, self.over_mock):
            each = self.EACH // 100
            [path] = run('threads', str(self.COUNT), str(each))
            lost = self.document(path)['otherData']['lost_calls']
            self.assertEqual(lost, 0)
            self.assertEqual(sorted(self.count(path).values())[-self.COUNT:], [each] * self.COUNT)

    def test_work_of_all_threads_is_timed(self):
        """In mode threaded, threads of the mock execute the work and complete the records."""
        for run in (self.mock, self.over_mock):
            [path] = run('work', '16', '200', CUSHIM_MOCK_SETTINGS='quiet = yes')
            works = self.works(path)
            self.assertEqual(len(works), 16 * 200)
            self.assertEqual({work['name'] for work in works}, {'set'})
            self.assertEqual(len({work['tid'] for work in works}), 16)
            self.assertEqual(int(self.document(path)['otherData']['untimed_work']), 0)

    def test_what_is_lost_is_counted(self):
        for run in (self.mock, self.over_mock):
            [path] = run('threads', str(self.COUNT), str(self.EACH), options='buffer = 1 MiB')
            lost = int(self.document(path)['otherData']['lost_calls'])
            self.assertEqual(lost + len(self.calls(path)), self.COUNT * self.EACH + 4)


    def test_lost_work_is_not_untimed(self):
        for run in (self.mock, self.over_mock):
            [path] = run('work', '4', '1000', options='buffer = 256 KiB')
            other = self.document(path)['otherData']
            self.assertGreater(int(other['lost_work']), 0)
            self.assertEqual(int(other['untimed_work']), 0)
            self.assertEqual(int(other['lost_work']) + len(self.works(path)), 4 * 1000)

    def test_a_file_that_has_no_room_at_all_is_removed(self):
        script = 'mount -t tmpfs -o size=4k none "$0" && "$1" plain; ls "$0"'
        os.mkdir(self.path('full'))
        words = ['unshare', '-rm', 'sh', '-c', script, self.path('full')]
        if subprocess.run([*words, 'true'], capture_output=True, check=False).returncode != 0:
            self.skipTest('no file system can be mounted here')
        self.trace(MOCK, *words[1:], PROGRAM, program=words[0],
                   CUSHIM_TRACE=self.path('full/run'))
        self.assertIn(b'the trace cannot be written: ', self.run_result.stderr)
        self.assertEqual(self.run_result.stdout, b'')


class InProcess(Run):
    """A program that starts and stops its trace itself."""

    def test_what_cannot_be_traced_is_refused_at_once(self):
        [path] = self.trace(MOCK, 'refusals', self.folder, program=IN_PROCESS)
        self.assertIn('Driver: not known', self.json(path)[1])

    def test_the_same_test_gives_the_same_trace(self):
        for mode in 'auto', 'manual':
            traces = {self.events(*self.trace(MOCK, mode, self.folder, program=IN_PROCESS))
                      for _ in range(100)}
            self.assertEqual(len(traces), 1)
            self.assertEqual(traces.pop().count('"cat":"copy"'), 10)

    def test_nothing_of_the_driver_is_left_when_it_stops(self):
        """At exit one object is left, the context."""
        files = self.trace(MOCK, 'again', self.folder, program=IN_PROCESS, CUSHIM_TRACE='',
                           CUSHIM_MOCK_SETTINGS=QUIET + '\nleaks = report')
        self.assertEqual(len(files), 3)
        self.assertEqual([line for line in self.run_result.stderr.splitlines()
                          if not line.startswith(b' ')],
                         [b'cushim: warning: CUSHIM-leak-context: context#1 is never destroyed'])


class OverDriver(Run):
    """The library over a driver; the driver is the mock's library."""

    def test_calls_and_work_are_those_of_the_program(self):
        [path] = self.over_mock('plain')
        names = [call['name'] for call in self.calls(path)]
        self.assertEqual([work['args'].get('bytes') for work in self.works(path)],
                         [4096, 256, 1024])
        [mock] = self.mock('plain')
        self.assertEqual(names, [call['name'] for call in self.calls(mock)])

    def test_without_device_times_the_driver_is_asked_for_nothing_more(self):
        matched = []
        for times in 'off', 'on':
            [path] = self.over_mock('plain', options='device_times = ' + times,
                                    CUSHIM_MOCK_SETTINGS=QUIET + '\nfault = *:nth=9999 => lost')
            [count] = re.findall(rb'matched (\d+) times', self.run_result.stderr)
            matched.append(int(count) - len(self.calls(path)))
        # When the library opens the driver, it asks for the version before it begins to trace.
        self.assertEqual(matched[0], 1)
        self.assertGreater(matched[1], 1)

    def test_work_is_timed_behind_a_capture_that_was_abandoned(self):
        [path] = self.over_mock('abandoned')
        self.assertEqual(len(self.works(path)), 1)
        self.assertEqual(int(self.document(path)['otherData']['untimed_work']), 0)

    def test_a_capture_holds_what_the_program_put_there_alone(self):
        self.mock('capture', options='device_times = off')
        nodes = self.run_result.stdout
        self.over_mock('capture', options='calls = cuMemsetD8Async')
        self.assertEqual(self.run_result.stdout, nodes)
        [path] = self.over_mock('capture')
        self.assertEqual(self.run_result.stdout, nodes)
        timed = [(work['name'], work['args'].get('bytes')) for work in self.works(path)]
        self.assertEqual([size for _, size in timed if size], [100, 500])
        self.assertEqual(sum('graph' in name.lower() for name, _ in timed), 3)

    def test_faults_are_injected_and_shown(self):
        [path] = self.over_mock('plain', code=1,
                                CUSHIM_FAULTS='cuMemsetD8Async => return(LAUNCH_FAILED)')
        failed = [call for call in self.calls(path) if call['args']['returned'] != 'CUDA_SUCCESS']
        self.assertEqual([(call['name'], call['args']['returned']) for call in failed],
                         [('cuMemsetD8Async', 'CUDA_ERROR_LAUNCH_FAILED')])

    def test_what_the_driver_lacks_is_not_there(self):
        self.trace(OVER_DRIVER, 'addresses', 'cuInit', 'cuStreamGetId', 'cuGreenCtxCreate',
                   CUSHIM_DRIVER=MOCK, CUSHIM_MOCK_SETTINGS=QUIET + '\ndriver_version = 12.0')
        self.assertEqual(self.run_result.stdout.decode().splitlines(), [
            'cuInit found exported', 'cuStreamGetId found exported',
            'cuGreenCtxCreate missing hidden'])

    def test_functions_of_newer_drivers_are_named(self):
        [path] = self.trace(OVER_DRIVER, 'addresses', 'cuNewOne', 'cuInit', 'cuNew2', 'cuNewOne',
                            CUSHIM_DRIVER=NEW_DRIVER)
        other = self.document(path)['otherData']
        self.assertEqual((other['unknown_functions'], other['unknown_names']),
                         (3, ['cuNewOne', 'cuNew2']))

    def test_initialisation_is_traced_however_the_program_has_found_it(self):
        for run in (self.mock, self.over_mock):
            [path] = run('looked-up')
            self.assertEqual(self.calls(path)[-1]['name'], 'cuInit')
            self.assertEqual(self.document(path)['otherData']['unknown_functions'], 0)

    def test_a_driver_that_cannot_be_opened_is_named(self):
        self.trace(OVER_DRIVER, 'plain', CUSHIM_DRIVER='/nowhere/libcuda.so.1', code=1)
        self.assertIn(b'/nowhere/libcuda.so.1', self.run_result.stderr)


class OverRealDrivers(Run):
    """Real drivers: without a GPU, cuInit fails, and the trace shows the failed call."""

    def test_the_failing_initialisation_is_in_the_trace(self):
        # A folder may have two names for one file, of which one is a link.
        folders = {os.path.dirname(path): path
                   for path in sorted(glob.glob(os.path.join(DRIVERS, '*', 'libcuda.so.*')),
                                      reverse=True)}
        libraries, traced = sorted(folders.values()), 0
        if not libraries:
            self.skipTest('no drivers in %s: run tests/drivers/fetch.sh first' % DRIVERS)
        for library in libraries:
            with self.subTest(driver=os.path.basename(os.path.dirname(library))):
                files = self.trace(OVER_DRIVER, 'plain', CUSHIM_DRIVER=library, code=1)
                if b'cannot be used' in self.run_result.stderr:
                    continue  # needs another library, which is not here
                [path] = files
                traced += 1
                last = self.calls(path)[-1]
                self.assertEqual(last['name'], 'cuInit')
                self.assertIn(last['args']['returned'],
                              ('CUDA_ERROR_NO_DEVICE', 'CUDA_ERROR_UNKNOWN'))
        self.assertGreater(traced, 0)


if __name__ == '__main__':
    unittest.main()
