/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drawing: the layout of tracks and lanes in rows, and the canvases. The time of a frame depends on
 * the number of pixels, not of events: events narrower than a pixel are found by bisection and
 * summed by blocks.
 */
'use strict';

/* ---- Layout: a label for each track, a row for each of its lanes ---- */

const LANE_HEIGHT = {thread: 20, ranges: 18, stream: 26, counter: 46};
const GROUP_HEIGHT = 24, TRACK_PADDING = 5, MINIMUM_TRACK = 34;

function layOut() {
  const labels = byId('labels');
  labels.replaceChildren();
  rows = [];
  tops = [];
  bands = [];
  let y = 0, group = null;
  for (const track of trace.tracks) {
    if (track.group !== group) {
      group = track.group;
      const button = element('button', group, {type: 'button', title: group});
      button.setAttribute('aria-expanded', !folded.has(group));
      button.addEventListener('click', () => {
        if (!folded.delete(track.group))
          folded.add(track.group);
        layOut();
        redraw();
        [...labels.children].find((one) => one.title === track.group)?.focus();
      });
      Object.assign(button.style, {top: y + 'px', height: GROUP_HEIGHT + 'px'});
      labels.append(button);
      bands.push(y);
      y += GROUP_HEIGHT;
    }
    if (folded.has(group))
      continue;
    const lanes = Math.max(1, track.lanes.length), height = LANE_HEIGHT[track.kind] ?? 20;
    const whole = Math.max(lanes * height + 2 * TRACK_PADDING, MINIMUM_TRACK);
    const top = y + (whole - lanes * height) / 2;
    tops[track.number] = {top, height};
    for (let lane = 0; lane < lanes; lane++)
      rows.push({track, lane: track.lanes[lane] ?? null, top: top + lane * height, height,
                 bottom: lane + 1 === lanes ? y + whole : 0});
    const label = element('div', '', {title: track.name}, element('span', track.name),
                          element('small', labelNote(track)));
    Object.assign(label.style, {top: y + 'px', height: whole + 'px'});
    labels.append(label);
    y += whole;
  }
  contentHeight = y;
  labels.style.height = y + 'px';
}

function labelNote(track) {
  if (track.kind === 'counter')
    return 'at most ' + valueText(track, track.high);
  const count = plural(track.count, {thread: 'call', ranges: 'range'}[track.kind] ?? 'item');
  return track.kind === 'ranges' || !trace.end ? count
    : count + ', ' + percent(track.busy / trace.end) + (track.kind === 'thread' ? ' in calls'
                                                                                : ' busy');
}

/* ---- Drawing ---- */

const CLASS_COLOURS = {
  'call': 'call', 'blocked': 'blocked', 'error': 'error', 'unfinished': 'unfinished',
  'kernel': 'kernel', 'copy': 'copy', 'set': 'set', 'graph': 'graph', 'host function': 'host',
  'range': 'range', 'mark': 'mark',
};
const FONT = '12px system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", sans-serif';

/* Black or white, whichever stands out more: the contrast is at least 4.5. */
function textOn(colour) {
  const channels = [1, 3, 5].map((at) => {
    const value = parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const light = 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2];
  return light > 0.179 ? '#000000' : '#ffffff';
}

function readColours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue('--' + name).trim();
  colours = {classes: trace.classes.map((name) => of(CLASS_COLOURS[name] ?? 'host'))};
  for (const name of ['page', 'raised', 'line', 'row', 'text', 'muted', 'accent', 'call'])
    colours[name] = of(name);
  colours.classText = colours.classes.map(textOn);
  overviewPicture = null;
}

function sizeCanvases() {
  const ratio = window.devicePixelRatio || 1;
  for (const name of ['overview', 'ruler', 'tracks']) {
    const canvas = byId(name), width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = Math.max(1, Math.round(width * ratio));
    canvas.height = Math.max(1, Math.round(height * ratio));
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = FONT;
    context.textBaseline = 'middle';
    canvases[name] = {canvas, context, width: Math.max(width, 1), height};
  }
  overviewPicture = null;
}

/* Rectangles by colour: a class in strong and weak, and both dimmed for what a search excludes. */
const STRONG = 0, WEAK = 1, SHADES = [1, 0.4, 0.25, 0.12];
const batches = [];

