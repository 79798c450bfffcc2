#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of a trace in a browser: decoding, drawing, texts, mouse and keyboard."""

import base64
import json
import os
import sys
import tempfile
import unittest

import browser
import make_sample

COUNT = 20000
chromium = None
folder = None


def setUpModule():
    global chromium, folder
    folder = tempfile.TemporaryDirectory()
    chromium = browser.Browser()


def tearDownModule():
    chromium.close()
    folder.cleanup()


def readable(text):
    """Return a text as the page shows it: control and direction characters are replaced."""
    return ''.join('\ufffd' if ord(one) < 32 or one in '\u202e' else one for one in text)


class PageTest(unittest.TestCase):
    maxDiff = None
    may_be_refused = False

    def show(self, kind, dark=False, change=lambda text: text, **members):
        """Open a sample page; return its tracks as they were written."""
        tracks, own = make_sample.sample(kind, COUNT)
        own.update(members)
        self.open(tracks, dark, change, **own)
        return tracks

    def open(self, tracks, dark=False, change=lambda text: text, **members):
        path = os.path.join(folder.name, 'page.html')
        with open(path, 'wb') as file:
            file.write(change(make_sample.page(tracks, **members)))
        chromium.open(path, dark)
        chromium.drawn()

    def tearDown(self):
        if not self.may_be_refused:
            self.assertEqual(chromium.errors(), [])

    def run_js(self, expression):
        return chromium.run(expression)

    def text(self, selector):
        return chromium.run('document.querySelector(%s).innerText' % json.dumps(selector))

    def is_shown(self, selector):
        return chromium.run('document.querySelector(%s).checkVisibility()' % json.dumps(selector))

    def click(self, selector):
        where = chromium.run(
            '(() => { const one = document.querySelector(%s);'
            'one.scrollIntoView({block: "nearest"});'
            'const at = one.getBoundingClientRect();'
            'return [at.x + at.width / 2, at.y + at.height / 2]; })()' % json.dumps(selector))
        chromium.click(*where)

    def position(self, event):
        """Return the screen position of the middle of an event."""
        return chromium.run(
            '(() => { const at = byId("tracks").getBoundingClientRect(), event = %d,'
            'place = tops[trackOf(event).number];'
            'return [at.x + toX(trace.begin[event] + trace.duration[event] / 2),'
            'at.y + place.top + place.height * (trace.lane[event] + 0.5)'
            '- byId("body").scrollTop]; })()' % event)

    def event(self, name, number=0):
        return self.run_js('[...trace.name.keys()].filter((event) =>'
                           'trace.names[trace.name[event]] === %s)[%d]'
                           % (json.dumps(name), number))

    def view(self):
        return self.run_js('[view.begin, view.end]')

    def pixels_of(self, kind):
        """Return how many pixels of the timeline have the colour of a class."""
        return chromium.run(
            '(() => { const canvas = byId("tracks"), {width, height} = canvas,'
            'colour = colours.classes[trace.classes.indexOf(%s)],'
            'copy = new OffscreenCanvas(width, height).getContext("2d");'
            'copy.drawImage(canvas, 0, 0); const all = copy.getImageData(0, 0, width, height).data,'
            'wanted = parseInt(colour.slice(1), 16); let count = 0;'
            'for (let i = 0; i < all.length; i += 4)'
            'count += (all[i] << 16 | all[i + 1] << 8 | all[i + 2]) === wanted'
            '&& all[i + 3] === 255; return count; })()' % json.dumps(kind))

    def column(self, selector, number):
        return chromium.run('[...document.querySelectorAll(%s + " tbody tr")].map((row) =>'
                            'row.children[%d].innerText)' % (json.dumps(selector), number))


