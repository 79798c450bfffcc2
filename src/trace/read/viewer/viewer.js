/* SPDX-License-Identifier: Apache-2.0 */
/* Interaction: the state of the view, selection, search, filters, mouse and keys; the start. */
'use strict';

/* ---- State ---- */

let trace = null;
let view = {begin: 0, end: 1};
let selected = -1;
let hovered = -1;
let query = {text: '', count: 0, names: null, details: null};
let hidden = new Set(); /* classes */
let arrows = true;
let folded = new Set(); /* groups */
let rows = []; /* {track, lane or null, top, height, bottom: of the track, at its last lane} */
let tops = []; /* of a track: {top, height of a lane}, or undefined where it is folded */
let bands = []; /* tops of groups */
let contentHeight = 0;
let span = null; /* the times that the user measures: {from, to} */
let colours = {};
let stats = {frameMs: 0, frames: 0};
let frameWanted = false, overviewPicture = null;

const canvases = {};
const wholeTrace = () => {
  const length = Math.max(trace.end, 1000);
  return {begin: -length * 0.01, end: length * 1.01};
};
const scaleOf = () => canvases.tracks.width / (view.end - view.begin);
const toX = (time) => (time - view.begin) * scaleOf();
const toTime = (x) => view.begin + x / scaleOf();

function setView(begin, end) {
  const whole = wholeTrace(), limit = whole.end - whole.begin;
  const length = Math.min(limit, Math.max(20, end - begin));
  const middle = (begin + end) / 2;
  begin = Math.min(Math.max(middle - length / 2, whole.begin), whole.end - length);
  view = {begin, end: begin + length};
  redraw();
}

function zoom(factor, x = canvases.tracks.width / 2) {
  const time = toTime(x);
  setView(time - (time - view.begin) * factor, time + (view.end - time) * factor);
}

const pan = (part) => {
  const by = (view.end - view.begin) * part;
  setView(view.begin + by, view.end + by);
};

function zoomToEvent(event) {
  const around = Math.max(trace.duration[event], 50);
  setView(trace.begin[event] - around * 0.6, endOf(event) + around * 0.6);
  scrollToEvent(event);
}

function scrollToEvent(event) {
  const track = trackOf(event);
  if (folded.delete(track.group))
    layOut();
  const {top, height} = tops[track.number], body = byId('body');
  const y = top + height * trace.lane[event];
  if (y < body.scrollTop || y + height > body.scrollTop + body.clientHeight)
    body.scrollTop = y - body.clientHeight / 2;
}

/* Move and zoom the view, if needed, so that an event is in it and wide enough to be seen. */
function reveal(event) {
  const begin = trace.begin[event], length = view.end - view.begin;
  const visible = Math.max(trace.duration[event], 1) * scaleOf() >= 3;
  const wanted = visible ? length : Math.max(trace.duration[event] * 40, Math.min(length, 2000));
  if (begin < view.begin || endOf(event) > view.end || !visible)
    setView(begin + trace.duration[event] / 2 - wanted / 2,
            begin + trace.duration[event] / 2 + wanted / 2);
  scrollToEvent(event);
}

/* ---- The events at a point ---- */

const NEAR = 3; /* pixels */

/* The events at a point, by indices in the lane of its row: {row, from, to}, or null. */
function eventsAt(x, y) {
  y += byId('body').scrollTop;
  const row = rows.find((one) => y >= one.top && y < one.top + one.height);
  if (!row || x < 0)
    return null;
  if (!row.lane)
    return {row, from: 0, to: 0};
  const {lane} = row, isHit = (i) => i >= 0 && i < lane.count &&
    toX(endOf(lane.events[i])) >= x - NEAR && toX(trace.begin[lane.events[i]]) <= x + NEAR &&
    !hidden.has(trace.class[lane.events[i]]);
  const column = Math.floor(x);
  const from = firstFrom(lane, toTime(column)), to = firstFrom(lane, toTime(column + 1), from);
  if (to > from + 1)
    return {row, from, to};
  const near = [firstFrom(lane, toTime(x)) - 1, from].find(isHit);
  return near === undefined ? {row, from: 0, to: 0} : {row, from: near, to: near + 1};
}