/* A rectangle that continues the one before it makes that one wider. */
function addRectangle(cls, shade, x, y, width, height) {
  const batch = batches[cls * 4 + shade] ??= [], last = batch.length - 4;
  if (last >= 0 && batch[last] + batch[last + 2] === x && batch[last + 1] === y &&
      batch[last + 3] === height)
    batch[last + 2] += width;
  else
    batch.push(x, y, width, height);
}

function flushRectangles(context) {
  batches.forEach((batch, at) => {
    context.fillStyle = colours.classes[at >> 2];
    context.globalAlpha = SHADES[at & 3];
    for (let i = 0; i < batch.length; i += 4)
      context.fillRect(batch[i], batch[i + 1], batch[i + 2], batch[i + 3]);
    batch.length = 0;
  });
  context.globalAlpha = 1;
}

/*
 * Add a lane's events in [begin, end) to the batches. An event that is at least a pixel wide is a
 * rectangle. Others share a column with all that begin within the same pixel, which is found by
 * bisection, so that a frame costs what the pixels cost and not what the events do.
 */
function addLane(lane, begin, end, width, y, height, labels) {
  const scale = width / (end - begin), sums = new Float64Array(trace.classes.length);
  const weighs = query.text && lane.hits;
  for (let i = firstEnding(lane, begin); i < lane.count;) {
    const event = lane.events[i], cls = trace.class[event];
    if (trace.begin[event] >= end)
      break;
    const x = (trace.begin[event] - begin) * scale, wide = trace.duration[event] * scale;
    if (wide >= 1) {
      if (!hidden.has(cls)) {
        const left = Math.max(x, -1), right = Math.min(x + wide, width + 1);
        const gap = right - left > 3 ? 1 : 0;
        const dim = weighs && lane.hits[i + 1] === lane.hits[i] ? 2 : 0;
        addRectangle(cls, STRONG + dim, left, y, right - left - gap, height);
        if (labels && right - left > 22)
          labels.push(event, left, right - left - gap, y + height / 2, dim);
      }
      i++;
      continue;
    }
    const column = Math.floor(x);
    let next = firstFrom(lane, begin + (column + 1) / scale, i + 1);
    if (next > i + 1 && trace.duration[lane.events[next - 1]] * scale >= 1)
      next--;
    addColumn(lane, i, next, column, y, height, scale, weighs, sums);
    if (labels && next === i + 1 && trace.classes[cls] === 'mark' && !hidden.has(cls)) {
      const room = next < lane.count ? (trace.begin[lane.events[next]] - begin) * scale : width;
      if (room - x > 22)
        labels.push(event, x + 3, Math.min(room - x - 3, 200), y + height / 2, -1);
    }
    i = next;
  }
}

function addColumn(lane, from, to, x, y, height, scale, weighs, sums) {
  if (to === from + 1) {
    const event = lane.events[from];
    sums.fill(0);
    sums[trace.class[event]] = weight(trace, event);
  } else {
    sumSpan(trace, lane, from, to, sums);
  }
  let all = 0, main = -1;
  for (let c = 0; c < sums.length; c++) {
    if (hidden.has(c))
      sums[c] = 0;
    all += sums[c];
    if (sums[c] > (main < 0 ? 0 : sums[main]))
      main = c;
  }
  if (main < 0)
    return;
  const dim = weighs && lane.hits[to] === lane.hits[from] ? 2 : 0;
  addRectangle(main, WEAK + dim, x, y, 1, height);
  const strong = Math.max(1, height * Math.min(1, all * scale));
  let bottom = y + height;
  for (let c = 0; c < sums.length; c++) {
    if (sums[c] === 0)
      continue;
    const part = Math.round(strong * sums[c] / all);
    /* Errors are visible, however short. */
    if (trace.classes[c] === 'error')
      addRectangle(c, STRONG + dim, x, y, 1, Math.max(part, 5));
    else
      addRectangle(c, STRONG + dim, x, bottom -= part, 1, part);
  }
}

const textWidths = new Map();