class DecodeTest(PageTest):
    def check(self, kind):
        tracks = self.show(kind)
        events = [event for track in tracks if track.kind != 'counter' for event in track.events]
        page = self.run_js('({begin: [...trace.begin], duration: [...trace.duration],'
                           'name: [...trace.name].map((at) => trace.names[at]),'
                           'kind: [...trace.class].map((at) => trace.classes[at]),'
                           'detail: [...trace.detail.keys()].map(detailOf),'
                           'link: [...trace.link]})')
        self.assertEqual(page['begin'], [event[0] for event in events])
        self.assertEqual(page['duration'], [event[1] for event in events])
        self.assertEqual(page['name'], [readable(event[2]) for event in events])
        self.assertEqual(page['kind'], [event[3] for event in events])
        self.assertEqual(page['detail'], [readable(event[4] or '') for event in events])
        numbers = {id(event): number for number, event in enumerate(events)}
        self.assertEqual(page['link'],
                         [numbers[id(event[5])] if event[5] else -1 for event in events])
        counters = self.run_js('trace.tracks.filter((one) => one.kind === "counter")'
                               '.map((one) => [[...one.times], [...one.values]])')
        self.assertEqual(counters, [[[event[0] for event in track.events],
                                     [event[1] for event in track.events]]
                                    for track in tracks if track.kind == 'counter'])
        return tracks

    def test_training_loop_is_decoded_as_written(self):
        self.check('training')

    def test_adversarial_names_and_long_times_are_decoded_as_written(self):
        self.check('adversarial')

    def test_many_events_are_decoded_as_written(self):
        self.check('large')

    def test_events_of_a_lane_do_not_overlap(self):
        for kind in ('training', 'adversarial', 'large'):
            self.show(kind)
            self.assertEqual(self.run_js(
                'trace.tracks.flatMap((track) => track.lanes).filter((lane) =>'
                '[...lane.events].some((event, at) =>'
                'at > 0 && endOf(lane.events[at - 1]) > trace.begin[event])).length'), 0)

    def test_nested_calls_lie_below_each_other(self):
        self.show('adversarial')
        lanes = self.run_js('[...trace.lane].filter((_, event) =>'
                            'trace.names[trace.name[event]].startsWith("nested"))')
        self.assertEqual(lanes, [0, 1, 2, 3, 4])

    def test_sums_of_spans_equal_those_of_their_events(self):
        self.show('large')
        wrong = self.run_js(
            '(() => { const lane = trace.tracks[0].lanes[0], wrong = [];'
            'const sums = new Float64Array(trace.classes.length);'
            'for (const [from, to] of [[0, lane.count], [1, 2], [3, 63], [63, 65], [64, 128],'
            '[60, 200], [0, 64], [1000, 2049], [5, 5], [127, 2300]]) {'
            'sumSpan(trace, lane, from, to, sums);'
            'const plain = new Float64Array(trace.classes.length);'
            'for (let i = from; i < to; i++)'
            'plain[trace.class[lane.events[i]]] += trace.duration[lane.events[i]] + 1;'
            'if (plain.join() !== sums.join()) wrong.push([from, to]); } return wrong; })()')
        self.assertEqual(wrong, [])

    def test_devices_busy_time_counts_overlapping_work_once(self):
        tracks = self.show('large')
        stream = next(track for track in tracks if track.kind == 'stream')
        busy = covered = 0
        for begin, duration, *_ in stream.events:
            busy += max(0, begin + duration - max(begin, covered))
            covered = max(covered, begin + duration)
        self.assertEqual(self.run_js('trace.tracks.find((one) => one.kind === "stream").busy'),
                         busy)


class DamageTest(PageTest):
    def refused(self, change=lambda text: text, **members):
        self.show('training', change=change, **members)
        said = self.text('#notices')
        self.assertIn('cannot be read', said)
        return said

    def test_newer_format_is_named(self):
        self.assertIn('format is 2', self.refused(format=2))

    def test_events_that_are_cut_off_are_refused(self):
        def cut(text):
            at = text.index(b'octet-stream">') + 14
            return text[:at + 4000] + text[text.index(b'</script>', at):]
        self.assertIn('cut off', self.refused(cut))

    def test_events_beyond_the_counts_are_refused(self):
        def add(text):
            at = text.index(b'octet-stream">') + 14
            end = text.index(b'</script>', at)
            return text[:at] + base64.b64encode(base64.b64decode(text[at:end]) + b'0') + text[end:]
        self.assertIn('do not end', self.refused(add))

    def test_names_that_are_missing_are_refused(self):
        self.assertIn('out of range', self.refused(names=['one']))

    def test_cut_file_without_events_is_refused(self):
        self.refused(lambda text: text.replace(b'id="events"', b'id="other"', 1))