function longestOf({row, from, to}) {
  let best = -1;
  for (let i = from; i < to; i++) {
    const event = row.lane.events[i];
    if (!hidden.has(trace.class[event]) &&
        (best < 0 || trace.duration[event] > trace.duration[best]))
      best = event;
  }
  return best;
}

function tooltipLines(place, x) {
  if (place?.row.track.kind === 'counter') {
    const {track} = place.row;
    const at = firstWhere(0, track.count, (i) => track.times[i] > toTime(x)) - 1;
    return at < 0 ? [] : [track.name, valueText(track, track.values[at]) + ' from ' +
                                      shortTime(track.times[at])];
  }
  const event = place ? longestOf(place) : -1;
  if (event < 0)
    return [];
  const lines = [trace.names[trace.name[event]],
                 trace.classes[trace.class[event]] + ', ' + shortTime(trace.duration[event]) +
                 ' from ' + shortTime(trace.begin[event])];
  if (trace.detail[event])
    lines.push(detailOf(event));
  if (place.to - place.from > 1)
    lines.push('The longest of ' + plural(place.to - place.from, 'event') + ' in this pixel.');
  return lines;
}

function showTooltip(lines, x, y) {
  const tooltip = byId('tooltip');
  tooltip.hidden = !lines.length;
  tooltip.replaceChildren(...lines.map((line) => element('div', line)));
  const {width, height} = tooltip.getBoundingClientRect();
  tooltip.style.left = Math.max(0, Math.min(x + 14, innerWidth - width - 8)) + 'px';
  tooltip.style.top = (y + height + 26 > innerHeight ? y - height - 10 : y + 18) + 'px';
}

function hover(x, y, pageX, pageY) {
  const place = eventsAt(x, y), event = place?.row.lane ? longestOf(place) : -1;
  showTooltip(tooltipLines(place, x), pageX, pageY);
  if (event !== hovered) {
    hovered = event;
    redraw();
  }
}

/* ---- Selection ---- */

function select(event) {
  selected = event;
  const panel = byId('selected');
  if (event < 0) {
    panel.replaceChildren(element('p', 'Click on an event to see its details.'));
    redraw();
    return;
  }
  const list = element('dl'), add = (term, ...content) => {
    const description = element('dd');
    description.append(...content);
    list.append(element('dt', term), description);
  };
  const track = trackOf(event);
  add('Name', trace.names[trace.name[event]]);
  add('Kind', trace.classes[trace.class[event]]);
  add('Track', track.group + ', ' + track.name);
  add('Begin', exactTime(trace.begin[event]));
  if (trace.classes[trace.class[event]] !== 'mark')
    add('Duration', exactTime(trace.duration[event]));
  if (trace.detail[event])
    add('Details', detailOf(event));
  if (trace.link[event] >= 0)
    add('Queued by', linkTo(trace.link[event], event));
  const works = worksOf(event, 51);
  if (works.length)
    add('Device work', ...works.slice(0, 50).map((work) => linkTo(work, event)),
        works.length > 50 ? 'and more' : '');
  panel.replaceChildren(list);
  showTab('selected');
  redraw();
}

function linkTo(event, other) {
  const later = Math.abs(trace.begin[event] - trace.begin[other]);
  const button = element('button', trace.names[trace.name[event]] + ', ' +
    shortTime(trace.duration[event]) + ', ' + trackOf(event).name + ', begins ' + shortTime(later) +
    (trace.begin[event] < trace.begin[other] ? ' before' : ' after'), {type: 'button'});
  button.addEventListener('click', () => {
    reveal(event);
    select(event);
  });
  return button;
}

function selectNeighbour(by) {
  const first = trace.tracks.find((track) => track.lanes.length);
  if (selected < 0 && !first)
    return;
  const track = selected < 0 ? first : trackOf(selected);
  let event = selected < 0 ? track.first : selected + by;
  while (event >= track.first && event < track.first + track.count &&
         hidden.has(trace.class[event]))
    event += by;
  if (event < track.first || event >= track.first + track.count)
    return;
  reveal(event);
  select(event);
}

