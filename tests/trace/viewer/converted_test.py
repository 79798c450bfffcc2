#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of a converted trace in a browser: it shows what the trace file contains."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import browser  # noqa: E402
import harness  # noqa: E402, of the folder above

KERNEL = '</script><img src=x onerror="document.title = 1">'


def make_trace():
    trace = harness.Trace(began_ns=1000, driver_version=13000, lost_calls=3)
    trace.thread(1)
    trace.name(harness.OF_FUNCTION, 0x500, KERNEL)
    trace.range(1500, 90000, 'whole')
    trace.call('cuInit', 2000, 7000, 0)
    for number in range(20):
        begin = 8000 + number * 3000
        trace.call('cuLaunchKernel', begin, begin + 700, 0x500, 1, 1, 1, 32, 1, 1, 0, 0x200, 0, 0,
                   code=719 if number == 7 else 0)
        if number != 7:
            trace.work(harness.KERNEL, 'cuLaunchKernel', begin + 1000, begin + 2400,
                       function=0x500, grid=(number + 1, 1, 1), block=(32, 1, 1))
    trace.thread(2)
    trace.call('cuCtxSynchronize', 60000, 0)
    return trace


class ConvertedTest(harness.TraceTest):
    def setUp(self):
        super().setUp()
        self.chromium = browser.Browser()
        self.addCleanup(self.chromium.close)

    def test_page_shows_what_the_trace_file_holds(self):
        trace = make_trace()
        self.convert(self.write(trace), 'page.html')
        self.chromium.open(self.path('page.html'))
        self.chromium.drawn()
        run = self.chromium.run
        self.assertEqual(run('trace.tracks.map((one) => [one.kind, one.count])'),
                         [['ranges', 1], ['thread', 21], ['thread', 1], ['stream', 19]])
        calls = [call for call in trace.calls if call['thread'] == 1]
        self.assertEqual(
            run('[...trace.begin].slice(1, 22)'), [call['began'] for call in calls])
        links = run('[...trace.link.keys()].filter((work) => trace.link[work] >= 0).map('
                    '(work) => [trace.begin[work], trace.begin[trace.link[work]]])')
        self.assertEqual(links, [[work['began'], work['call']] for work in trace.works])
        counts = run('trace.classes.map((name, at) =>'
                     '[name, trace.class.filter((one) => one === at).length])')
        self.assertEqual({name: count for name, count in counts if count},
                         {'call': 20, 'error': 1, 'unfinished': 1, 'kernel': 19, 'range': 1})
        self.assertEqual(run('[...document.querySelectorAll("#work tbody tr button")]'
                             '.map((one) => one.textContent)'), [KERNEL])
        self.assertIn('3 calls missing', run('document.querySelector("#notices").innerText'))
        self.assertEqual(self.chromium.errors(), [])

    def test_trace_without_calls_says_why(self):
        self.convert(self.write(harness.Trace()), 'page.html')
        self.chromium.open(self.path('page.html'))
        self.chromium.drawn()
        self.assertIn('No CUDA driver call was seen',
                      self.chromium.run('document.querySelector("#empty").innerText'))
        self.assertEqual(self.chromium.errors(), [])


if __name__ == '__main__':
    if not browser.find():
        print('no chromium is installed')
        sys.exit(77)
    unittest.main()