class ViewTest(PageTest):
    def test_double_click_zooms_to_the_event(self):
        self.show('training')
        event = self.event('cuMemcpyDtoH_v2', 2)
        chromium.click(*self.position(event), count=2)
        begin, end = self.view()
        duration = self.run_js('trace.duration[%d]' % event)
        self.assertEqual(self.run_js('selected'), event)
        self.assertLess(begin, self.run_js('trace.begin[%d]' % event))
        self.assertGreater(end, self.run_js('endOf(%d)' % event))
        self.assertLess(end - begin, duration * 2.5)

    def test_keys_zoom_and_move(self):
        self.show('training')
        whole = self.view()
        chromium.key('w')
        near = self.view()
        self.assertLess(near[1] - near[0], 0.8 * (whole[1] - whole[0]))
        chromium.key('d')
        self.assertGreater(self.view()[0], near[0])
        chromium.key('ArrowLeft')
        self.assertAlmostEqual(self.view()[0], near[0], delta=1)
        chromium.key('s')
        chromium.key('0')
        for got, wanted in zip(self.view(), whole):
            self.assertAlmostEqual(got, wanted, places=3)

    def test_wheel_zooms_at_the_pointer(self):
        self.show('training')
        x, y = self.position(self.event('cuInit'))
        before = self.run_js('toTime(%f - byId("tracks").getBoundingClientRect().x)' % x)
        chromium.mouse('mouseWheel', x, y, deltaX=0, deltaY=-240)
        chromium.drawn()
        after = self.run_js('toTime(%f - byId("tracks").getBoundingClientRect().x)' % x)
        begin, end = self.view()
        self.assertLess(end - begin, 0.8 * self.run_js('wholeTrace().end - wholeTrace().begin'))
        self.assertAlmostEqual(before, after, delta=(end - begin) / 300)

    def test_wheel_with_shift_moves(self):
        self.show('training')
        self.run_js('zoom(0.1)')
        before = self.view()
        chromium.mouse('mouseWheel', 700, 300, deltaX=0, deltaY=100, modifiers=8)
        chromium.drawn()
        moved = [after - one for after, one in zip(self.view(), before)]
        self.assertAlmostEqual(moved[0], 100 / self.run_js('scaleOf()'), delta=10)
        self.assertAlmostEqual(moved[0], moved[1], delta=1)

    def test_drag_moves_and_does_not_select(self):
        self.show('training')
        self.run_js('zoom(0.1)')
        chromium.drawn()
        before = self.view()
        chromium.mouse('mousePressed', 800, 300, button='left', clickCount=1)
        chromium.mouse('mouseMoved', 700, 300, button='left', buttons=1)
        chromium.mouse('mouseReleased', 700, 300, button='left', clickCount=1)
        chromium.drawn()
        self.assertAlmostEqual(self.view()[0] - before[0],
                               100 / self.run_js('scaleOf()'), delta=10)
        self.assertEqual(self.run_js('selected'), -1)

    def test_drag_on_the_ruler_zooms_to_the_span(self):
        self.show('training')
        wanted = [self.run_js('toTime(%d - byId("ruler").getBoundingClientRect().x)' % x)
                  for x in (600, 900)]
        y = self.run_js('byId("ruler").getBoundingClientRect().y') + 10
        chromium.mouse('mousePressed', 600, y, button='left', clickCount=1)
        chromium.mouse('mouseMoved', 900, y, button='left', buttons=1)
        chromium.mouse('mouseReleased', 900, y, button='left', clickCount=1)
        chromium.drawn()
        for got, one in zip(self.view(), wanted):
            self.assertAlmostEqual(got, one, delta=10)

    def test_nanoseconds_are_distinguished_after_hours(self):
        self.show('adversarial')
        event = self.event('nested 4')
        self.run_js('zoomToEvent(%d)' % event)
        self.run_js('zoom(0.01)')
        chromium.drawn()
        begin, end = self.view()
        self.assertLess(end - begin, 30)
        self.assertIn('from 108', self.text('#origin'))
        labels = self.run_js('ticks().made.map((tick) => tick.label)')
        self.assertGreater(len(labels), 3)
        self.assertEqual(len(labels), len(set(labels)))

    def test_ticks_of_hours_are_labelled_in_hours(self):
        self.show('adversarial')
        self.assertIn('1:30 h', self.run_js('ticks().made.map((tick) => tick.label)'))

    def test_filter_hides_a_class(self):
        self.show('training')
        self.assertGreater(self.pixels_of('kernel'), 1000)
        kernel = '#filters [data-class="%d"]' % make_sample.CLASSES.index('kernel')
        self.click(kernel)
        self.assertEqual(self.pixels_of('kernel'), 0)
        self.assertGreater(self.pixels_of('copy'), 100)
        self.click(kernel)
        self.assertGreater(self.pixels_of('kernel'), 1000)

    def test_error_is_seen_among_thousands_of_events(self):
        thread = make_sample.Track('thread', 'Thread 1', 'Process 1')
        for number in range(COUNT):
            failed = number == COUNT // 2
            thread.add(number * 1000, 1 if failed else 990, 'cuLaunchKernel',
                       'error' if failed else 'call')
        self.open([thread])
        self.assertGreaterEqual(self.pixels_of('error'), 3)

    def test_events_of_a_clock_that_stands_still_are_seen(self):
        thread = make_sample.Track('thread', 'Thread 1', 'Process 1')
        for _ in range(COUNT):
            thread.add(0, 0, 'cuLaunchKernel', 'call')
        self.open([thread], clock='virtual')
        self.assertGreaterEqual(self.pixels_of('call'), 10)

    def test_counter_is_a_line_with_steps(self):
        thread = make_sample.Track('thread', 'Thread 1', 'Process 1')
        thread.add(0, 4000, 'cuInit', 'call')
        counter = make_sample.Track('counter', 'Memory in use', 'Device 0', unit='bytes')
        for at, value in enumerate((0, 10 << 20, 5 << 20)):
            counter.add(at * 1000, value, None, None)
        self.open([thread, counter])
        tops = self.run_js(
            '(() => { const canvas = byId("tracks"), {width, height} = canvas,'
            'copy = new OffscreenCanvas(width, height)'
            '.getContext("2d", {willReadFrequently: true}),'
            'wanted = parseInt(colours.accent.slice(1), 16); copy.drawImage(canvas, 0, 0);'
            'return [500, 1500, 2500, 3900].map((time) => {'
            'const all = copy.getImageData(Math.round(toX(time)), 0, 1, height).data;'
            'return [...Array(height).keys()].find((y) => all[y * 4 + 3] === 255 &&'
            '(all[y * 4] << 16 | all[y * 4 + 1] << 8 | all[y * 4 + 2]) === wanted); }); })()')
        none, most, half, end = tops
        self.assertGreater(none - most, 30)
        self.assertAlmostEqual(half, (none + most) / 2, delta=1.5)
        self.assertEqual(end, half)
        self.assertIn('at most 10 MiB', self.text('#labels'))

    def test_folded_group_has_no_rows(self):
        self.show('training')
        self.click('#labels button:nth-of-type(2)')
        self.assertEqual(self.pixels_of('copy'), 0)
        self.assertEqual(self.run_js('rows.some((row) => row.track.kind === "stream")'), False)

    def test_tooltip_says_what_lies_under_the_pointer(self):
        self.show('training')
        x, y = self.position(self.event('cuMemcpyDtoH_v2', 2))
        chromium.mouse('mouseMoved', x, y)
        chromium.drawn()
        self.assertIn('cuMemcpyDtoH_v2', self.text('#tooltip'))
        self.assertIn('blocked', self.text('#tooltip'))
        chromium.mouse('mouseMoved', x, 850)
        chromium.drawn()
        self.assertFalse(self.is_shown('#tooltip'))