/* ---- Search in names and details; matches are numbered in the order of their begin ---- */

const isMatch = (event) => query.names[trace.name[event]] === 1 ||
  trace.detail[event] > 0 && query.details[trace.detail[event] - 1] === 1;
const isBefore = (one, other) => trace.begin[one] < trace.begin[other] ||
  trace.begin[one] === trace.begin[other] && one < other;

function search(text) {
  const wanted = text.trim().toLowerCase();
  const matches = (all) => Uint8Array.from(all, (one) => one.toLowerCase().includes(wanted));
  query = {text: wanted, count: 0, names: matches(trace.names), details: matches(trace.details)};
  for (const track of wanted ? trace.tracks : []) {
    for (const lane of track.lanes) {
      lane.hits ??= new Uint32Array(lane.count + 1);
      for (let i = 0; i < lane.count; i++)
        lane.hits[i + 1] = lane.hits[i] + (isMatch(lane.events[i]) ? 1 : 0);
      query.count += lane.hits[lane.count];
    }
  }
  overviewPicture = null;
  showFound();
  redraw();
}

function showFound() {
  let number = 0;
  if (query.text && selected >= 0 && isMatch(selected))
    for (let event = 0; event < trace.count; event++)
      number += isMatch(event) && !isBefore(selected, event) ? 1 : 0;
  byId('found').textContent = !query.text ? '' : !query.count ? 'none found'
    : (number ? numbers.format(number) + ' of ' : '') + numbers.format(query.count);
}

/* Select the match after the selected event, or the one before it; wrap around at the ends. */
function goToMatch(forward) {
  let best = -1, first = -1;
  for (let event = 0; query.count && event < trace.count; event++) {
    if (!isMatch(event))
      continue;
    const nearer = (than) => than < 0 || isBefore(event, than) === forward;
    if (nearer(first))
      first = event;
    if (selected >= 0 && event !== selected && isBefore(selected, event) === forward &&
        nearer(best))
      best = event;
  }
  best = best < 0 ? first : best;
  if (best < 0)
    return;
  reveal(best);
  select(best);
  showFound();
}

function searchFor(name) {
  byId('query').value = name;
  search(name);
  selected = -1;
  goToMatch(true);
}

function showTab(name) {
  for (const one of ['summary', 'work', 'selected']) {
    byId(one).hidden = one !== name;
    byId('tab-' + one).setAttribute('aria-selected', one === name);
    byId('tab-' + one).tabIndex = one === name ? 0 : -1;
  }
}

/* ---- Filters and theme ---- */

function makeFilters() {
  const counts = new Float64Array(trace.classes.length);
  for (let event = 0; event < trace.count; event++)
    counts[trace.class[event]]++;
  const buttons = trace.classes.map((name, cls) => toggle(name, numbers.format(counts[cls]), cls,
    (shown) => shown ? hidden.delete(cls) : hidden.add(cls))).filter((_, cls) => counts[cls]);
  if (trace.link.some((link) => link >= 0))
    buttons.push(toggle('arrows', '', -1, (shown) => { arrows = shown; }));
  byId('filters').replaceChildren(...buttons);
  byId('filters').hidden = !buttons.length;
}

function toggle(name, note, cls, change) {
  const swatch = element('i'), button = element('button', '', {type: 'button'});
  button.append(...cls < 0 ? [] : [swatch], name, element('b', note));
  button.setAttribute('aria-pressed', true);
  button.dataset.class = cls;
  button.addEventListener('click', () => {
    const shown = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', shown);
    change(shown);
    overviewPicture = null;
    redraw();
  });
  return button;
}

function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  byId('theme').textContent = dark ? 'Light' : 'Dark';
  readColours();
  for (const button of byId('filters').querySelectorAll('[data-class]'))
    if (button.dataset.class >= 0)
      button.querySelector('i').style.background = colours.classes[button.dataset.class];
  redraw();
}

