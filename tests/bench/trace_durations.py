#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The durations of kernels according to a trace and to CUPTI, in the same PyTorch run. Needs a GPU.

    cushim trace --from-profiler --output trace.json -- tests/bench/trace_durations.py run cupti.json
    tests/bench/trace_durations.py compare trace.json cupti.json

The run trains small and large layers, with kernels from 2 us to some milliseconds. The comparison
takes the kernels of both in the order of their starts, and requires the same numbers and names. For
each class of durations by CUPTI, it prints how much longer a kernel is in the trace.
"""

import argparse
import collections
import json
import sys

CLASSES = (2, 5, 10, 20, 50, 100, 200, 1000, float('inf'))


def run(path):
    import torch
    from torch.profiler import ProfilerActivity, profile
    from trace_step import Training

    trainings = [Training(size) for size in (256, 1024, 4096, 8192)]
    for training in trainings:
        training.round(10)
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        torch.cuda.cudart().cudaProfilerStart()
        for training in trainings:
            training.round(40)
        torch.cuda.cudart().cudaProfilerStop()
    profiler.export_chrome_trace(path)


def kernels(path, category):
    """Return the start, duration in microseconds and name of each kernel, in the order of their
    starts.
    """
    with open(path, encoding='utf-8') as file:
        events = json.load(file)['traceEvents']
    return sorted((event['ts'], event['dur'], event['name']) for event in events
                  if event.get('cat') == category and event['ph'] == 'X')


def same_name(ours, theirs):
    """Return whether the names agree: a trace may have the mangled name, and CUPTI the C++ name, so
    each word of the latter must be in the former.
    """
    function = theirs.split('(')[0].split('<')[0].split()[-1]
    return all(word in ours for word in function.split('::') if word.isidentifier())


def compare(trace, cupti):
    ours, theirs = kernels(trace, 'kernel'), kernels(cupti, 'kernel')
    print(f'kernels: {len(ours)} in the trace, {len(theirs)} by CUPTI')
    if not ours or len(ours) != len(theirs):
        sys.exit(1)
    other = [pair for pair in zip(ours, theirs) if not same_name(pair[0][2], pair[1][2])]
    print(f'of another name: {len(other)}', *[f'{a[2]} / {b[2]}' for a, b in other[:1]])
    lengths = collections.defaultdict(list)
    for (_, our, _), (_, their, _) in zip(ours, theirs):
        lengths[next(limit for limit in CLASSES if their < limit)].append((our - their, their))
    print('below us  kernels  longer by us: 5th percentile, median, 95th  within 5 %')
    for limit in sorted(lengths):
        more = sorted(extra for extra, _ in lengths[limit])
        near = sum(abs(extra) <= 0.05 * length for extra, length in lengths[limit]) / len(more)
        figures = [more[len(more) * share // 100] for share in (5, 50, 95)]
        print(f'{limit:8}  {len(more):7}  ' + ', '.join(f'{figure:.2f}' for figure in figures),
              f' {near:.1%}')
    sys.exit(1 if other else 0)


def main():
    words = argparse.ArgumentParser()
    commands = words.add_subparsers(dest='command', required=True)
    commands.add_parser('run').add_argument('cupti')
    comparison = commands.add_parser('compare')
    comparison.add_argument('trace')
    comparison.add_argument('cupti')
    words = words.parse_args()
    if words.command == 'run':
        run(words.cupti)
    else:
        compare(words.trace, words.cupti)


main()
