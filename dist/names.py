# SPDX-License-Identifier: Apache-2.0
"""The names that a C file keeps for itself at file scope.

Two files that become one may not share any. The compiler finds most of these clashes, but not all:
`static int x;` twice is one x.
"""

import re

from source import LEXEME, SourceError, without_comments

TOKEN = re.compile(r'\w+|[{}()\[\];,=*]')
# A macro of the system's whose use is a type.
TYPE_OF_WORD_SIZE = re.compile(r'\bElfW\((\w+)\)')
OPEN, CLOSE = '{([', '})]'
# What looks like a function before the name of one.
ATTRIBUTES = {'__attribute__', '_Alignas', '_Static_assert', '__declspec', '__asm__', 'asm'}


def tokens(text):
    text = LEXEME.sub(lambda match: match.group(0) if match.group(0)[0] == '/' else '""',
                      without_comments(text))
    text = re.sub(r'(?m)^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', '', text)
    return TOKEN.findall(TYPE_OF_WORD_SIZE.sub(r'ElfW_\1', text))


def declarations(text):
    """Each declaration at file scope as a list of (token, depth of brackets)."""
    current, depth = [], 0
    for token in tokens(text):
        if token in CLOSE:
            depth -= 1
        current.append((token, depth))
        if token in OPEN:
            depth += 1
        # `extern "C" {` is the end of one, and its brace is none.
        if [t for t, _ in current] == ['extern', '{']:
            current, depth = [], 0
            continue
        if depth < 0:
            current, depth = [], 0
            continue
        if depth == 0 and (token == ';' or (token == '}' and is_function(current))):
            yield current
            current = []
    if [t for t, _ in current if t != ';']:
        raise SourceError('a declaration has no end: %s' % ' '.join(t for t, _ in current[:12]))


def is_function(declaration):
    """Whether the brace that opened last at depth 0 is a body: nothing but ')' comes before one."""
    top = [token for token, depth in declaration if depth == 0]
    return '=' not in top and ')' in top and top[-2:] == ['{', '}'] and top[-3] == ')'


def tags_and_enumerators(declaration):
    names = set()
    for number, (token, depth) in enumerate(declaration):
        if token not in ('struct', 'union', 'enum'):
            continue
        rest = declaration[number + 1:]
        tag = rest[0][0] if rest and re.match(r'\w', rest[0][0]) else None
        body = rest[1:] if tag else rest
        if not body or body[0][0] != '{':
            continue
        if tag:
            names.add('%s %s' % (token, tag))
        if token == 'enum':
            inner, expected = body[0][1] + 1, True
            for word, level in body[1:]:
                if level < inner:
                    break
                if level == inner and word == ',':
                    expected = True
                elif expected:
                    names.add(word)
                    expected = False
    return names


def pointer_name(rest):
    """The name in what follows the bracket of `(*name)(...)` and `(CUDAAPI *name)(...)`."""
    end = next((number for number, (token, depth) in enumerate(rest)
                if token == ')' and depth == 0), len(rest))
    words = [token for token, _ in rest[:end]]
    if '*' in words[:2] and end + 1 < len(rest) and rest[end + 1][0] in '([':
        return words[words.index('*') + 1]
    return None


def declared(declaration):
    """The names of functions and objects, or of types, that it declares."""
    names, last, done = [], None, False
    for number, (token, depth) in enumerate(declaration):
        if depth:
            continue
        if token == ',':
            if not done and last:
                names.append(last)
            last, done = None, False
        elif token in ATTRIBUTES or token == '{':
            # What stood before is the head of an attribute, a struct or an enum: no name.
            last = None
        elif re.match(r'\w', token):
            last = token
        elif token in '([=;' and not done:
            name = pointer_name(declaration[number + 1:]) if token == '(' else None
            if name or last:
                names.append(name or last)
                done = True
    return names


def private_names(text):
    """What the file has for itself: statics, types, tags and enumerators."""
    names = set()
    for declaration in declarations(text):
        words = [token for token, depth in declaration if depth == 0]
        names |= tags_and_enumerators(declaration)
        if 'static' in words or 'typedef' in words:
            names.update(declared(declaration))
    return names


def clashes(files):
    """Pairs of files that have a private name in common: (name, one, other)."""
    owner, found = {}, []
    for name, text in files:
        try:
            mine = private_names(text)
        except SourceError as error:
            raise SourceError('%s: %s' % (name, error)) from error
        for private in sorted(mine):
            if private in owner:
                found.append((private, owner[private], name))
            owner[private] = name
    return found