class SelectTest(PageTest):
    def test_work_leads_to_its_call_and_back(self):
        self.show('training')
        work = self.event('ncclDevKernel_AllReduce_Sum_bf16_RING_LL', 5)
        call = self.run_js('trace.link[%d]' % work)
        chromium.click(*self.position(work))
        self.assertEqual(self.run_js('selected'), work)
        self.assertIn('ncclDevKernel', self.text('#selected'))
        self.click('#selected dd button')
        self.assertEqual(self.run_js('selected'), call)
        self.assertIn('cuLaunchKernel', self.text('#selected'))
        begin, end = self.view()
        self.assertTrue(begin <= self.run_js('trace.begin[%d]' % call) <= end)
        self.click('#selected dd button')
        self.assertEqual(self.run_js('selected'), work)

    def test_every_work_is_listed_with_its_call(self):
        tracks = self.show('training')
        linked = sum(event[5] is not None for track in tracks for event in track.events
                     if track.kind == 'stream')
        self.assertEqual(self.run_js(
            '[...trace.name.keys()].reduce((sum, call) => sum + worksOf(call, 1e9).filter('
            '(work) => trace.link[work] === call).length, 0)'), linked)

    def test_few_links_in_view_have_arrows_and_many_have_none(self):
        self.show('training')
        self.assertEqual(self.run_js('workInView().length'), 0)
        self.run_js('zoomToEvent(%d)' % self.event('step 3'))
        works = self.run_js('workInView().length')
        self.assertTrue(10 < works <= 300, works)

    def test_neighbours_are_selected_with_keys(self):
        self.show('training')
        event = self.event('cuInit')
        chromium.click(*self.position(event))
        chromium.key('.')
        self.assertIn('cuDeviceGet', self.text('#selected'))
        chromium.key(',')
        self.assertEqual(self.run_js('selected'), event)


