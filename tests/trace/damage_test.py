# SPDX-License-Identifier: Apache-2.0
"""Trace files that are cut off, overwritten or not traces: the damage is reported, and the rest is
converted.
"""

import struct
import unittest

from harness import KERNEL, Trace, TraceTest

HEADER, CHUNK, CHUNK_HEAD, RECORD = 8192, 16384, 16, 32
DAMAGED = 'Damaged: at byte %d the file is damaged or cut off'


def long_trace(calls=3000):
    """Two threads of several chunks each."""
    trace = Trace(flags=1)
    for number in (1, 2):
        trace.thread(number)
        for i in range(calls):
            trace.call('cuMemAlloc_v2', 100 * i + 10, 100 * i + 60, 0x100, 5, 6, 7, 8, 9, 10)
    return trace


class Damage(TraceTest):

    def setUp(self):
        super().setUp()
        self.file = self.write(long_trace())
        with open(self.file, 'rb') as file:
            self.data = bytearray(file.read())
        self.record = RECORD + 7 * 8
        self.in_chunk = (CHUNK - CHUNK_HEAD) // self.record

    def save(self, data, name='damaged.trace'):
        with open(self.path(name), 'wb') as file:
            file.write(data)
        return self.path(name)

    def assert_refused(self, data, problem):
        path = self.save(data)
        run = self.run_convert(path, self.path('out.json'))
        self.assertEqual((run.returncode, run.stdout), (2, b''))
        self.assertIn(('cushim: %s %s\n' % (path, problem)).encode(), run.stderr)

    def counts(self, data):
        """Return how many calls of each thread are read, and the lines of the summary about damage.
        """
        document, summary = self.json(self.save(data))
        events = [event['tid'] for event in document['traceEvents'] if event['ph'] == 'X']
        damage = [line for line in summary.splitlines() if line.startswith('Damaged: ')]
        self.assertEqual(['Damaged: ' + document['otherData']['damage']], damage or ['Damaged: '])
        page = self.html(self.path('damaged.trace'))
        self.assertEqual([track['count'] for track in page['tracks'] if track['kind'] == 'thread'],
                         [events.count(number) for number in sorted(set(events))])
        return (events.count(1), events.count(2)), damage

    def test_whole_file_has_no_damage(self):
        self.assertEqual(self.counts(self.data), ((3000, 3000), []))

    def test_what_is_no_trace_is_refused(self):
        text = 'is no trace: it does not begin with "cushim-trace"'
        for data in (b'', b'cushim', b'\x7fELF' + bytes(9000), b'cushim-tracy' + bytes(9000)):
            self.assert_refused(data, text)

    def test_cut_header_is_refused(self):
        for size in (16, 100, 4000):
            self.assert_refused(self.data[:size], 'has a header that is damaged or cut off')

    def test_other_versions_are_refused(self):
        self.data[16:20] = struct.pack('=I', 2)
        self.assert_refused(self.data, 'is of version 2, and this command reads version 1')

    def test_header_with_impossible_sizes_is_refused(self):
        for header_bytes, chunk_bytes in ((0, CHUNK), (1 << 31, CHUNK), (HEADER, 0), (HEADER, 8),
                                          (HEADER, CHUNK + 1), (HEADER, 1 << 30)):
            self.data[20:28] = struct.pack('=II', header_bytes, chunk_bytes)
            self.assert_refused(self.data, 'has a header that is damaged or cut off')

    def test_missing_and_unreadable_files(self):
        missing = self.run_convert(self.path('missing'), self.path('out.json'))
        self.assertEqual(missing.returncode, 2)
        self.assertIn(b'cannot be opened: No such file or directory', missing.stderr)
        folder = self.run_convert(self.folder, self.path('out.json'))
        self.assertEqual(folder.returncode, 2)
        self.assertIn(b'cannot be read: Is a directory', folder.stderr)

    def test_file_that_was_cut_off(self):
        # Which thread has the first chunk, and which the following ones, depends on the order in
        # which they were taken.
        (whole, other), _ = self.counts(self.data)
        end = HEADER + CHUNK + CHUNK_HEAD + 5 * self.record
        counts, damage = self.counts(self.data[:end])
        self.assertEqual(counts, (self.in_chunk + 5, 0))
        self.assertEqual(damage, [DAMAGED % end])
        counts, damage = self.counts(self.data[:end + 50])
        self.assertEqual(counts, (self.in_chunk + 5, 0))
        counts, damage = self.counts(self.data[:HEADER + 2 * CHUNK])
        self.assertEqual(counts, (2 * self.in_chunk, 0))
        self.assertEqual(damage, [DAMAGED % (HEADER + 2 * CHUNK)])
        self.assertEqual((whole, other), (3000, 3000))

    def damage_record(self, number, offset, data, size=None):
        """Overwrite a part of a record of the first chunk."""
        at = HEADER + CHUNK_HEAD + number * self.record
        self.data[at + offset:at + offset + len(data)] = data
        return at

    def assert_record_damaged(self, number, at):
        """The rest of the chunk is not read, but all other chunks are."""
        (first, second), damage = self.counts(self.data)
        self.assertEqual((first, second), (3000 - self.in_chunk + number, 3000))
        self.assertEqual(damage, [DAMAGED % at])

    def test_record_of_no_kind(self):
        at = self.damage_record(7, 0, b'\x63')
        self.assert_record_damaged(7, at)

    def test_record_that_is_too_long_for_its_chunk(self):
        at = self.damage_record(self.in_chunk - 1, 1, b'\xff')
        self.assert_record_damaged(self.in_chunk - 1, at)

    def test_work_that_is_too_short(self):
        at = self.damage_record(3, 0, b'\x02')
        self.assert_record_damaged(3, at)

    def test_name_without_an_end(self):
        for kind in (3, 4, 5):
            at = self.damage_record(3, 0, bytes([kind]))
            self.damage_record(3, RECORD, b'x' * 56)
            self.assert_record_damaged(3, at)

    def test_chunk_that_claims_too_much(self):
        self.data[HEADER + 4:HEADER + 8] = struct.pack('=I', CHUNK)
        _, damage = self.counts(self.data)
        self.assertEqual(damage, [DAMAGED % (HEADER + CHUNK)])

    def test_chunk_of_no_thread(self):
        self.data[HEADER:HEADER + 4] = bytes(4)
        counts, damage = self.counts(self.data)
        self.assertEqual(counts, (3000 - self.in_chunk, 3000))
        self.assertEqual(damage, [DAMAGED % HEADER])

    def test_chunk_that_was_taken_and_not_begun(self):
        self.data[HEADER:HEADER + 8] = bytes(8)
        self.assertEqual(self.counts(self.data), ((3000 - self.in_chunk, 3000), []))

    def test_more_chunks_than_the_file_can_have(self):
        self.data[48:64] = struct.pack('=QQ', 1 << 60, 1 << 61)
        counts, damage = self.counts(self.data)
        self.assertEqual(counts, (3000, 3000))
        chunks = -(-(len(self.data) - HEADER) // CHUNK)
        self.assertEqual(damage, [DAMAGED % (HEADER + chunks * CHUNK)])

    def test_sparse_file_of_a_process_that_was_killed(self):
        path = self.save(self.data)
        with open(path, 'r+b') as file:
            file.truncate(1 << 34)
        document, summary = self.json(path)
        self.assertEqual(sum(event['ph'] == 'X' for event in document['traceEvents']), 6000)
        self.assertNotIn('Damaged', summary)

    def test_thread_numbers_and_times_without_sense(self):
        trace = Trace(flags=0)
        trace.thread(1)
        trace.call('cuInit', 10, 20, 0)
        trace.call('cuInit', 1 << 63, 5, 0)
        trace.call('cuInit', 40, (1 << 64) - 1, 0)
        trace.work(KERNEL, 'cuInit', 1 << 63, 3)
        path = self.write(trace)
        with open(path, 'rb') as file:
            data = bytearray(file.read())
        data[HEADER:HEADER + 4] = b'\xff\xff\xff\xff'
        document, _ = self.json(self.save(data))
        self.assertEqual({event['tid'] for event in document['traceEvents']
                          if event['ph'] == 'X' and event['name'] == 'cuInit'}, {(1 << 32) - 1})


if __name__ == '__main__':
    unittest.main()
