# SPDX-License-Identifier: Apache-2.0
"""`cushim trace convert` of undamaged trace files."""

import decimal
import os
import random
import re
import shutil
import struct
import subprocess
import unittest

from harness import (BETWEEN, COMMAND, COPY, ENDED, GRAPH, HOST_FUNCTION, INJECTED, KERNEL,
                     OF_FUNCTION, OF_THREAD, OF_UNKNOWN, ON_DEVICE, SET,
                     TIMED, TO_DEVICE, TO_HOST, VIRTUAL, Trace, TraceTest, written)

# Bytes that names may contain, and the text that they are converted to.
NASTY = [(b'</script><b>&"\'\\', '</script><b>&"\'\\'), (b'\xff\xfe \xc3', '\ufffd\ufffd \ufffd'),
         (b'\x01\x1b[31m\n\t', '\x01\x1b[31m\n\t'),
         ('größe \U0001f600'.encode(), 'größe \U0001f600'),
         (b'\xed\xa0\x80', '\ufffd\ufffd\ufffd'), ('\u202egnp'.encode(), '\u202egnp'),
         (b'', ''), (b'x' * 500, 'x' * 500)]


def scenario():
    """Two threads, streams of two contexts, and at least one record of each kind."""
    trace = Trace(began_ns=1000, ended_ns=101000, began_unix_ns=1700000000000000000,
                  driver_version=13000, lost_calls=3, lost_work=2, untimed_work=1, call_cost_ns=70,
                  event_cost_ns=800, unknown_functions=4, process=99)
    trace.text('program', './program --size 3')
    trace.text('driver', '/usr/lib/libcuda.so.1')
    trace.thread(1, 501)
    trace.name(OF_THREAD, 501, 'main')
    trace.call('cuInit', 1500, 2000, 0)
    trace.call('cuMemAlloc_v2', 2500, 3000, 0x7000, 4096, flags=written(0))
    trace.call('cuMemAllocPitch_v2', 3100, 3200, 0x9000, 512, 500, 10, 4, flags=written(0, 1))
    trace.call('cuMemAlloc_v2', 3300, 3400, 0xdead, 1 << 40, code=2)
    trace.call('cuStreamCreate', 3500, 3600, 0x200, 1, flags=written(0))
    # Calls that nest three levels deep.
    trace.call('cuCtxSynchronize', 4000, 9000)
    trace.call('cuStreamSynchronize', 5000, 8000, 0x200)
    trace.call('cuStreamQuery', 6000, 7000, 0x200, code=600)
    trace.name(OF_FUNCTION, 0xf00, 'scale')
    trace.call('cuLaunchKernel', 10000, 11000, 0xf00, 2, 3, 4, 5, 6, 7, 88, 0x200, 0x1234, 0)
    trace.work(KERNEL, 'cuLaunchKernel', 12000, 15000, function=0xf00, grid=(2, 3, 4),
               block=(5, 6, 7), shared=88)
    trace.call('cuLaunchKernel', 20000, 21000, 0xf01, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0)
    trace.work(KERNEL, 'cuLaunchKernel', 22000, 22500, function=0xf01, stream=0,
               grid=(1, 1, 1), block=(1, 1, 1))
    trace.call('cuMemcpyHtoD_v2', 23000, 26000, 0x7000, 0x55, 4096, code=1, flags=INJECTED)
    trace.call('cuMemFree_v2', 27000, 28000, 0x7000)
    trace.call('cuMemFree_v2', 28100, 28200, 0x123456)
    trace.call('cuMemFree_v2', 28300, 28400, 0x9000, code=1)
    trace.range(1500, 30000, 'outer')
    trace.range(2000, 9500, 'inner')
    trace.range(90000, 0, 'never closed')
    # Two overlapping ranges, which the ranges of a thread cannot be.
    trace.process_range(3000, 20000, 'step 1')
    trace.process_range(10000, 40000, 'step 2')
    trace.mark(5500, 'here')
    trace.call('slot 60001', 31000, 32000, 17)
    trace.call('slot 60000', 32500, 32600, 1, 2, 3)
    trace.call('cuEventElapsedTime', 33000, 33100, 0x3f800000, 0x300, 0x301, flags=written(0))
    trace.call('cuDeviceGetCount', 33200, 33300, 2, flags=written(0))
    trace.call('cuModuleGetFunction', 34000, 34100, 0xf00, 0x400, 0x77,
               *as_words('"scale"'), flags=written(0))
    trace.call('cuEventSynchronize', 40000, 0, 0x300)
    trace.thread(2, 502)
    trace.call('cuMemcpyHtoDAsync_v2', 2000, 2600, 0x7000, 0x55, 4000, 0x201)
    trace.work(TO_DEVICE, 'cuMemcpyHtoDAsync_v2', 4000, 8000, stream=0x201, size=4000)
    trace.call('cuLaunchKernel_ptsz', 10000, 10500, 0xf00, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0)
    trace.work(KERNEL, 'cuLaunchKernel_ptsz', 30000, 31000, stream=0, function=0xf00,
               grid=(1, 1, 1), block=(1, 1, 1), context=0x101, device=1)
    for i, kind in enumerate((TO_HOST, ON_DEVICE, BETWEEN, COPY, SET, GRAPH, HOST_FUNCTION)):
        trace.call('cuMemcpyAsync', 50000 + 1000 * i, 50500 + 1000 * i, 1, 2, 300, 0x201)
        trace.work(kind, 'cuMemcpyAsync', 50600 + 1000 * i, 50900 + 1000 * i,
                   stream=0x201, size=300 if kind != GRAPH else 0)
    # Work of calls that are missing in the file, and work without times.
    trace.work(SET, 'cuMemsetD8Async', 80000, 81000)
    trace.work(SET, 'cuMemsetD8Async', 0, 0)
    trace.work(SET, 'cuMemsetD8Async', 82000, 83000)
    for data, _ in NASTY:
        trace.mark(90000, data)
    return trace


