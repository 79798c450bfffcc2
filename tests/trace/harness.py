# SPDX-License-Identifier: Apache-2.0
"""Write trace files, convert them, and read the outputs."""

import base64
import json
import os
import re
import subprocess
import tempfile
import unittest

import validate_json

COMMAND = os.environ['CUSHIM_COMMAND']
WRITER = os.environ['CUSHIM_WRITE_TRACE']

ENDED, VIRTUAL, TIMED = 1, 2, 4
KERNEL, TO_DEVICE, TO_HOST, ON_DEVICE, BETWEEN, COPY, SET, GRAPH, HOST_FUNCTION = range(1, 10)
OF_FUNCTION, OF_THREAD, OF_UNKNOWN = range(3)
INJECTED = 1 << 31


def written(*indices):
    """Return the flags of a call for which the driver wrote through these arguments."""
    return sum(1 << index for index in indices)


def hexadecimal(text):
    data = text if isinstance(text, bytes) else text.encode('utf-8')
    return data.hex() or '-'


class Trace:
    """The input lines for write_trace, and the calls and work in them."""

    def __init__(self, **header):
        self.lines, self.calls, self.works = [], [], []
        self.began = header.get('began_ns', 0)
        self.current = None
        for field, value in {'process': 4711, 'flags': ENDED | TIMED, **header}.items():
            self.lines.append('header %s %d' % (field, value))

    def add(self, *words):
        self.lines.append(' '.join(map(str, words)))

    def text(self, what, text):
        self.add(what, hexadecimal(text))

    def thread(self, number, system=None):
        self.current = number
        self.add('thread', number, system or 1000 + number)

    def call(self, name, began, ended, *words, code=0, flags=0):
        self.calls.append({'thread': self.current, 'name': name, 'began': began - self.began,
                           'ended': ended - self.began if ended else None, 'code': code,
                           'words': words})
        self.add('call', name.replace('slot ', ''), began, ended, code, flags, *words)

    def work(self, kind, name, began, ended, *, context=0x100, stream=0x200, function=0, size=0,
             grid=(0, 0, 0), block=(0, 0, 0), shared=0, device=0):
        """Add work of the thread's last call, if that call is of the same function."""
        calls = [call for call in self.calls if call['thread'] == self.current][-1:]
        call = calls[0]['began'] if calls and calls[0]['name'] == name else None
        self.works.append({'kind': kind, 'name': name, 'began': began - self.began,
                           'ended': ended - self.began, 'thread': self.current,
                           'call': call,
                           'context': context, 'stream': stream, 'object': function,
                           'bytes': size, 'device': device, 'timed': bool(began or ended)})
        self.add('work', kind, name, began, ended, context, stream, function, size, *grid, *block,
                 shared, device)

    def name(self, what, number, text):
        self.add('name', what, number, hexadecimal(text))

    def range(self, began, ended, text):
        self.add('range', began, ended, hexadecimal(text))

    def process_range(self, began, ended, text):
        self.add('process-range', began, ended, hexadecimal(text))

    def mark(self, began, text):
        self.add('mark', began, hexadecimal(text))


class Varints:
    """A decoder of LEB128 numbers."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def next(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value


def read_html(data):
    """The data of a page; its member `events` has the events of each track."""
    text = data.decode('utf-8')
    [part] = re.findall(r'<script id="data" type="application/json">(.*?)</script>', text, re.S)
    [events] = re.findall(r'<script id="events" type="application/octet-stream">(.*?)</script>',
                          text, re.S)
    assert '<' not in part
    page = json.loads(part)
    numbers = Varints(base64.b64decode(events, validate=True))
    for track in page['tracks']:
        track['events'], time = [], 0
        for _ in range(track['count']):
            time += numbers.next()
            if track['kind'] == 'counter':
                coded = numbers.next()
                track['events'].append((time, coded >> 1 ^ -(coded & 1)))
                continue
            duration, name, kind, detail, link = (numbers.next() for _ in range(5))
            track['events'].append({
                'began': time, 'ended': time + duration, 'name': page['names'][name],
                'class': page['classes'][kind],
                'detail': page['details'][detail - 1] if detail else '', 'link': link})
    assert numbers.at == len(numbers.data), 'there are bytes after the events'
    return page


class TraceTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, trace, name='program.trace'):
        """Write a trace file; return its path."""
        subprocess.run([WRITER, self.path(name)], input='\n'.join(trace.lines).encode('ascii'),
                       check=True)
        return self.path(name)

    def run_convert(self, path, output, **environment):
        return subprocess.run([COMMAND, 'trace', 'convert', path, '--output', output],
                              env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                              capture_output=True, check=False, timeout=300)

    def convert(self, path, output, **environment):
        """Convert a trace; return the bytes of the output, and the summary."""
        run = self.run_convert(path, self.path(output), **environment)
        self.assertEqual((run.returncode, run.stdout), (0, b''), run.stderr)
        with open(self.path(output), 'rb') as file:
            return file.read(), run.stderr.decode('utf-8')

    def json(self, path, **environment):
        """Convert to JSON and validate it; return the document and the summary."""
        data, summary = self.convert(path, 'out.json', **environment)
        document = validate_json.parse(data)
        validate_json.validate(document)
        return document, summary

    def html(self, path, **environment):
        return read_html(self.convert(path, 'out.html', **environment)[0])
