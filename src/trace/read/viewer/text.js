/* SPDX-License-Identifier: Apache-2.0 */
/* Text: numbers with units, the tables, and the notices above the timeline. */
'use strict';

/* ---- Text ---- */

const UNITS = [['s', 1e9], ['ms', 1e6], ['\u00b5s', 1e3], ['ns', 1]];
const numbers = new Intl.NumberFormat('en-US');

function unitOf(ns) {
  return UNITS.find((unit) => Math.abs(ns) >= unit[1]) ?? UNITS[3];
}

function shortTime(ns) {
  const [name, size] = ns >= 72e11 ? ['h', 36e11] : ns >= 12e10 ? ['min', 6e10] : unitOf(ns);
  return Number((ns / size).toPrecision(4)) + ' ' + name;
}

function exactTime(ns) {
  const [name, size] = unitOf(ns);
  const digits = Math.round(Math.log10(size));
  return (ns / size).toFixed(digits).replace(/\.?0+$/, (zeros) => digits ? '' : zeros) + ' ' + name;
}

function shortBytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  for (; Math.abs(value) >= 1024 && unit + 1 < units.length; unit++)
    value /= 1024;
  return Number(value.toPrecision(4)) + ' ' + units[unit];
}

const percent = (part) => (100 * part).toFixed(part < 0.1 ? 1 : 0) + ' %';
const plural = (count, word) => numbers.format(count) + ' ' + word + (count === 1 ? '' : 's');
const valueText = (track, value) =>
  track.unit === 'bytes' ? shortBytes(value) : numbers.format(value);

function element(tag, text = '', properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.textContent = text;
  made.append(...children);
  return made;
}

/* ---- Tables ---- */

const MOST_ROWS = 1000;
const FORMATS = {
  text: (value) => value,
  time: (value) => value ? shortTime(value) : '0',
  count: (value) => numbers.format(value),
};

/* Each column is [title, format, function from row to value]; the first is a name to search for. */
function makeTable(place, columns, list, sortedBy, none) {
  if (!list.length) {
    byId(place).replaceChildren(element('p', none));
    return;
  }
  let column = sortedBy, descending = true;
  const body = element('tbody'), head = element('tr');
  const total = columns.find(([title]) => title === 'Total')[2];
  const most = list.reduce((so, row) => Math.max(so, total(row)), 1);
  const fill = () => {
    const value = columns[column][2], sign = descending ? -1 : 1;
    list.sort((a, b) => sign * (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0));
    [...head.children].forEach((th, at) => th.setAttribute('aria-sort',
      at !== column ? 'none' : descending ? 'descending' : 'ascending'));
    body.replaceChildren(...list.slice(0, MOST_ROWS).map((row) => makeRow(columns, row, most)));
  };
  columns.forEach(([title, format], at) => {
    const button = element('button', title, {type: 'button'});
    button.addEventListener('click', () => {
      descending = at === column ? !descending : format !== 'text';
      column = at;
      fill();
    });
    head.append(element('th', '', {className: format === 'text' ? 'text' : ''}, button));
  });
  fill();
  const table = element('table', '', {}, element('thead', '', {}, head), body);
  byId(place).replaceChildren(table);
  if (list.length > MOST_ROWS)
    byId(place).append(element('p', 'The first ' + MOST_ROWS + ' of ' + list.length + '.'));
}

function makeRow(columns, row, most) {
  const made = element('tr');
  columns.forEach(([title, format, valueOf], at) => {
    const value = valueOf(row), cell = element('td', FORMATS[format](value));
    if (format === 'text')
      cell.className = 'text';
    if (at === 0) {
      const button = element('button', value, {type: 'button', title: value});
      button.addEventListener('click', () => searchFor(value));
      cell.replaceChildren(button);
    }
    if (title === 'Total') {
      cell.className = 'bar';
      cell.style.backgroundSize = 100 * value / most + '% 2px';
    }
    if (title === 'Errors' && value > 0)
      cell.className = 'wrong';
    made.append(cell);
  });
  return made;
}