class SearchTest(PageTest):
    def type(self, text):
        chromium.key('Escape')
        chromium.key('/')
        chromium.call('Input.insertText', text=text)
        chromium.drawn()

    def test_search_finds_names_and_details(self):
        tracks = self.show('training')
        events = [event for track in tracks for event in track.events if track.kind != 'counter']
        for text in ('CUMEM', 'bytesize=805306368', 'layer 3', 'no such thing'):
            found = sum(text.lower() in (event[2] + '\n' + (event[4] or '')).lower()
                        for event in events)
            self.type(text)
            self.assertEqual(self.text('#found'), str(found) if found else 'none found')

    def test_next_goes_through_matches_in_time(self):
        tracks = self.show('training')
        begins = sorted(event[0] for track in tracks for event in track.events
                        if event[2] and 'cuMemcpyDtoH_v2' in event[2])
        self.type('cuMemcpyDtoH_v2')
        self.assertEqual(self.text('#found'), str(len(begins)))
        seen = []
        for number in range(len(begins)):
            chromium.key('Enter')
            self.assertEqual(self.text('#found'), '%d of %d' % (number + 1, len(begins)))
            seen.append(self.run_js('trace.begin[selected]'))
            self.assertTrue(self.run_js('view.begin <= trace.begin[selected] &&'
                                        'trace.begin[selected] <= view.end'))
        self.assertEqual(seen, begins)
        chromium.key('Enter')
        self.assertEqual(self.run_js('trace.begin[selected]'), begins[0])
        chromium.key('Enter', modifiers=8)
        self.assertEqual(self.run_js('trace.begin[selected]'), begins[-1])

    def test_what_is_not_found_is_dimmed(self):
        self.show('training')
        kernels = self.pixels_of('kernel')
        self.type('cuMemcpy')
        self.assertEqual(self.pixels_of('kernel'), 0)
        self.assertGreater(self.pixels_of('blocked'), 1000)
        chromium.key('Escape')
        self.assertEqual(self.pixels_of('kernel'), kernels)