def as_words(text):
    data = text.encode('utf-8')
    data += bytes(8 - len(data) % 8)
    return struct.unpack('=%dQ' % (len(data) // 8), data)


def thread_calls(trace, number):
    return [call for call in trace.calls if call['thread'] == number]


def in_ns(time):
    value = decimal.Decimal(time) * 1000
    assert value == int(value)
    return int(value)


def spans(events):
    return [(in_ns(event['ts']), in_ns(event['ts']) + in_ns(event['dur']), event['name'])
            for event in events]


class Document:
    """Return a JSON document, with its events by track."""

    def __init__(self, document):
        self.other = document['otherData']
        self.events = document['traceEvents']
        self.names = {(one['pid'], one['tid']): one['args']['name'] for one in self.events
                      if one['name'] == 'thread_name'}
        self.processes = {one['pid']: one['args']['name'] for one in self.events
                          if one['name'] == 'process_name'}
        self.tracks = {}
        for event in self.events:
            if event['ph'] == 'X':
                track = (self.processes[event['pid']], self.names[event['pid'], event['tid']])
                self.tracks.setdefault(track, []).append(event)

    def of(self, *phases):
        return [event for event in self.events if event['ph'] in phases]


class Whole(TraceTest):
    """The trace of scenario()."""

    @classmethod
    def setUpClass(cls):
        cls.trace = scenario()

    def setUp(self):
        super().setUp()
        self.file = self.write(self.trace)

    def document(self):
        return Document(self.json(self.file)[0])

    def test_calls_of_each_thread_are_in_the_json(self):
        tracks = self.document().tracks
        for number, name in ((1, 'Thread 1 (main)'), (2, 'Thread 2')):
            wanted = [(call['began'], 100000 if call['ended'] is None else call['ended'],
                       call['name']) for call in thread_calls(self.trace, number)]
            self.assertEqual(spans(tracks['Process 99', name]), wanted)

    def test_arguments_have_names_and_tags(self):
        calls = self.document().tracks['Process 99', 'Thread 1 (main)']
        by_begin = {in_ns(event['ts']): event['args'] for event in calls}
        self.assertEqual(by_begin[1500], {'dptr': '0x7000', 'bytesize': 4096,
                                          'returned': 'CUDA_SUCCESS'})
        self.assertEqual(by_begin[2500], {'phStream': 'stream#2 0x200', 'Flags': 1,
                                          'returned': 'CUDA_SUCCESS'})
        self.assertEqual(by_begin[9000], {
            'f': 'function#1 0xf00', 'gridDimX': 2, 'gridDimY': 3, 'gridDimZ': 4, 'blockDimX': 5,
            'blockDimY': 6, 'blockDimZ': 7, 'sharedMemBytes': 88, 'hStream': 'stream#2 0x200',
            'kernelParams': '0x1234', 'extra': 'NULL', 'returned': 'CUDA_SUCCESS'})
        self.assertEqual(by_begin[19000]['hStream'], 'NULL')
        self.assertEqual(by_begin[22000]['injected'], True)
        self.assertEqual(by_begin[22000]['returned'], 'CUDA_ERROR_INVALID_VALUE')
        self.assertEqual(by_begin[31500], {'argument 0': 1, 'argument 1': 2, 'argument 2': 3,
                                           'returned': 'CUDA_SUCCESS'})
        self.assertEqual(by_begin[32000]['pMilliseconds'], '1')
        self.assertEqual(by_begin[32200]['count'], 2)
        self.assertEqual(by_begin[33000], {
            'hfunc': 'function#1 0xf00', 'hmod': 'module#1 0x400', 'name': '"scale"',
            'returned': 'CUDA_SUCCESS'})
        self.assertEqual(by_begin[39000], {'hEvent': 'event#1 0x300', 'returned': 'not'})

    def test_categories_say_what_became_of_calls(self):
        calls = self.document().tracks['Process 99', 'Thread 1 (main)']
        found = {in_ns(event['ts']): event['cat'] for event in calls}
        self.assertEqual([found[time] for time in (500, 3000, 4000, 5000, 2300, 26000, 39000)],
                         ['call', 'blocked', 'blocked', 'call', 'error', 'blocked', 'unfinished'])

    def test_work_is_on_the_tracks_of_its_streams(self):
        tracks = self.document().tracks
        first = 'Device 0, context 1'
        self.assertEqual(spans(tracks[first, 'stream 2']),
                         [(11000, 14000, 'scale'), (79000, 80000, 'set'), (81000, 82000, 'set')])
        self.assertEqual(spans(tracks[first, 'legacy default stream']),
                         [(21000, 21500, 'function#2')])
        self.assertEqual(spans(tracks['Device 1, context 2', 'default stream of thread 2']),
                         [(29000, 30000, 'scale')])
        copies = tracks[first, 'stream 1']
        self.assertEqual([event['name'] for event in copies],
                         ['copy to device', 'copy to host', 'copy on device',
                          'copy between devices', 'copy', 'set', 'graph', 'host function'])
        self.assertEqual(copies[0]['args'], {'call': 'cuMemcpyHtoDAsync_v2', 'bytes': 4000,
                                             'GB/s': decimal.Decimal('1.000')})
        self.assertEqual(tracks[first, 'stream 2'][0]['args'],
                         {'call': 'cuLaunchKernel', 'grid': [2, 3, 4], 'block': [5, 6, 7],
                          'shared_bytes': 88})

    def test_flows_lead_from_calls_to_their_work(self):
        document = self.document()
        starts = {one['id']: one for one in document.of('s')}
        found = {(one['tid'], in_ns(starts[end['id']]['ts']), in_ns(end['ts']))
                 for end in document.of('f') for one in [starts[end['id']]]}
        wanted = {(work['thread'], work['call'], work['began']) for work in self.trace.works
                  if work['timed'] and work['call'] is not None}
        self.assertEqual(found, wanted)
        self.assertEqual(len(wanted), 11)

    def test_ranges_and_marks_are_beside_the_calls(self):
        document = self.document()
        self.assertEqual(spans(document.tracks['Process 99', 'Ranges']),
                         [(500, 29000, 'outer'), (1000, 8500, 'inner'),
                          (89000, 100000, 'never closed')])
        marks = [(in_ns(one['ts']), one['name']) for one in document.of('i')]
        self.assertEqual(marks, [(4500, 'here')] + [(89000, text) for _, text in NASTY])

    def test_ranges_of_the_process_overlap(self):
        document = self.document()
        ends = {one['id']: in_ns(one['ts']) for one in document.of('e')}
        wanted = [(2000, 19000, 'step 1'), (9000, 39000, 'step 2')]
        self.assertEqual([(in_ns(one['ts']), ends[one['id']], one['name'])
                          for one in document.of('b')], wanted)
        [track] = [one for one in self.html(self.file)['tracks'] if one['name'] == 'Process ranges']
        self.assertEqual([(one['began'], one['ended'], one['name']) for one in track['events']],
                         wanted)

    def test_memory_is_what_succeeded_and_was_not_freed(self):
        document = self.document()
        self.assertEqual([(in_ns(one['ts']), one['args']['bytes']) for one in document.of('C')],
                         [(2000, 4096), (2200, 4096 + 5120), (27000, 5120)])

    def test_header_is_in_the_json(self):
        other = self.document().other
        self.assertEqual(other, {
            'program': './program --size 3', 'driver': '/usr/lib/libcuda.so.1',
            'driver_version': 13000, 'process': 99, 'clock': 'host', 'ended': True,
            'device_times': True, 'began_unix_ns': '1700000000000000000', 'duration_ns': 100000,
            'lost_calls': 3, 'lost_work': 2, 'untimed_work': 1, 'unknown_functions': 4,
            'call_cost_ns': 70, 'event_cost_ns': 800, 'damage': '',
            'unknown_names': []})

    def test_page_holds_the_events_of_the_json(self):
        document, page = self.document(), self.html(self.file)
        self.assertEqual([(track['kind'], track['name'], track['group'])
                          for track in page['tracks']],
                         [('ranges', 'Ranges', 'Process 99'),
                          ('thread', 'Thread 1 (main)', 'Process 99'),
                          ('ranges', 'Ranges', 'Process 99'), ('thread', 'Thread 2', 'Process 99'),
                          ('ranges', 'Process ranges', 'Process 99'),
                          ('stream', 'legacy default stream', 'Device 0, context 1'),
                          ('stream', 'stream 1', 'Device 0, context 1'),
                          ('stream', 'stream 2', 'Device 0, context 1'),
                          ('stream', 'default stream of thread 2', 'Device 1, context 2'),
                          ('counter', 'device memory', 'Memory')])
        calls = [(track['name'], event) for track in page['tracks'] if track['kind'] == 'thread'
                 for event in track['events']]
        flows = {(one['pid'], one['tid'], one['ts']): one['id'] for one in document.of('f')}
        starts = {one['id']: in_ns(one['ts']) for one in document.of('s')}
        for track in page['tracks']:
            if track['kind'] not in ('thread', 'stream'):
                continue
            events = document.tracks[track['group'], track['name']]
            self.assertEqual([(one['began'], one['ended'], one['name'], one['class'])
                              for one in track['events']],
                             [(*span, event['cat']) for span, event in zip(spans(events), events)])
            for one, event in zip(track['events'], events):
                flow = flows.get((event['pid'], event['tid'], event['ts']))
                self.assertEqual(calls[one['link'] - 1][1]['began'] if one['link'] else None,
                                 starts[flow] if flow else None)
        self.assertEqual(page['tracks'][-1]['events'], [(2000, 4096), (2200, 9216), (27000, 5120)])
        self.assertEqual([page['program'], page['duration_ns'], page['process'], page['ended']],
                         ['./program --size 3', 100000, 99, True])

    def test_page_says_what_is_known_of_events(self):
        tracks = {track['name']: track for track in self.html(self.file)['tracks']}
        details = {event['began']: event['detail']
                   for event in tracks['Thread 1 (main)']['events']}
        self.assertEqual(details[1500], 'dptr=0x7000, bytesize=4096')
        self.assertEqual(details[2300], 'bytesize=1099511627776 -> CUDA_ERROR_OUT_OF_MEMORY')
        self.assertEqual(details[22000], 'dstDevice=0x7000, ByteCount=4096 '
                                         '-> CUDA_ERROR_INVALID_VALUE (injected)')
        self.assertEqual(details[33000], 'hfunc=function#1, hmod=module#1, name=""scale""')
        self.assertEqual(tracks['stream 2']['events'][0]['detail'],
                         'grid 2 x 3 x 4, block 5 x 6 x 7, 88 bytes of shared memory')
        self.assertEqual(tracks['stream 1']['events'][0]['detail'], '4000 bytes')

    def test_page_sums_up_the_functions(self):
        page = self.html(self.file)
        wanted = {}
        for call in self.trace.calls:
            row = wanted.setdefault(call['name'], [0, 0, 0, 0, 0])
            took = (100000 if call['ended'] is None else call['ended']) - call['began']
            row[0] += 1
            row[1] += took
            row[2] += call['code'] not in (0, 600)
            row[3] += took if call['name'] in (
                'cuCtxSynchronize', 'cuStreamSynchronize', 'cuEventSynchronize', 'cuMemFree_v2',
                'cuMemcpyHtoD_v2') else 0
            row[4] = max(row[4], took)
        found = {page['names'][row[0]]: row[1:] for row in page['summary']}
        for name, row in wanted.items():
            self.assertEqual(found.pop(name), row)
        self.assertEqual(found, {})

    def test_summary_has_the_figures(self):
        _, summary = self.json(self.file)
        for line in ('Program: ./program --size 3', 'Driver: /usr/lib/libcuda.so.1 (CUDA 13.0)',
                     'Duration: 100.000 us, 2 threads',
                     '  cuMemcpyHtoD_v2 returned CUDA_ERROR_INVALID_VALUE: 1, first at 22.000 us',
                     '  copy to device: 1 in 4.000 us, 4000 bytes, 1.000 GB/s',
                     '  Device 0, context 1, stream 2: busy 5.000 us (5.0 %)',
                     '  Device 0, context 1: idle 28.100 us from 21.500 us on',
                     'Missing: 1 call did not return',
                     'Missing: 3 calls did not fit: give a larger --buffer, or make room on the '
                     'disk',
                     'Missing: 2 pieces of work did not fit: give a larger --buffer, or make room '
                     'on the disk',
                     'Missing: 1 piece of work could not be timed',
                     'Missing: 4 functions came from cuGetProcAddress that cushim does not know',
                     'Recording a call takes 70 ns.'):
            self.assertIn(line + '\n', summary)
        self.assertRegex(summary, r'(?m)^29 calls, blocked 70\.200 us  ')
        self.assertRegex(summary, r'(?m)^  scale +2 +4\.000 us +2\.000 us +3\.000 us$')
        self.assertRegex(summary, r'(?m)^  cuEventSynchronize +1( +61\.000 us){3}$')
        self.assertLessEqual(max(map(len, summary.splitlines())), 100)
        self.assertNotIn('Damaged', summary)
        self.assertNotIn('has not ended', summary)


class Special(TraceTest):

    def test_json_goes_to_standard_output(self):
        path = self.write(scenario())
        run = self.run_convert(path, '-')
        self.assertEqual(run.returncode, 0)
        self.assertEqual(run.stdout, self.convert(path, 'out.json')[0])
        default = subprocess.run([COMMAND, 'trace', 'convert', path], capture_output=True,
                                 check=True)
        self.assertEqual(default.stdout, run.stdout)

    def test_trace_without_records(self):
        path = self.write(Trace())
        document, summary = self.json(path)
        self.assertEqual({event['ph'] for event in document['traceEvents']}, {'M'})
        self.assertEqual(self.html(path)['tracks'], [])
        self.assertIn('Duration: 0 ns, 0 threads\n', summary)

    def test_nasty_names_everywhere(self):
        for data, text in NASTY:
            trace = Trace()
            trace.text('program', data)
            trace.text('driver', data)
            trace.thread(1)
            trace.name(OF_THREAD, 1001, data)
            trace.name(OF_FUNCTION, 0xf00, data)
            trace.call('cuLaunchKernel', 10, 20, 0xf00)
            trace.work(KERNEL, 'cuLaunchKernel', 30, 40, function=0xf00)
            path = self.write(trace)
            document, summary = self.json(path)
            self.assertEqual(document['otherData']['program'], text)
            self.assertIn(text, [event['name'] for event in document['traceEvents']
                                 if event['ph'] == 'X'])
            page = self.html(path)
            self.assertEqual(page['driver'], text)
            self.assertIn(text, page['names'])
            self.assertNotIn('\x1b', summary)
            self.assertNotIn('\u202e', summary)

    def test_process_that_did_not_end_ends_with_its_last_record(self):
        trace = Trace(flags=0)
        trace.thread(1)
        trace.call('cuInit', 10, 20, 0)
        trace.call('cuCtxSynchronize', 30, 0)
        trace.thread(2)
        trace.call('cuInit', 10, 200, 0)
        path = self.write(trace)
        document, summary = self.json(path)
        self.assertEqual(document['otherData']['duration_ns'], 200)
        self.assertFalse(document['otherData']['ended'])
        self.assertFalse(document['otherData']['device_times'])
        self.assertEqual(spans(Document(document).tracks['Process 4711', 'Thread 1'])[1],
                         (30, 200, 'cuCtxSynchronize'))
        self.assertIn('The process has not ended the trace', summary)
        self.assertIn('was not timed', summary)

    def test_clock_that_stands_still_links_work_in_order(self):
        trace = Trace(flags=ENDED | TIMED | VIRTUAL)
        trace.thread(1)
        for i in range(200):
            trace.call('cuLaunchKernel', 10, 10, 0xf00 + i)
            trace.work(KERNEL, 'cuLaunchKernel', 20 + i, 21 + i, function=0xf00 + i)
            trace.call('cuMemsetD8Async', 10, 10, 1, 2, 3, 0x200)
        path = self.write(trace)
        [stream] = [track for track in self.html(path)['tracks'] if track['kind'] == 'stream']
        self.assertEqual([event['link'] for event in stream['events']],
                         [1 + 2 * i for i in range(200)])
        self.assertEqual(self.json(path)[0]['otherData']['clock'], 'virtual')

    def test_times_that_contradict_each_other_are_made_to_nest(self):
        trace = Trace(flags=0)
        trace.thread(1)
        trace.call('cuInit', 100, 200, 0)
        trace.call('cuInit', 150, 300, 0)
        trace.call('cuInit', 50, 60, 0)
        trace.range(10, 30, 'a')
        trace.range(20, 40, 'b')
        trace.work(SET, 'cuInit', 500, 600)
        trace.work(SET, 'cuInit', 550, 700)
        tracks = Document(self.json(self.write(trace))[0]).tracks  # validated
        self.assertEqual([span[:2] for span in spans(tracks['Process 4711', 'Thread 1'])],
                         [(100, 200), (150, 200), (150, 150)])
        self.assertEqual([span[:2] for span in spans(tracks['Process 4711', 'Ranges'])],
                         [(10, 30), (20, 30)])
        self.assertEqual([span[:2] for span in spans(tracks['Device 0, context 1', 'stream 1'])],
                         [(500, 600), (600, 700)])

    def test_usage(self):
        path = self.write(Trace())
        for output, status, problem in (
                ('out.txt', 64, '--output must end in .json or .html'),
                ('', 64, '--output must end in .json or .html'),
                (self.path('missing/out.json'), 1, 'The timeline could not be written to')):
            run = self.run_convert(path, output)
            self.assertEqual(run.returncode, status, run.stderr)
            self.assertIn(problem.encode(), run.stderr)


def random_trace(seed):
    """Nested calls of several threads, which queue work on several streams."""
    source = random.Random(seed)
    trace = Trace(began_ns=source.randrange(1 << 40), flags=TIMED)
    functions = ['cuLaunchKernel', 'cuMemcpyHtoDAsync_v2', 'cuStreamSynchronize', 'cuInit',
                 'cuCtxSynchronize', 'cuStreamQuery']
    free = {}
    for number in range(1, source.randrange(2, 6)):
        trace.thread(number)
        now = trace.began + source.randrange(1000)
        for _ in range(source.randrange(1, 300)):
            name = source.choice(functions)
            began, now = now, now + source.randrange(1, 5000)
            trace.call(name, began, now, 0xf00, code=source.choice([0, 0, 0, 1, 600, 999, 77777]))
            inner = source.randrange(began, now)
            if name.startswith(('cuLaunch', 'cuMemcpy')):
                stream = source.choice([0x200, 0x201, 0x202])
                start = max(free.get(stream, 0), now)
                free[stream] = start + source.randrange(3000)
                trace.work(KERNEL if 'Launch' in name else TO_DEVICE, name, start, free[stream],
                           stream=stream, size=source.randrange(1000),
                           function=source.randrange(1, 4))
            if source.random() < 0.3:
                trace.call('cuEventSynchronize', inner, source.randrange(inner, now) + 1, 5)
            now += source.randrange(100)
    return trace


class Kernels(TraceTest):
    """Kernels with C++ names, demangled by a c++filt that the test puts on PATH."""

    # The second contains a newline, and the third is not mangled.
    NAMES = ['_Z5scaleIfEvPT_f', '_Z1av\n_Z1bv', 'plain', '_Z3addPii', '_Z']
    UPPER = 'tr a-z A-Z'

    def launches(self, names):
        trace = Trace(ended_ns=1000000)
        trace.thread(1)
        for i, name in enumerate(names):
            trace.name(OF_FUNCTION, 0xf00 + i, name)
            trace.call('cuLaunchKernel', 100 * i, 100 * i + 10, 0xf00 + i, 1, 1, 1, 1, 1, 1, 0, 0)
            trace.work(KERNEL, 'cuLaunchKernel', 100 * i + 20, 100 * i + 30,
                       function=0xf00 + i, grid=(1, 1, 1), block=(1, 1, 1))
        return self.write(trace)

    def names(self, path, script=None, folder=None):
        """Return the names and symbols of the kernels when c++filt is this script."""
        folder = folder or self.path('bin')
        os.makedirs(folder, exist_ok=True)
        if script:
            with open(os.path.join(folder, 'c++filt'), 'w', encoding='ascii') as file:
                file.write('#!/bin/sh\nPATH=/usr/bin:/bin\n%s\n' % script)
            os.chmod(file.name, 0o755)
        document, self.summary = self.json(path, PATH=folder)
        works = [event for event in document['traceEvents'] if event.get('cat') == 'kernel']
        return ([work['name'] for work in works], [work['args'].get('symbol') for work in works])

    def test_only_names_of_cpp_are_asked_for_and_each_is_a_line(self):
        path = self.launches(self.NAMES)
        names, symbols = self.names(path, 'tee %s | %s' % (self.path('asked'), self.UPPER))
        with open(self.path('asked'), encoding='ascii') as file:
            self.assertEqual(file.read(), '_Z5scaleIfEvPT_f\n_Z3addPii\n_Z\n')
        self.assertEqual(names, ['_Z5SCALEIFEVPT_F', self.NAMES[1], 'plain', '_Z3ADDPII', '_Z'])
        self.assertEqual(symbols, ['_Z5scaleIfEvPT_f', None, None, '_Z3addPii', None])
        self.assertIn('_Z5SCALEIFEVPT_F', self.summary)

    def test_page_shows_both_names(self):
        path = self.launches(self.NAMES)
        self.names(path, self.UPPER)
        [track] = [one for one in self.html(path, PATH=self.path('bin'))['tracks']
                   if one['kind'] == 'stream']
        self.assertEqual([(one['name'], one['detail'].split(', ')[2:]) for one in track['events']],
                         [('_Z5SCALEIFEVPT_F', ['_Z5scaleIfEvPT_f']), (self.NAMES[1], []),
                          ('plain', []), ('_Z3ADDPII', ['_Z3addPii']), ('_Z', [])])

    def test_the_result_of_a_template_is_left_out(self):
        names, _ = self.names(self.launches(['_Z1a', '_Z1b']), 'echo "void a<int>(int)"; echo b')
        self.assertEqual(names, ['a<int>(int)', 'b'])

    def test_names_stay_if_the_tool_misses_or_fails(self):
        path = self.launches(self.NAMES)
        for script in (None, 'exit 0', 'tr a-z A-Z | head -n 2', 'echo more; tr a-z A-Z',
                       'tr a-z A-Z; exit 1', 'kill -9 $$', 'tr "\\n" "\\000"'):
            with self.subTest(script=script):
                self.assertEqual(self.names(path, script), (self.NAMES, [None] * 5))

    def test_a_tool_that_reads_nothing_does_no_harm(self):
        names = ['_Z%d%s' % (300 + i, 'x' * 300) for i in range(1000)]
        path = self.launches(names)
        self.assertEqual(self.names(path, 'exec <&-; exit 0')[0], names)

    def test_the_tool_of_this_system(self):
        found = shutil.which('c++filt')
        if not found:
            self.skipTest('no c++filt is installed')
        names, _ = self.names(self.launches(self.NAMES), folder=os.path.dirname(found))
        self.assertEqual(names, ['scale<float>(float*, float)', self.NAMES[1], 'plain',
                                 'add(int*, int)', '_Z'])


class Unknown(TraceTest):
    def test_ten_functions_are_named_once(self):
        names = ['cuNew%d' % i for i in range(11)] + ['cu\nEvil']
        trace = Trace(ended_ns=1000, unknown_functions=13)
        trace.thread(1)
        for i, name in enumerate(names[-1:] + names[:-1]):
            trace.name(OF_UNKNOWN, 0x1000 + i, name)
        trace.name(OF_UNKNOWN, 0x1000, 'cu\nEvil')
        path = self.write(trace)
        document, summary = self.json(path)
        self.assertEqual(document['otherData']['unknown_names'], names[-1:] + names[:9])
        self.assertEqual(self.html(path)['unknown_names'], names[-1:] + names[:9])
        lines = summary.splitlines()
        at = lines.index('Missing: 13 functions came from cuGetProcAddress that cushim does not '
                         'know')
        self.assertRegex(lines[at + 1], r'^  cu\S*Evil, cuNew0, .*cuNew8$')
        self.assertLessEqual(max(map(len, lines)), 100)


class Random(TraceTest):

    def test_figures_of_random_traces(self):
        for seed in range(20):
            with self.subTest(seed=seed):
                self.check(random_trace(seed))

    def check(self, trace):
        path = self.write(trace)
        document, summary = self.json(path)
        page = self.html(path)
        duration = max([call['ended'] for call in trace.calls]
                       + [work['ended'] for work in trace.works])
        self.assertEqual(document['otherData']['duration_ns'], duration)
        found = [(track['name'], event['began'], event['ended'], event['name'])
                 for track in page['tracks'] if track['kind'] == 'thread'
                 for event in track['events']]
        self.assertEqual(found, [('Thread %d' % call['thread'], call['began'], call['ended'],
                                  call['name']) for call in trace.calls])
        # Every piece of work is linked to its call.
        links = sorted((event['began'], event['ended'], found[event['link'] - 1][:2])
                       for track in page['tracks'] if track['kind'] == 'stream'
                       for event in track['events'])
        self.assertEqual(links, sorted((work['began'], work['ended'],
                                        ('Thread %d' % work['thread'], work['call']))
                                       for work in trace.works))
        blocked = 0
        for number in {call['thread'] for call in trace.calls}:
            until = 0
            for call in thread_calls(trace, number):
                if 'Synchronize' in call['name'] and call['began'] >= until:
                    blocked += call['ended'] - call['began']
                    until = call['ended']
        self.assertRegex(summary, r'(?m)^%d calls, blocked %s '
                         % (len(trace.calls), re.escape(duration_text(blocked))))
        self.check_functions(trace, page)
        self.check_streams(trace, summary, duration)

    def check_functions(self, trace, page):
        wanted = {}
        for call in trace.calls:
            row = wanted.setdefault(call['name'], [0, 0, 0])
            row[0] += 1
            row[1] += call['ended'] - call['began']
            row[2] += call['code'] not in (0, 600)
        self.assertEqual({page['names'][row[0]]: row[1:4] for row in page['summary']}, wanted)

    def check_streams(self, trace, summary, duration):
        busy = {}
        for work in trace.works:
            busy[work['stream']] = busy.get(work['stream'], 0) + work['ended'] - work['began']
        wanted = sorted('busy %s (%.1f %%)' % (duration_text(ns), 100 * ns / duration)
                        for ns in busy.values())
        self.assertEqual(sorted(re.findall(r'busy .*', summary)), wanted)
        reached, gaps = None, []
        for work in sorted(trace.works, key=lambda one: one['began']):
            if reached is not None and work['began'] > reached:
                gaps.append((work['began'] - reached, reached))
            reached = max(reached or 0, work['ended'])
        wanted = [duration_text(length) for length, _ in sorted(gaps, reverse=True)[:3]]
        self.assertEqual(re.findall(r'idle (.*) from', summary), wanted)


def duration_text(ns):
    for limit, unit in ((10**9, 's'), (10**6, 'ms'), (10**3, 'us')):
        if ns >= limit:
            return '%.3f %s' % (ns / limit, unit)
    return '%d ns' % ns


if __name__ == '__main__':
    unittest.main()