/* ---- Mouse and keys ---- */

let drag = null; /* while the button is down: {x, y, view, top, moved, measures} */

function listenToMouse() {
  listenToTracks();
  listenToDrag(byId('tracks'));
  listenToDrag(byId('ruler'));
  listenToOverview();
  listenToSplitter();
}

function onWheel(event) {
  event.preventDefault();
  /* A pinch on a touchpad is a wheel event with ctrlKey and small steps. */
  const lines = (event.deltaMode === 1 ? 16 : 1) * (event.ctrlKey ? 3 : 1);
  const along = event.deltaX || (event.shiftKey ? event.deltaY : 0);
  if (along)
    pan(along * lines / canvases.tracks.width);
  else
    zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * lines * 0.002))), event.offsetX);
}

function moveDrag(event) {
  const dx = event.offsetX - drag.x, dy = event.offsetY - drag.y;
  drag.moved ||= Math.hypot(dx, dy) > NEAR;
  if (!drag.moved)
    return;
  showTooltip([], 0, 0);
  if (drag.measures) {
    span = {from: toTime(drag.x), to: toTime(event.offsetX)};
    redraw();
    return;
  }
  byId('tracks').classList.add('panning');
  const by = dx / scaleOf();
  setView(drag.view.begin - by, drag.view.end - by);
  byId('body').scrollTop = drag.top - dy;
}

function endDrag() {
  drag = span = null;
  byId('tracks').classList.remove('panning');
  redraw();
}

function listenToDrag(canvas) {
  const isTracks = canvas === byId('tracks');
  canvas.addEventListener('wheel', onWheel, {passive: false});
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0)
      return;
    canvas.setPointerCapture(event.pointerId);
    drag = {x: event.offsetX, y: event.offsetY, view, top: byId('body').scrollTop, moved: false,
            measures: !isTracks || event.shiftKey};
  });
  canvas.addEventListener('pointermove', (event) => {
    if (drag)
      moveDrag(event);
    else if (isTracks)
      hover(event.offsetX, event.offsetY, event.clientX, event.clientY);
  });
  canvas.addEventListener('pointerup', (event) => {
    if (drag && !drag.moved && isTracks) {
      select(eventAt(event));
      showFound();
    }
    if (span)
      setView(Math.min(span.from, span.to), Math.max(span.from, span.to));
    endDrag();
  });
  canvas.addEventListener('pointercancel', endDrag);
}

/* The event of the trace under the pointer; -1: none. */
function eventAt(pointer) {
  const place = eventsAt(pointer.offsetX, pointer.offsetY);
  return place?.row.lane ? longestOf(place) : -1;
}

function listenToTracks() {
  const tracks = byId('tracks');
  tracks.addEventListener('pointerleave', () => hover(-1, -1, 0, 0));
  tracks.addEventListener('dblclick', (event) => {
    const target = eventAt(event);
    if (target >= 0)
      zoomToEvent(target);
    else
      zoom(0.25, event.offsetX);
  });
}

function listenToOverview() {
  const overview = byId('overview');
  const centre = (event) => {
    const whole = wholeTrace(), half = (view.end - view.begin) / 2;
    const time = whole.begin + event.offsetX / canvases.overview.width * (whole.end - whole.begin);
    setView(time - half, time + half);
  };
  overview.addEventListener('pointerdown', (event) => {
    overview.setPointerCapture(event.pointerId);
    centre(event);
  });
  overview.addEventListener('pointermove', (event) => event.buttons & 1 && centre(event));
}

function listenToSplitter() {
  const splitter = byId('splitter'), panel = byId('panel');
  const setHeight = (height) => {
    panel.style.height = Math.max(60, Math.min(height, innerHeight - 260)) + 'px';
  };
  splitter.addEventListener('pointerdown', (event) => splitter.setPointerCapture(event.pointerId));
  splitter.addEventListener('pointermove', (event) =>
    event.buttons & 1 && setHeight(innerHeight - event.clientY));
  splitter.addEventListener('keydown', (event) => {
    const by = {ArrowUp: 20, ArrowDown: -20}[event.key];
    if (by)
      setHeight(panel.clientHeight + by);
    event.stopPropagation();
  });
}