class TableTest(PageTest):
    def test_summary_sorts_by_the_column_that_is_clicked(self):
        tracks = self.show('training')
        rows = make_sample.summarize(tracks, make_sample.Texts())
        self.assertEqual(len(self.column('#summary', 0)), len(rows))
        self.assertEqual(self.column('#summary', 0)[0], 'cuMemcpyDtoH_v2')
        self.click('#summary th:nth-child(2) button')
        calls = [int(text) for text in self.column('#summary', 1)]
        self.assertEqual(calls, sorted((row[1] for row in rows), reverse=True))
        self.click('#summary th:nth-child(2) button')
        self.assertEqual([int(text) for text in self.column('#summary', 1)], calls[::-1])
        self.assertEqual(self.run_js('document.querySelector("#summary th:nth-child(2)").ariaSort'),
                         'ascending')
        self.click('#summary th:nth-child(1) button')
        names = self.column('#summary', 0)
        self.assertEqual(names, sorted(names))

    def test_device_work_is_counted_by_name(self):
        tracks = self.show('training')
        counts = {}
        for track in tracks:
            for event in track.events if track.kind == 'stream' else []:
                counts[event[2]] = counts.get(event[2], 0) + 1
        self.click('#tab-work')
        self.assertEqual(dict(zip(self.column('#work', 0), map(int, self.column('#work', 2)))),
                         counts)

    def test_name_in_a_table_leads_to_its_events(self):
        self.show('training')
        self.click('#tab-work')
        name, count = self.column('#work', 0)[0], self.column('#work', 2)[0]
        self.click('#work tbody tr button')
        self.assertEqual(self.run_js('trace.names[trace.name[selected]]'), name)
        self.assertEqual(self.text('#found'), '1 of ' + count)


