# SPDX-License-Identifier: Apache-2.0
"""Check a document against the Trace Event Format, as documented by the authors of
chrome://tracing.

Only the phases that cushim writes are known. Times are exact: Decimal, in microseconds.

    validate_json.py FILE
"""

import decimal
import json
import sys

METADATA = {'process_name': 'name', 'process_labels': 'labels', 'process_sort_index': 'sort_index',
            'thread_name': 'name', 'thread_sort_index': 'sort_index'}
PHASES = 'MXCisfbe'


class Invalid(Exception):
    pass


def require(condition, event, what):
    if not condition:
        raise Invalid('%s: %r' % (what, event))


def no_duplicates(pairs):
    """Return a JSON object; refuse duplicate keys."""
    result = dict(pairs)
    if len(result) != len(pairs):
        raise Invalid('a key comes twice: %r' % (pairs,))
    return result


def parse(data):
    """Parse a document, which must be UTF-8 without control characters."""
    text = data.decode('utf-8')
    if any(ord(one) < 32 and one != '\n' for one in text):
        raise Invalid('there is a control character')
    return json.loads(text, parse_float=decimal.Decimal, object_pairs_hook=no_duplicates)


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def is_time(value):
    return (is_integer(value) or isinstance(value, decimal.Decimal)) and value >= 0


def check_event(event):
    require(isinstance(event, dict), event, 'an event is an object')
    require(event.get('ph') in PHASES and len(event['ph']) == 1, event, 'it has a phase')
    require(is_integer(event.get('pid')) and is_integer(event.get('tid')), event,
            'it has a process and a thread')
    require(is_time(event.get('ts')), event, 'it has a time')
    require(isinstance(event.get('name'), str), event, 'it has a name')
    require(isinstance(event.get('args', {}), dict), event, 'arguments are an object')
    phase = event['ph']
    if phase == 'M':
        require(event['name'] in METADATA, event, 'it is metadata that there is')
        value = event['args'].get(METADATA[event['name']])
        require(is_integer(value) if 'index' in event['name'] else isinstance(value, str), event,
                'metadata have a value of their type')
    elif phase == 'X':
        require(is_time(event.get('dur')), event, 'it has a duration')
        require(isinstance(event.get('cat'), str), event, 'it has a category')
    elif phase == 'C':
        require(event['args'] and all(is_integer(value) for value in event['args'].values()),
                event, 'a counter has numbers')
    elif phase == 'i':
        require(event.get('s') in ('g', 'p', 't'), event, 'a mark has a scope')
    else:
        require('id' in event and isinstance(event.get('cat'), str), event,
                'a flow or asynchronous event has a category and a number')


def check_nesting(events):
    """Check that the events of a track nest."""
    ends = []
    for event in sorted(events, key=lambda one: (one['ts'], -one['dur'])):
        end = event['ts'] + event['dur']
        while ends and ends[-1] <= event['ts']:
            ends.pop()
        require(not ends or end <= ends[-1], event, 'events of a track overlap')
        ends.append(end)


def check_flows(events, tracks):
    """Check that each flow begins at an event, and ends once at the beginning of another one."""
    starts = {}
    for event in events:
        if event['ph'] == 's':
            require(event['id'] not in starts, event, 'a flow begins once')
            starts[event['id']] = event
    for event in events:
        if event['ph'] != 'f':
            continue
        start = starts.pop(event['id'], None)
        require(start is not None, event, 'a flow that ends has begun')
        require(start['cat'] == event['cat'] and start['name'] == event['name'], event,
                'both ends of a flow are called the same')
        require(event.get('bp') == 'e', event, 'a flow ends in the event around it')
        for end in (start, event):
            begins = tracks.get((end['pid'], end['tid']), {})
            require(end['ts'] in begins, end, 'a flow is tied to an event')
    require(not starts, starts, 'a flow that has begun ends')


def check_asynchronous(events):
    """Check that each asynchronous event begins once, and ends once, not before it begins."""
    begun = {}
    for event in events:
        key = (event['pid'], event.get('cat'), event.get('id'))
        if event['ph'] == 'b':
            require(key not in begun, event, 'an asynchronous event begins once')
            begun[key] = event
        elif event['ph'] == 'e':
            require(key in begun, event, 'an asynchronous event that ends has begun')
            begin = begun.pop(key)
            require(begin['name'] == event['name'] and begin['ts'] <= event['ts'], event,
                    'both ends of an asynchronous event are called the same')
    require(not begun, begun, 'an asynchronous event that has begun ends')


def validate(document):
    """Raise Invalid if a document does not follow the format."""
    require(isinstance(document, dict), document, 'the document is an object')
    require(document.get('displayTimeUnit') in ('ms', 'ns'), '', 'times are shown in a unit')
    require(isinstance(document.get('otherData'), dict), '', 'there are other data')
    events = document['traceEvents']
    complete, named = {}, set()
    for event in events:
        check_event(event)
        if event['ph'] == 'X':
            complete.setdefault((event['pid'], event['tid']), []).append(event)
        if event['name'] == 'thread_name':
            require((event['pid'], event['tid']) not in named, event, 'a track has one name')
            named.add((event['pid'], event['tid']))
    for track, members in complete.items():
        require(track in named, track, 'a track has a name')
        check_nesting(members)
    check_asynchronous(events)
    check_flows(events, {track: {event['ts'] for event in members}
                         for track, members in complete.items()})


if __name__ == '__main__':
    with open(sys.argv[1], 'rb') as file:
        validate(parse(file.read()))