const wholeView = () => {
  const whole = wholeTrace();
  setView(whole.begin, whole.end);
};
const scrollBy = (pixels) => { byId('body').scrollTop += pixels; };
const clear = () => {
  byId('query').value = '';
  search('');
  select(-1);
};
const KEYS = {
  'w': () => zoom(0.7), '+': () => zoom(0.7), '=': () => zoom(0.7),
  's': () => zoom(1 / 0.7), '-': () => zoom(1 / 0.7),
  'a': () => pan(-0.15), 'd': () => pan(0.15),
  'ArrowLeft': () => pan(-0.15), 'ArrowRight': () => pan(0.15),
  'ArrowUp': () => scrollBy(-40), 'ArrowDown': () => scrollBy(40),
  '0': wholeView, 'f': () => selected >= 0 && zoomToEvent(selected),
  ',': () => selectNeighbour(-1), '.': () => selectNeighbour(1),
  'n': () => goToMatch(true), 'p': () => goToMatch(false),
  '/': () => byId('query').select(), '?': () => byId('help-dialog').showModal(),
  'Escape': clear,
};

function listenToKeys() {
  document.addEventListener('keydown', (event) => {
    const within = (selector) => event.target.closest?.(selector);
    if (event.ctrlKey || event.metaKey || event.altKey || within('input, dialog') ||
        event.key.startsWith('Arrow') && within('#panel'))
      return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (KEYS[key]) {
      event.preventDefault();
      KEYS[key]();
    }
  });
  byId('query').addEventListener('keydown', (event) => {
    if (event.key === 'Enter')
      goToMatch(!event.shiftKey);
    if (event.key === 'Escape') {
      clear();
      byId('tracks').focus();
    }
  });
  const tabs = ['summary', 'work', 'selected'];
  tabs.forEach((name, at) => {
    byId('tab-' + name).addEventListener('click', () => showTab(name));
    byId('tab-' + name).addEventListener('keydown', (event) => {
      const by = {ArrowLeft: 2, ArrowRight: 1}[event.key];
      if (by) {
        showTab(tabs[(at + by) % 3]);
        byId('tab-' + tabs[(at + by) % 3]).focus();
      }
    });
  });
}

function listenToButtons() {
  const click = (id, action) => byId(id).addEventListener('click', action);
  click('zoom-in', () => zoom(0.5));
  click('zoom-out', () => zoom(2));
  click('reset', wholeView);
  click('next', () => goToMatch(true));
  click('previous', () => goToMatch(false));
  click('theme', () => setTheme(document.documentElement.dataset.theme !== 'dark'));
  click('help', () => byId('help-dialog').showModal());
  byId('query').addEventListener('input', (event) => search(event.target.value));
  byId('body').addEventListener('scroll', redraw);
}

/* ---- Start ---- */

function start() {
  const preference = matchMedia('(prefers-color-scheme: dark)');
  document.documentElement.dataset.theme = preference.matches ? 'dark' : 'light';
  try {
    trace = readTrace();
  } catch (error) {
    byId('notices').replaceChildren(
      element('div', 'The trace in this page cannot be read: ' + error.message + '.'));
    return;
  }
  makeNotices();
  makeFilters();
  makeTables();
  layOut();
  select(-1);
  showTab('summary');
  if (!trace.count)
    showEmpty();
  sizeCanvases();
  view = wholeTrace();
  setTheme(preference.matches);
  preference.addEventListener('change', () => setTheme(preference.matches));
  listenToMouse();
  listenToKeys();
  listenToButtons();
  /* Setting the size of a canvas clears it, so draw in the same frame. */
  new ResizeObserver(() => {
    sizeCanvases();
    draw();
  }).observe(byId('tracks'));
  /* After the first frame. */
  requestAnimationFrame(() => setTimeout(() => performance.measure('open', {start: 0})));
}

start();