function makeTables() {
  makeTable('summary', [
    ['Function', 'text', (row) => trace.names[row[0]]],
    ['Calls', 'count', (row) => row[1]],
    ['Total', 'time', (row) => row[2]],
    ['Mean', 'time', (row) => row[2] / Math.max(row[1], 1)],
    ['Longest', 'time', (row) => row[5]],
    ['Blocked', 'time', (row) => row[4]],
    ['Errors', 'count', (row) => row[3]],
  ], [...trace.summary], 2, 'No call was seen.');
  makeTable('work', [
    ['Name', 'text', (row) => trace.names[row.name]],
    ['Kind', 'text', (row) => trace.classes[row.class]],
    ['Count', 'count', (row) => row.count],
    ['Total', 'time', (row) => row.total],
    ['Mean', 'time', (row) => row.total / row.count],
    ['Shortest', 'time', (row) => row.shortest],
    ['Longest', 'time', (row) => row.longest],
  ], workByName(), 3, 'No device work with times is in this trace.');
}

function workByName() {
  const found = new Map();
  for (const track of trace.tracks.filter((one) => one.kind === 'stream')) {
    for (let event = track.first; event < track.first + track.count; event++) {
      const key = trace.name[event] * 256 + trace.class[event], duration = trace.duration[event];
      let row = found.get(key);
      if (!row)
        found.set(key, row = {name: trace.name[event], class: trace.class[event], count: 0,
                              total: 0, shortest: duration, longest: duration});
      row.count++;
      row.total += duration;
      row.shortest = Math.min(row.shortest, duration);
      row.longest = Math.max(row.longest, duration);
    }
  }
  return [...found.values()];
}

/* ---- Notices ---- */

function makeNotices() {
  const notices = [];
  const addIf = (count, text) => count > 0 && notices.push(text(count));
  addIf(trace.lost_calls, (n) => plural(n, 'call') + ' missing: the trace had no room for more.');
  addIf(trace.lost_work, (n) => plural(n, 'piece') +
    ' of device work missing: the trace had no room for more.');
  if (trace.ended === false)
    notices.push('The process did not end the trace: it crashed or was killed. Calls that had ' +
                 'not returned by then are marked as unfinished.');
  if (trace.clock === 'virtual')
    notices.push('Times are those of the mock driver\u2019s virtual clock. They do not say how ' +
                 'long anything takes on a real device.');
  if (trace.device_times === false)
    notices.push('Device work was not timed, so only the calls are shown.');
  else
    addIf(trace.untimed_work, (n) => plural(n, 'piece') +
      ' of device work without times: not on the timeline.');
  if (trace.damage)
    notices.push('A part of the trace file could not be read: ' + readable(trace.damage) + '.');
  addIf(trace.lost_details, (n) => plural(n, 'event') +
    ' without details, to keep this page small.');
  addIf(trace.unknown_functions, (n) => plural(n, 'function') +
    ' that the program asked the driver for could not be traced' +
    ((trace.unknown_names ?? []).length
      ? ': ' + trace.unknown_names.map(readable).join(', ') +
        (n > trace.unknown_names.length ? ', and more.' : '.')
      : '.'));
  byId('notices').replaceChildren(...notices.map((text) => element('div', text)));
  const version = trace.driver_version, began = Number(BigInt(trace.began_unix_ns ?? 0) / 1000000n);
  byId('program').textContent = byId('program').title = readable(trace.program);
  document.title = readable(trace.program) + ' - cushim trace';
  byId('facts').textContent = [
    version ? 'CUDA ' + Math.floor(version / 1000) + '.' + version % 1000 / 10 : '',
    plural(trace.count, 'event') + ', ' + shortTime(trace.end),
    trace.call_cost_ns ? 'Tracing adds ' + shortTime(trace.call_cost_ns) + ' a call' : '',
  ].filter(Boolean).join('\n');
  byId('facts').title = [
    trace.driver ? 'Driver: ' + readable(trace.driver) : '',
    trace.process ? 'Process ' + trace.process : '',
    began ? 'Began ' + new Date(began).toISOString() : '',
  ].filter(Boolean).join('\n');
}

function showEmpty() {
  byId('empty').hidden = false;
  byId('panel').hidden = byId('splitter').hidden = true;
  byId('empty').replaceChildren(
    element('h2', 'No CUDA driver call was seen'),
    element('p', 'The program ran, but the trace has no event. Reasons may be:'),
    element('ul', '', {},
      element('li', 'The program ended, or failed, before its first call of the driver.'),
      element('li', 'A child process makes the calls: each process writes a trace of its own.'),
      element('li', 'The program drops the environment that it is started with, as set-user-ID ' +
                    'programs do, or it is linked statically.'),
      element('li', 'There is no driver on this machine, and the program went on without it.')));
}
