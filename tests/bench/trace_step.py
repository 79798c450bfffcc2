#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of a trace for a training step in PyTorch: rounds with and without it alternate. Needs a
GPU.

    tests/bench/trace_step.py --profiler                      with CUPTI, by torch.profiler
    cushim trace --from-profiler -- tests/bench/trace_step.py --trace
    cushim trace --from-profiler --device-times off -- tests/bench/trace_step.py --trace

The trace records only between cuProfilerStart and cuProfilerStop, so both kinds of rounds run in
one process. Prints the median, minimum and maximum of each kind as JSON, in microseconds per step.
"""

import argparse
import json
import statistics
import time

import torch
from torch.profiler import ProfilerActivity, profile


def read_words():
    words = argparse.ArgumentParser()
    words.add_argument('--profiler', action='store_true', help='rounds under torch.profiler')
    words.add_argument('--trace', action='store_true', help='rounds that cushim trace records')
    words.add_argument('--rounds', type=int, default=11)
    words.add_argument('--steps', type=int, default=50, help='steps of a round')
    words.add_argument('--size', type=int, default=1024, help='size of a layer')
    return words.parse_args()


class Training:
    """Return a small network, whose step is about fifty kernels."""

    def __init__(self, size):
        torch.manual_seed(0)
        layers = [layer for _ in range(4) for layer in (torch.nn.Linear(size, size),
                                                        torch.nn.ReLU())]
        self.network = torch.nn.Sequential(*layers).cuda()
        self.optimiser = torch.optim.SGD(self.network.parameters(), lr=0.01, momentum=0.9)
        self.input = torch.randn(512, size, device='cuda')
        self.wanted = torch.randn(512, size, device='cuda')

    def step(self):
        self.optimiser.zero_grad(set_to_none=False)
        loss = torch.nn.functional.mse_loss(self.network(self.input), self.wanted)
        loss.backward()
        self.optimiser.step()

    def round(self, steps):
        """Return microseconds per step."""
        torch.cuda.synchronize()
        began = time.perf_counter()
        for _ in range(steps):
            self.step()
        torch.cuda.synchronize()
        return (time.perf_counter() - began) / steps * 1e6


def main():
    words = read_words()
    training = Training(words.size)
    runtime = torch.cuda.cudart()
    rounds = {'untraced': []}
    training.round(30)
    for _ in range(words.rounds):
        rounds['untraced'].append(training.round(words.steps))
        if words.trace:
            runtime.cudaProfilerStart()
            rounds.setdefault('traced', []).append(training.round(words.steps))
            runtime.cudaProfilerStop()
        if words.profiler:
            with profile(activities=[ProfilerActivity.CUDA]):
                rounds.setdefault('profiler', []).append(training.round(words.steps))
    print(json.dumps({kind: {'median': round(statistics.median(times)), 'least': round(min(times)),
                             'most': round(max(times))} for kind, times in rounds.items()}))


if __name__ == '__main__':
    main()