/* As much of a text as fits. The width of each text is measured once. */
function fitText(context, text, room) {
  let width = textWidths.get(text);
  if (width === undefined) {
    width = context.measureText(text.slice(0, 400)).width;
    textWidths.set(text, width);
  }
  if (width <= room)
    return text;
  const characters = Math.floor(0.95 * Math.min(text.length, 400) * room / width) - 1;
  return characters < 2 ? '' : text.slice(0, characters) + '\u2026';
}

function drawLabels(context, labels) {
  for (let i = 0; i < labels.length; i += 5) {
    const event = labels[i], cls = trace.class[event], shade = labels[i + 4];
    const left = Math.max(labels[i + 1], 0), room = labels[i + 1] + labels[i + 2] - left - 8;
    const sign = trace.classes[cls] === 'error' ? '\u2717 ' : '';
    const name = trace.names[trace.name[event]].replace(/^void /, '');
    const text = fitText(context, sign + name, room);
    context.fillStyle = shade === 0 ? colours.classText[cls]
      : shade < 0 ? colours.text : colours.muted;
    if (text)
      context.fillText(text, left + 4, labels[i + 3] + 0.5);
  }
}

function drawCounter(context, row) {
  const {track} = row, width = canvases.tracks.width, bottom = row.top + row.height;
  const range = Math.max(track.high - track.low, 1);
  const toY = (value) => Math.round(bottom - 1 - (value - track.low) / range * (row.height - 4));
  const line = new Path2D(), area = new Path2D(), last = track.count - 1;
  let i = Math.max(0, firstWhere(0, track.count, (at) => track.times[at] > view.begin) - 1);
  for (; i <= last && track.times[i] < view.end;) {
    const x = Math.max(toX(track.times[i]), -2);
    let next = firstWhere(i + 1, track.count, (at) => toX(track.times[at]) >= x + 1);
    const [low, high] = lowAndHigh(track, i, next);
    const right = next <= last ? toX(track.times[next]) : toX(trace.end);
    const y = toY(track.values[next - 1]);
    line.rect(x, toY(high) - 1, 1, toY(low) - toY(high) + 2);
    line.rect(x, y - 1, Math.min(right, width + 2) - x + 1, 2);
    area.rect(x, y, Math.min(right, width + 2) - x, toY(track.low) - y);
    if (next <= last && track.times[next] < view.end)
      line.rect(right, Math.min(y, toY(track.values[next])) - 1, 1,
                Math.abs(y - toY(track.values[next])) + 2);
    i = next;
  }
  context.fillStyle = colours.accent;
  context.globalAlpha = 0.16;
  context.fill(area);
  context.globalAlpha = 1;
  context.fill(line);
}

function lowAndHigh(track, from, to) {
  let low = Infinity, high = -Infinity;
  for (let i = from; i < to;) {
    const whole = i % BLOCK === 0 && i + BLOCK <= to;
    low = Math.min(low, whole ? track.blockLow[i / BLOCK] : track.values[i]);
    high = Math.max(high, whole ? track.blockHigh[i / BLOCK] : track.values[i]);
    i += whole ? BLOCK : 1;
  }
  return [low, high];
}

/* Steps of 1, 2 and 5, and of whole minutes and hours. */
function tickStep(least) {
  if (least > 5e10)
    return [60, 120, 300, 600, 1800, 3600, 7200, 14400, 43200, 86400, 864000]
      .map((seconds) => seconds * 1e9).find((step) => step >= least) ?? 864e13;
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= least);
}

/* Ticks far from 0 in relation to their step are labelled from an origin, shown at the left. */
function ticks() {
  const step = tickStep((view.end - view.begin) * 95 / canvases.tracks.width);
  const most = Math.max(Math.abs(view.begin), view.end);
  let origin = 0, unit = unitOf(most);
  if (most / step > 2000 && step < 1e9) {
    const coarse = 10 ** (Math.floor(Math.log10(step)) + 3);
    origin = Math.max(0, Math.floor(view.begin / coarse) * coarse);
    unit = unitOf(view.end - origin);
  }
  const digits = Math.max(0, Math.round(Math.log10(unit[1])) - Math.floor(Math.log10(step) + 1e-9));
  const label = (time) => {
    if (step >= 6e10)
      return Math.floor(time / 36e11) + ':' +
        String(Math.floor(time / 6e10) % 60).padStart(2, '0') + ' h';
    return (origin ? '+' : '') + ((time - origin) / unit[1]).toFixed(digits) + ' ' + unit[0];
  };
  const made = [];
  for (let i = Math.max(0, Math.ceil(view.begin / step)); i * step <= view.end; i++)
    made.push({time: i * step, x: toX(i * step), label: label(i * step)});
  return {made, origin};
}

