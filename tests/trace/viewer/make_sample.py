# SPDX-License-Identifier: Apache-2.0
"""Pages of the viewer with an invented trace.

A kind is training (a training loop), large (as many events as requested), adversarial (names that
would harm a careless page), or empty. The same arguments produce the same page.
"""

import base64
import json
import os
import random
import sys

VIEWER = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../src/trace/read/viewer')
sys.path.insert(0, VIEWER)
import embed  # noqa: E402, of the folder of the viewer

CLASSES = ['call', 'blocked', 'error', 'unfinished', 'kernel', 'copy', 'set', 'graph',
           'host function', 'range', 'mark']
ADVERSARIAL = [
    '</script><script>document.title = "harmed"</script>',
    '<img src=x onerror="document.title = \'harmed\'">',
    '<!-- <script>',
    '&lt;b&gt; \\u003c "quoted" \\',
    'void cutlass::Kernel<float, ' + 'Layout<' * 300 + '>' * 300 + '>',
    'turned \u202e around\nsecond line\0',
    '\u6838\u51fd\u6570 \U0001f680 \u2028',
]


class Track:
    """A track. Events may be added in any order: (begin, duration, name, class, detail, call)."""

    def __init__(self, kind, name, group, **more):
        self.kind, self.name, self.group, self.more = kind, name, group, more
        self.events = []

    def add(self, begin, duration, name, kind, detail=None, call=None):
        event = (int(begin), int(duration), name, kind, detail, call)
        self.events.append(event)
        return event

    def sort(self):
        self.events.sort(key=lambda event: (event[0], -event[1]))


class Texts:
    def __init__(self):
        self.index = {}

    def of(self, text):
        return self.index.setdefault(text, len(self.index))


def varint(number, output):
    while number > 127:
        output.append(number & 127 | 128)
        number >>= 7
    output.append(number)


def encode(tracks, names, details):
    """Encode the events of tracks."""
    output = bytearray()
    numbers = {}
    for track in tracks:
        track.sort()
        for event in track.events if track.kind == 'thread' else []:
            numbers[id(event)] = len(numbers) + 1
    for track in tracks:
        last = 0
        for event in track.events:
            varint(event[0] - last, output)
            last = event[0]
            if track.kind == 'counter':
                value = event[1]
                varint(value * 2 if value >= 0 else -value * 2 - 1, output)
                continue
            _, duration, name, kind, detail, call = event
            varint(duration, output)
            varint(names.of(name), output)
            varint(CLASSES.index(kind), output)
            varint(0 if detail is None else details.of(detail) + 1, output)
            varint(0 if call is None else numbers[id(call)], output)
    return bytes(output)


def summarize(tracks, names):
    found = {}
    for track in tracks:
        for _, duration, name, kind, _, _ in track.events if track.kind == 'thread' else []:
            row = found.setdefault(name, [names.of(name), 0, 0, 0, 0, 0])
            row[1] += 1
            row[2] += duration
            row[3] += kind == 'error'
            row[4] += duration if kind == 'blocked' else 0
            row[5] = max(row[5], duration)
    return sorted(found.values(), key=lambda row: -row[2])


def page(tracks, **members):
    """Return the whole page as bytes."""
    names, details = Texts(), Texts()
    events = encode(tracks, names, details)
    summary = summarize(tracks, names)
    data = {
        'format': 1, 'program': 'python3 train.py --epochs 2', 'process': 4711,
        'driver': '/usr/lib/x86_64-linux-gnu/libcuda.so.1', 'driver_version': 13000,
        'clock': 'host', 'began_unix_ns': '1767225600000000000', 'ended': True,
        'device_times': True, 'lost_calls': 0, 'lost_work': 0, 'untimed_work': 0,
        'unknown_functions': 0, 'call_cost_ns': 85,
        'duration_ns': max([event[0] + (0 if track.kind == 'counter' else event[1])
                            for track in tracks for event in track.events], default=0),
        'names': list(names.index), 'details': list(details.index), 'classes': CLASSES,
        'tracks': [dict(kind=track.kind, name=track.name, group=track.group,
                        count=len(track.events), **track.more) for track in tracks],
        'summary': summary,
    }
    data.update(members)
    text = json.dumps(data, ensure_ascii=False).replace('<', '\\u003c')
    before, behind = embed.template(VIEWER)
    return (before.encode() +
            b'<script id="data" type="application/json">' + text.encode() + b'</script>\n' +
            b'<script id="events" type="application/octet-stream">' +
            base64.b64encode(events) + b'</script>\n' + behind.encode())


FORWARD = [('void gemm_bf16_128x128_tn(GemmParams)', 410), ('layer_norm_forward', 38),
           ('flash_attention_forward<64, true>', 620), ('residual_add', 22),
           ('void gemm_bf16_128x256_tn(GemmParams)', 540), ('gelu_forward', 61)]


