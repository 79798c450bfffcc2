/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timeline of a trace, in one HTML file that needs no network.
 *
 * Between the page's two parts, the converter inserts two elements of the kind script:
 *
 *     id="data" type="application/json"               holds JSON
 *     id="events" type="application/octet-stream"     holds BASE64
 *
 * JSON is UTF-8 without invalid sequences. In its strings, `<` is written \u003c, so that no name
 * of a program can close the element. Members marked (o) may be left out.
 *
 *     format          1
 *     program         the command line
 *     driver          (o) the path of the driver, or the identity of the mock
 *     driver_version  (o) as of cuDriverGetVersion
 *     clock           "host", or "virtual": a mock's
 *     duration_ns     of the trace
 *     began_unix_ns   (o) a string: the time of day of time 0
 *     process         (o) number of the process
 *     ended           false: the process crashed or was killed
 *     device_times    (o) false: device work was not timed
 *     damage          (o) a string that describes the first part of the file that could not be read
 *     lost_calls, lost_work, untimed_work, unknown_functions, call_cost_ns, event_cost_ns,
 *     lost_details    (o) numbers; lost_details: events whose details were left out
 *     unknown_names   (o) strings: the first of the unknown functions
 *     names           strings: functions, kernels, kinds of copies, ranges
 *     details         strings: the details of events, each once
 *     classes         strings: call, blocked, error, unfinished, kernel, copy, set, graph,
 *                     host function, range, mark. Others are shown in grey.
 *     tracks          in the order in which they are shown; those of one group lie together:
 *                     kind    thread, ranges, stream or counter
 *                     name    "Thread 1 (python)"
 *                     group   "Process 123", "Device 0, context 1"
 *                     count   of events
 *                     unit    (o) of a counter: "bytes"
 *     summary         a row for each function: [index of its name, calls, total_ns, errors,
 *                     blocked_ns, longest_ns]
 *
 * BASE64 (with padding; white space is skipped) holds the events of each track, track after track,
 * sorted by their begin; of two that begin together, the longer one first. An event is a run of
 * numbers, each in LEB128 without a sign. Times are nanoseconds since the trace began.
 *
 *     begin           minus the begin of the event before it in the track; of the first, minus 0
 *     duration        0 for marks
 *     name, class     indices
 *     detail          1 + index; 0: none
 *     link            of device work: 1 + number of the call that queued it; 0: not known.
 *                     Calls are numbered from 0 through all tracks of kind thread, in their order.
 *
 * In a counter's track an event is two numbers: begin as above, and the value from then on, zigzag
 * coded (0, -1, 1, -2 are 0, 1, 2, 3).
 */
'use strict';

const byId = (id) => document.getElementById(id);

/* ---- The trace: typed arrays over all events, and lanes of events that do not overlap ---- */

const BLOCK = 64; /* events whose sums are kept, so that any span is summed in few steps */

function decodeBase64(text) {
  if (Uint8Array.fromBase64)
    return Uint8Array.fromBase64(text);
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++)
    bytes[i] = binary.charCodeAt(i);
  return bytes;
}

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  next() {
    const bytes = this.bytes;
    let byte = bytes[this.at++];
    if (byte < 128)
      return byte;
    let value = byte & 127, scale = 128;
    do {
      byte = bytes[this.at++];
      value += (byte & 127) * scale; /* beyond 32 bits, so without shifts */
      scale *= 128;
    } while (byte >= 128);
    return value;
  }
  index(limit) {
    const value = this.next();
    if (!(value < limit))
      throw new Error('an index is out of range');
    return value;
  }
}

/* Replace control characters, and those that change the direction of the text after them. */
const readable = (text) =>
  String(text).replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
                       '\ufffd');

function readTrace() {
  const data = JSON.parse(byId('data').textContent);
  if (data.format !== 1)
    throw new Error('its format is ' + data.format + ', and this page reads format 1');
  const bytes = decodeBase64(byId('events').textContent);
  const reader = new Reader(bytes);
  const trace = {...data, names: data.names.map(readable)};
  let total = 0, calls = 0, bytesNeeded = 0;
  for (const track of data.tracks) {
    total += track.kind === 'counter' ? 0 : track.count;
    calls += track.kind === 'thread' ? track.count : 0;
    bytesNeeded += track.count * (track.kind === 'counter' ? 2 : 6);
  }
  if (!(bytesNeeded <= bytes.length))
    throw new Error('it is cut off');
  trace.count = total;
  trace.begin = new Float64Array(total);
  trace.duration = new Float64Array(total);
  trace.name = new Uint32Array(total);
  trace.class = new Uint8Array(total);
  trace.detail = new Uint32Array(total);
  trace.link = new Int32Array(total).fill(-1); /* of work: the call that queued it */
  trace.lane = new Uint8Array(total);
  const callEvents = new Uint32Array(calls);
  trace.end = data.duration_ns;
  let event = 0, call = 0;
  trace.tracks = data.tracks.map((track, number) => {
    const made = {...track, number, name: readable(track.name), group: readable(track.group),
                  first: event, lanes: [], busy: 0};
    if (track.kind === 'counter') {
      readCounter(reader, made);
      trace.end = Math.max(trace.end, made.times.at(-1) ?? 0);
    } else {
      event = readEvents(reader, trace, made, calls);
      if (track.kind === 'thread')
        for (let i = made.first; i < event; i++)
          callEvents[call++] = i;
    }
    return made;
  });
  if (reader.at !== bytes.length)
    throw new Error('its events do not end where they should');
  linkWork(trace, callEvents);
  return trace;
}