function drawRuler({made, origin}) {
  const {context, width, height} = canvases.ruler;
  context.clearRect(0, 0, width, height);
  for (const tick of made) {
    context.fillStyle = colours.line;
    context.fillRect(Math.round(tick.x), height - 8, 1, 8);
    context.fillStyle = colours.muted;
    context.fillText(tick.label, tick.x + 5, height / 2);
  }
  if (span)
    drawSpan(context, height, true);
  byId('origin').textContent = origin ? 'from ' + exactTime(origin)
    : shortTime(view.end - view.begin) + ' in view';
}

function drawSpan(context, height, withText) {
  const [left, right] = [toX(span.from), toX(span.to)].sort((a, b) => a - b);
  context.fillStyle = colours.accent;
  context.globalAlpha = 0.18;
  context.fillRect(left, 0, right - left, height);
  context.globalAlpha = 1;
  context.fillRect(left, 0, 1, height);
  context.fillRect(right, 0, 1, height);
  if (!withText)
    return;
  const text = shortTime(Math.abs(span.to - span.from)), wide = context.measureText(text).width;
  const x = Math.min(Math.max((left + right - wide) / 2, 5), canvases.ruler.width - wide - 5);
  context.fillStyle = colours.page;
  context.fillRect(x - 5, 2, wide + 10, height - 4);
  context.fillStyle = colours.text;
  context.fillText(text, x, height / 2);
}

function drawTracks({made}) {
  const {context, width, height} = canvases.tracks, scroll = byId('body').scrollTop;
  context.clearRect(0, 0, width, height);
  context.save();
  context.translate(0, -scroll);
  const labels = [];
  const seen = rows.filter((row) => row.top + row.height >= scroll && row.top <= scroll + height);
  context.fillStyle = colours.raised;
  for (const band of bands)
    context.fillRect(0, band, width, GROUP_HEIGHT - 1);
  context.fillStyle = colours.line;
  for (const band of bands)
    context.fillRect(0, band + GROUP_HEIGHT - 1, width, 1);
  for (const row of seen.filter((one) => one.bottom))
    context.fillRect(0, row.bottom - 1, width, 1);
  context.fillStyle = colours.line;
  context.globalAlpha = 0.55;
  for (const tick of made)
    context.fillRect(Math.round(tick.x), scroll, 1, Math.min(height, contentHeight - scroll));
  context.globalAlpha = 1;
  for (const {lane, top, height: rowHeight} of seen)
    if (lane)
      addLane(lane, view.begin, view.end, width, top + 1, rowHeight - 2, labels);
  flushRectangles(context);
  for (const row of seen)
    if (row.track.kind === 'counter')
      drawCounter(context, row);
  drawLabels(context, labels);
  drawArrows(context);
  outline(context, hovered, 1.5, colours.text);
  outline(context, selected, 2.5, colours.text);
  context.restore();
  if (span)
    drawSpan(context, height, false);
}

function outline(context, event, thickness, colour) {
  const place = event < 0 ? undefined : tops[trackOf(event).number];
  if (!place)
    return;
  const left = Math.max(toX(trace.begin[event]), -5);
  const right = Math.min(toX(endOf(event)), canvases.tracks.width + 5);
  context.lineWidth = thickness;
  context.strokeStyle = colour;
  context.strokeRect(left - 0.5, place.top + place.height * trace.lane[event] + 0.5,
                     Math.max(right - left, 2), place.height - 1);
}

const MOST_ARROWS = 300;

/* Arrows from calls to their work: for the selected event, and for all in view if they are few. */
function drawArrows(context) {
  const pairs = [];
  if (arrows)
    pairs.push(...workInView());
  context.lineWidth = 1;
  context.strokeStyle = context.fillStyle = colours.muted;
  context.globalAlpha = 0.55;
  for (const work of pairs)
    drawArrow(context, trace.link[work], work);
  context.globalAlpha = 1;
  if (selected < 0)
    return;
  context.lineWidth = 2;
  context.strokeStyle = context.fillStyle = colours.accent;
  if (trace.link[selected] >= 0)
    drawArrow(context, trace.link[selected], selected);
  for (const work of worksOf(selected, MOST_ARROWS))
    drawArrow(context, selected, work);
}

