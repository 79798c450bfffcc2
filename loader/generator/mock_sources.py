# SPDX-License-Identifier: Apache-2.0
"""What the sources of the mock implement: their definitions, read and checked against the registry.

A definition begins a line and may go on over several:

    MOCK_EXACT(EventCreate)(CUevent *event, unsigned int flags)
    {

    MOCK_APPROXIMATE(CtxCreate_v3,
                        "execution affinity is not simulated")(CUcontext *context, ...)
    {

See src/mock/api/api.h. Nothing is guessed: what looks like a definition and is none, names no slot or
defines one twice raises SourceError, which names the file and the line.
"""

import re
from typing import Dict, Iterable, NamedTuple, Optional

from rows import Function

_MENTION = re.compile(r'MOCK_(?:EXACT|APPROXIMATE)\s*\(')
_DEFINITION = re.compile(r'''^MOCK_(?:
        EXACT\(\s*(?P<exact>\w+)\s*\)
      | APPROXIMATE\(\s*(?P<approximate>\w+)\s*,\s*(?P<difference>(?:"[^"\n]*"\s*)+)\)
    )\s*\((?P<parameters>[^;{}]*)\)\s*\{''', re.MULTILINE | re.VERBOSE)


class SourceError(Exception):
    """A definition breaks a rule; the message begins with `file:line:`."""

    def __init__(self, path: str, line: int, message: str):
        super().__init__('%s:%d: %s' % (path, line, message))


class Definition(NamedTuple):
    """One slot that the mock implements; `difference` is None if it answers as the driver does."""

    slot: str
    difference: Optional[str]
    path: str
    line: int


def read_definitions(paths: Iterable[str],
                     functions: Iterable[Function]) -> Dict[str, Definition]:
    """Read and check the definitions in all sources, by slot."""
    slots = {function.slot for function in functions}
    definitions: Dict[str, Definition] = {}
    for path in paths:
        for definition in _definitions(path):
            where = (path, definition.line)
            if definition.slot not in slots:
                raise SourceError(*where, 'there is no slot %s' % definition.slot)
            if definition.slot in definitions:
                other = definitions[definition.slot]
                raise SourceError(*where, '%s is already defined at %s:%d'
                                  % (definition.slot, other.path, other.line))
            definitions[definition.slot] = definition
    return definitions


def _definitions(path):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    position = 0
    for mention in _MENTION.finditer(text):
        line = text.count('\n', 0, mention.start()) + 1
        match = _DEFINITION.match(text, mention.start())
        if mention.start() < position or not match:
            raise SourceError(path, line, 'this is no definition as src/mock/api/api.h shows them')
        position = match.end()
        difference = None
        if match.group('approximate'):
            difference = ''.join(re.findall(r'"([^"]*)"', match.group('difference')))
            _check_difference(path, line, difference)
        yield Definition(match.group('exact') or match.group('approximate'), difference, path, line)


def _check_difference(path, line, text):
    """It stands in a row of a Markdown table, and reads on from the function's name."""
    if (not text.strip() or text != text.strip() or text.endswith('.') or not text.isascii()
            or not text.isprintable() or set(text) & set('|\\<>')):
        raise SourceError(path, line, 'what differs is to be said in a few plain words, not "%s"'
                          % text)