def training(steps=8):
    """Return a training loop: one thread queues the work, another one loads batches."""
    process, device = 'Process 4711', 'Device 0, context 1'
    ranges = Track('ranges', 'Ranges of thread 1', process)
    main = Track('thread', 'Thread 1 (python3)', process)
    loader = Track('thread', 'Thread 2 (loader)', process)
    compute = Track('stream', 'Stream 13 (compute)', device)
    copies = Track('stream', 'Stream 14 (copies)', device)
    reduce = Track('stream', 'Stream 15 (all-reduce)', device)
    memory = Track('counter', 'Memory in use', device, unit='bytes')
    now = busy = 0

    def call(name, micros, kind='call', detail='= CUDA_SUCCESS'):
        nonlocal now
        made = main.add(now, micros * 1000, name, kind, detail)
        now += (micros + 20) * 1000
        return made

    def launch(name, micros, stream=compute):
        nonlocal busy
        launched = call('cuLaunchKernel', 6, detail='gridDimX=512, blockDimX=256 = CUDA_SUCCESS')
        busy = max(busy, now) + 3000
        stream.add(busy, micros * 1000, name, 'kernel', 'grid 512 x 1 x 1', launched)
        busy += micros * 1000

    for name, micros in ('cuInit', 2300), ('cuDeviceGet', 2), ('cuDevicePrimaryCtxRetain', 6100):
        call(name, micros)
    call('cuMemAlloc_v2', 90, detail='bytesize=805306368 = CUDA_SUCCESS')
    memory.add(now, 805306368, None, None)
    ranges.add(now, 0, 'epoch 1', 'mark')
    for step in range(steps):
        step_began = now
        upload = loader.add(now, 21000, 'cuMemcpyHtoDAsync_v2', 'call', 'hStream=14 = CUDA_SUCCESS')
        copies.add(now + 30000, 690000, 'copy to device', 'copy', '8 MiB, 12.2 GB/s', upload)
        for layer in range(4):
            layer_began = now
            for name, micros in FORWARD:
                launch(name, micros)
            ranges.add(layer_began, now - layer_began, 'layer %d' % layer, 'range')
            for name, micros in reversed(FORWARD):
                launch(name.replace('forward', 'backward'), 2 * micros)
            launch('ncclDevKernel_AllReduce_Sum_bf16_RING_LL', 1900, reduce)
        if step == 2:
            call('cuMemAlloc_v2', 90, 'error', 'bytesize=3221225472 = CUDA_ERROR_OUT_OF_MEMORY')
        graph = call('cuGraphLaunch', 14)
        for part in range(3):
            compute.add(busy + 15000, 140000, 'clip_gradients, part %d' % part, 'graph', None, graph)
            busy += 160000
        loss = call('cuMemcpyDtoH_v2', (busy + 60000 - now) // 1000, 'blocked')
        compute.add(busy + 20000, 2100, 'copy to host', 'copy', '4 B', loss)
        ranges.add(step_began, now - step_began, 'step %d' % step, 'range')
        host = call('cuLaunchHostFunc', 55)
        main.add(host[0] + 9000, 12000, 'cuStreamQuery', 'call', 'inside a callback = CUDA_SUCCESS')
        busy = now + 30000
        compute.add(busy, 20000, 'host function', 'host function', None, host)
        busy += 20000
    return [ranges, main, loader, compute, copies, reduce, memory], {}


def large(count):
    """Return half calls and half work, in bursts, with memory use that rises and falls."""
    chance = random.Random(11)
    threads = [Track('thread', 'Thread %d' % (n + 1), 'Process 1') for n in range(4)]
    streams = [Track('stream', 'Stream %d' % (n + 13), 'Device 0, context 1') for n in range(4)]
    memory = Track('counter', 'Memory in use', 'Device 0, context 1', unit='bytes')
    kernels = ['kernel_%d' % n for n in range(200)]
    details = ['bytes=%d = CUDA_SUCCESS' % (n * 512) for n in range(20000)]
    now, used = [0] * 4, 0
    for number in range(count // 2):
        at = number % 4
        spent = chance.randint(900, 9000)
        failed = chance.random() < 0.0001
        call = threads[at].add(now[at], spent, 'cuLaunchKernel', 'error' if failed else 'call',
                               chance.choice(details))
        streams[at].add(now[at] + spent, chance.randint(500, 12000), chance.choice(kernels),
                        'kernel' if chance.random() < 0.8 else 'copy', None, call)
        now[at] += spent + (chance.randint(100, 15000) if number % 4000 > 40 else 4000000)
        if number % 50 == 0:
            used = max(0, used + chance.randint(-1 << 24, 1 << 24))
            memory.add(now[0], used, None, None)
    return threads + streams + [memory], {}


def adversarial():
    thread = Track('thread', ADVERSARIAL[0], ADVERSARIAL[1])
    stream = Track('stream', ADVERSARIAL[1], ADVERSARIAL[5])
    for at, name in enumerate(ADVERSARIAL):
        call = thread.add(at * 1000, 600, name, 'call', ADVERSARIAL[-1 - at])
        stream.add(at * 1000 + 500, 400, name, 'kernel', name, call)
    # Hours later, nested events; then two that overlap without nesting.
    late = 3 * 3600 * 10 ** 9
    for at in range(5):
        thread.add(late + at * 10, 1000 - at * 20, 'nested %d' % at, 'call')
    thread.add(late + 5000, 100, 'first', 'call')
    thread.add(late + 5050, 100, 'second', 'unfinished')
    counter = Track('counter', ADVERSARIAL[2], ADVERSARIAL[5])
    for at, value in enumerate((0, 5, -7, 1 << 40)):
        counter.add(at * 1000, value, None, None)
    return [thread, stream, counter], {
        'program': ADVERSARIAL[0], 'driver': ADVERSARIAL[1], 'ended': False, 'clock': 'virtual',
        'lost_calls': 1234, 'lost_work': 1, 'untimed_work': 2, 'unknown_functions': 3,
        'damage': 'chunk 5 is damaged', 'lost_details': 4}


def sample(kind, count=20000):
    """Return (tracks, members of the data that differ)."""
    if kind == 'empty':
        return [], {}
    return {'training': training, 'adversarial': adversarial, 'large': lambda: large(count)}[kind]()