/* Replace the numbers of calls by events, and make a list of the work of each call. */
function linkWork(trace, callEvents) {
  trace.firstWork = new Int32Array(trace.count).fill(-1);
  trace.nextWork = new Int32Array(trace.count).fill(-1);
  for (let work = trace.count - 1; work >= 0; work--) {
    if (trace.link[work] < 0)
      continue;
    const call = trace.link[work] = callEvents[trace.link[work]];
    trace.nextWork[work] = trace.firstWork[call];
    trace.firstWork[call] = work;
  }
}

/* An event goes to the first free lane, so nested events are below the one that contains them. */
function readEvents(reader, trace, track, calls) {
  const laneEnd = [], laneCount = [], names = trace.names.length, details = trace.details.length;
  let begin = 0, covered = 0, event = track.first;
  for (let i = 0; i < track.count; i++, event++) {
    begin += reader.next();
    const duration = reader.next(), end = begin + duration;
    trace.begin[event] = begin;
    trace.duration[event] = duration;
    trace.name[event] = reader.index(names);
    trace.class[event] = reader.index(trace.classes.length);
    trace.detail[event] = reader.index(details + 1);
    const link = reader.index(calls + 1);
    if (track.kind === 'stream')
      trace.link[event] = link - 1;
    let lane = 0;
    while (lane < laneEnd.length && laneEnd[lane] > begin && lane < 255)
      lane++;
    laneEnd[lane] = end;
    laneCount[lane] = (laneCount[lane] ?? 0) + 1;
    trace.lane[event] = lane;
    track.busy += Math.max(0, end - Math.max(begin, covered));
    covered = Math.max(covered, end);
  }
  trace.end = Math.max(trace.end, covered, begin);
  track.lanes = laneCount.map((count) => ({events: new Uint32Array(count), count: 0}));
  for (let i = track.first; i < event; i++) {
    const lane = track.lanes[trace.lane[i]];
    lane.events[lane.count++] = i;
  }
  for (const lane of track.lanes)
    sumBlocks(trace, lane);
  return event;
}

/* The weight of an event in a sum; an event without a duration is visible as well. */
const weight = (trace, event) => trace.duration[event] + 1;

function sumBlocks(trace, lane) {
  const classes = trace.classes.length, blocks = Math.floor(lane.count / BLOCK);
  lane.sums = new Float64Array((blocks + 1) * classes);
  for (let block = 0; block < blocks; block++) {
    const at = block * classes;
    lane.sums.copyWithin(at + classes, at, at + classes);
    for (let i = block * BLOCK; i < (block + 1) * BLOCK; i++)
      lane.sums[at + classes + trace.class[lane.events[i]]] += weight(trace, lane.events[i]);
  }
}

/* Add up the weights of the events [from, to) of a lane, by class. */
function sumSpan(trace, lane, from, to, sums) {
  const classes = sums.length;
  sums.fill(0);
  const firstBlock = Math.ceil(from / BLOCK), lastBlock = Math.floor(to / BLOCK);
  const whole = firstBlock < lastBlock;
  const head = whole ? firstBlock * BLOCK : to;
  for (let i = from; i < head; i++)
    sums[trace.class[lane.events[i]]] += weight(trace, lane.events[i]);
  if (!whole)
    return;
  for (let c = 0; c < classes; c++)
    sums[c] += lane.sums[lastBlock * classes + c] - lane.sums[firstBlock * classes + c];
  for (let i = lastBlock * BLOCK; i < to; i++)
    sums[trace.class[lane.events[i]]] += weight(trace, lane.events[i]);
}

function readCounter(reader, track) {
  const count = track.count;
  track.times = new Float64Array(count);
  track.values = new Float64Array(count);
  track.blockLow = new Float64Array(Math.ceil(count / BLOCK)).fill(Infinity);
  track.blockHigh = new Float64Array(Math.ceil(count / BLOCK)).fill(-Infinity);
  track.low = 0;
  track.high = 0;
  for (let i = 0, begin = 0; i < count; i++) {
    const coded = (begin += reader.next(), reader.next());
    const value = coded % 2 ? -(coded + 1) / 2 : coded / 2;
    const block = Math.floor(i / BLOCK);
    track.times[i] = begin;
    track.values[i] = value;
    track.blockLow[block] = Math.min(track.blockLow[block], value);
    track.blockHigh[block] = Math.max(track.blockHigh[block], value);
    track.low = Math.min(track.low, value);
    track.high = Math.max(track.high, value);
  }
}

/* The first index in [from, to) for which `is` holds, or `to`. It has to hold for all after it. */
function firstWhere(from, to, is) {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (is(middle))
      to = middle;
    else
      from = middle + 1;
  }
  return from;
}

const firstFrom = (lane, time, from = 0) =>
  firstWhere(from, lane.count, (i) => trace.begin[lane.events[i]] >= time);
const firstEnding = (lane, time) =>
  firstWhere(0, lane.count, (i) => endOf(lane.events[i]) >= time);
const endOf = (event) => trace.begin[event] + trace.duration[event];
const detailOf = (event) =>
  trace.detail[event] ? readable(trace.details[trace.detail[event] - 1]) : '';
const trackOf = (event) => {
  const last = trace.tracks.length - 1;
  return trace.tracks[firstWhere(0, last, (i) => trace.tracks[i + 1].first > event)];
};