function workInView() {
  const works = [];
  for (const row of rows) {
    if (row.track.kind !== 'stream' || !row.lane)
      continue;
    const first = firstEnding(row.lane, view.begin), last = firstFrom(row.lane, view.end, first);
    if (works.length + last - first > MOST_ARROWS)
      return [];
    for (let i = first; i < last; i++) {
      const work = row.lane.events[i];
      if (trace.link[work] >= 0 && !hidden.has(trace.class[work]) &&
          !hidden.has(trace.class[trace.link[work]]))
        works.push(work);
    }
  }
  return works;
}

function worksOf(call, most) {
  const works = [];
  for (let work = trace.firstWork[call] ?? -1; work >= 0 && works.length < most;
       work = trace.nextWork[work])
    works.push(work);
  return works;
}

function drawArrow(context, call, work) {
  const from = tops[trackOf(call).number], to = tops[trackOf(work).number];
  if (!from || !to)
    return;
  const clamp = (x) => Math.min(Math.max(x, -2000), canvases.tracks.width + 2000);
  const x1 = clamp(toX(trace.begin[call] + trace.duration[call] / 2));
  const x2 = clamp(toX(trace.begin[work]));
  const down = to.top > from.top;
  const y1 = from.top + from.height * (trace.lane[call] + (down ? 1 : 0)) + (down ? -2 : 2);
  const y2 = to.top + to.height * (trace.lane[work] + (down ? 0 : 1));
  const bend = (y2 - y1) * 0.5;
  context.beginPath();
  context.moveTo(x1, y1);
  context.bezierCurveTo(x1, y1 + bend, x2, y2 - bend, x2, y2 - (down ? 4 : -4));
  context.stroke();
  context.beginPath();
  context.moveTo(x2, y2);
  context.lineTo(x2 - 3.5, y2 - (down ? 6 : -6));
  context.lineTo(x2 + 3.5, y2 - (down ? 6 : -6));
  context.fill();
}

/* The first lane of each track over the whole trace, and the part that is in view. */
function drawOverview() {
  const {canvas, context, width, height} = canvases.overview, whole = wholeTrace();
  if (!overviewPicture) {
    context.clearRect(0, 0, width, height);
    const tracks = trace.tracks.filter((track) => track.lanes.length);
    const each = Math.min(13, (height - 4) / Math.max(tracks.length, 1));
    const top = (height - each * tracks.length) / 2;
    tracks.forEach((track, at) => addLane(track.lanes[0], whole.begin, whole.end, width,
                                          top + at * each, Math.max(each - 1, 1), null));
    flushRectangles(context);
    overviewPicture = document.createElement('canvas');
    overviewPicture.width = canvas.width;
    overviewPicture.height = canvas.height;
    overviewPicture.getContext('2d').drawImage(canvas, 0, 0);
  }
  context.clearRect(0, 0, width, height);
  context.drawImage(overviewPicture, 0, 0, width, height);
  const scale = width / (whole.end - whole.begin);
  const left = (view.begin - whole.begin) * scale, right = (view.end - whole.begin) * scale;
  const edge = Math.max(left, 1);
  context.fillStyle = colours.page;
  context.globalAlpha = 0.65;
  context.fillRect(0, 0, left, height);
  context.fillRect(right, 0, width - right, height);
  context.globalAlpha = 1;
  context.strokeStyle = colours.accent;
  context.lineWidth = 2;
  context.strokeRect(edge, 1, Math.max(Math.min(right, width - 1) - edge, 2), height - 2);
}

function draw() {
  const started = performance.now();
  frameWanted = false;
  const marks = ticks();
  drawRuler(marks);
  drawTracks(marks);
  drawOverview();
  stats = {frameMs: performance.now() - started, frames: stats.frames + 1};
}

function redraw() {
  if (!frameWanted)
    requestAnimationFrame(draw);
  frameWanted = true;
}