class WordsTest(PageTest):
    def test_times_are_text_with_units(self):
        self.show('empty')
        for time, short, exact in (
                (0, '0 ns', '0 ns'), (100, '100 ns', '100 ns'),
                (10000, '10 \u00b5s', '10 \u00b5s'), (1234567, '1.235 ms', '1.234567 ms'),
                (10 ** 9 + 1, '1 s', '1.000000001 s'), (9 * 10 ** 10, '90 s', '90 s'),
                (18 * 10 ** 10, '3 min', '180 s'),
                (108 * 10 ** 11 + 1040, '3 h', '10800.00000104 s')):
            self.assertEqual(self.run_js('[shortTime(%d), exactTime(%d)]' % (time, time)),
                             [short, exact])

    def test_adversarial_names_are_text(self):
        self.show('adversarial')
        self.assertEqual(self.run_js('document.title'),
                         make_sample.ADVERSARIAL[0] + ' - cushim trace')
        self.assertEqual(self.text('#program'), make_sample.ADVERSARIAL[0])
        for at in range(len(make_sample.ADVERSARIAL)):
            self.run_js('select(%d)' % at)
            self.assertEqual(self.run_js('document.querySelector("#selected dd").textContent'),
                             readable(make_sample.ADVERSARIAL[at]))
            self.run_js('showTooltip(tooltipLines(%s, 0), 9, 9)' % (
                '{row: rows[0], from: %d, to: %d}' % (at, at + 1)))
        self.assertEqual(self.run_js('document.querySelectorAll("img").length'), 0)
        self.assertEqual(self.run_js('document.scripts.length'), 3)

    def test_page_runs_no_script_but_its_own(self):
        self.may_be_refused = True
        self.show('training')
        title = self.run_js('document.title')
        self.run_js('document.body.append(Object.assign(document.createElement("script"),'
                    '{textContent: "document.title = 1"}))')
        self.run_js('new Promise((done) => { const image = document.createElement("div");'
                    'image.innerHTML = "<img src=x onerror=\'document.title = 2\'>";'
                    'document.body.append(image); setTimeout(done); })')
        self.assertEqual(self.run_js('document.title'), title)
        self.assertIn('Content Security Policy', ' '.join(chromium.errors()))

    def test_empty_trace_says_why_it_may_be_empty(self):
        self.show('empty')
        self.assertTrue(self.is_shown('#empty'))
        self.assertIn('No CUDA driver call was seen', self.text('#empty'))
        self.assertIn('child process', self.text('#empty'))
        for key in 'wsad0,.nf':
            chromium.key(key)

    def test_trace_without_trouble_says_nothing(self):
        self.show('training')
        self.assertEqual(self.text('#notices'), '')
        self.assertFalse(self.is_shown('#empty'))

    def test_trouble_is_said_in_words(self):
        self.show('adversarial')
        said = self.text('#notices')
        for words in ('1,234 calls missing', '1 piece of device work missing', 'was killed',
                      'virtual clock', '2 pieces of device work without times', '3 functions',
                      'chunk 5 is damaged', '4 events'):
            self.assertIn(words, said)
        self.show('training', device_times=False)
        self.assertIn('not timed', self.text('#notices'))

    def test_members_that_may_be_left_out_are(self):
        def without(text):
            for name in (b'driver', b'driver_version', b'began_unix_ns', b'process',
                         b'device_times', b'lost_calls', b'call_cost_ns'):
                text = text.replace(b'"%s":' % name, b'"x_%s":' % name, 1)
            return text
        self.show('training', change=without)
        self.assertEqual(self.text('#notices'), '')
        self.assertEqual(len(self.column('#summary', 0)) > 5, True)

    def test_help_opens_and_closes(self):
        self.show('training')
        chromium.key('?')
        self.assertTrue(self.is_shown('#help-dialog'))
        self.click('#help-dialog form button')
        self.assertFalse(self.is_shown('#help-dialog'))


class ThemeTest(PageTest):
    def contrasts(self):
        """Return the contrast of each text to its background, as WCAG defines it."""
        return self.run_js(
            '(() => { const light = (colour) => { const [r, g, b] = [1, 3, 5].map((at) => {'
            'const value = parseInt(colour.slice(at, at + 2), 16) / 255;'
            'return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4; });'
            'return 0.2126 * r + 0.7152 * g + 0.0722 * b; },'
            'contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => p - q);'
            'return (y + 0.05) / (x + 0.05); };'
            'return [...colours.classes.map((colour, at) =>'
            '[trace.classes[at], contrast(colour, colours.classText[at])]),'
            '...["text", "muted", "accent"].flatMap((name) => ["page", "raised"].map((behind) =>'
            '[name + " on " + behind, contrast(colours[name], colours[behind])]))]; })()')

    def check(self, dark):
        self.show('training', dark)
        body = self.run_js('getComputedStyle(document.body).backgroundColor')
        self.assertEqual(body, 'rgb(20, 23, 28)' if dark else 'rgb(255, 255, 255)')
        for name, contrast in self.contrasts():
            self.assertGreaterEqual(contrast, 4.5, name)

    def test_light_text_is_readable(self):
        self.check(False)

    def test_dark_text_is_readable(self):
        self.check(True)

    def test_switch_changes_page_and_timeline(self):
        self.show('training', dark=True)
        dark = self.run_js('[colours.page, getComputedStyle(document.body).backgroundColor]')
        self.assertGreater(self.pixels_of('kernel'), 1000)
        self.click('#theme')
        light = self.run_js('[colours.page, getComputedStyle(document.body).backgroundColor]')
        self.assertNotEqual(dark[0], light[0])
        self.assertNotEqual(dark[1], light[1])
        self.assertGreater(self.pixels_of('kernel'), 1000)


if __name__ == '__main__':
    if not browser.find():
        print('no chromium is installed')
        sys.exit(77)
    unittest.main()
