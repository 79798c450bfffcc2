# SPDX-License-Identifier: Apache-2.0
"""Read the CUDA driver's headers without a compiler.

cuda.h hides its old ABIs: macros rename what a program calls (`cuMemAlloc` becomes
`cuMemAlloc_v2`), and the functions that only old binaries need are declared for nobody but a
reader who defines `__CUDA_API_VERSION_INTERNAL`; others are declared for Windows alone. So a header
is read several times and the readings are joined. Each reading has to preprocess the text for real,
but only as far as these headers go.
"""

import os
import re
from typing import Dict, List, NamedTuple, Optional, Tuple

# One reading per set of macros that changes what the headers declare, the one that declares most
# first. What only a later reading declares gets the platform that stands beside it.
_READINGS = (
    ('-', {'__LP64__': '1', '__CUDA_API_VERSION_INTERNAL': '1'}),
    ('-', {'__LP64__': '1'}),
    ('windows', {'__LP64__': '1', '_WIN32': '1', '_WIN64': '1'}),
)

# Calling conventions and the like: part of no type. CUDAAPI comes from cuda.h, which the
# interop headers include and this reader does not follow.
_NOISE = {'CUDAAPI', 'CUDA_CB', '__stdcall', '__CUDA_DEPRECATED', 'extern'}

_COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.DOTALL)
_SECTION = re.compile(r'\\defgroup\s+(\w+)|@\}')
_TOKEN = re.compile(r'\w+|##|&&|\|\||[=!<>]=|"[^"\n]*"|\S')
_DIRECTIVE = re.compile(r'\s*#\s*(\w+)\s*(.*)')
_DEFINE = re.compile(r'(\w+)(\(([^)]*)\))?\s*(.*)')


class HeaderError(Exception):
    """A header says something that this reader does not understand."""


class Declaration(NamedTuple):
    """One function as a header declares it; `parameters` are (type, name) pairs."""

    symbol: str
    parameters: Tuple[Tuple[str, str], ...]
    section: str
    platform: str


class Typedef(NamedTuple):
    """One typedef: `kind` is handle, enum, struct, function or alias.

    `target` is the tag that it names or points to (`struct CUctx_st`), or the type it is an alias
    of; empty where there is none.
    """

    name: str
    kind: str
    target: str


class Header(NamedTuple):
    """All that one header file declares, in the order in which it does."""

    path: str
    version: Optional[int]
    functions: Dict[str, Declaration]
    typedefs: Dict[str, Typedef]
    enums: Dict[str, Tuple[Tuple[int, str], ...]]


class Macro(NamedTuple):
    """`parameters` is None for an object-like macro."""

    parameters: Optional[List[str]]
    body: List[str]


class Painted(str):
    """A token that stood inside its own expansion, and is never expanded again."""


def read_header(path: str) -> Header:
    """Join all readings of one header; raise HeaderError where they contradict each other."""
    with open(path, encoding='utf-8', errors='replace') as file:
        text = _without_comments(file.read())
    functions: Dict[str, Declaration] = {}
    typedefs: Dict[str, Typedef] = {}
    enums: Dict[str, Tuple[Tuple[int, str], ...]] = {}
    version = None
    for platform, defined in _READINGS:
        macros = {name: Macro(None, [value]) for name, value in defined.items()}
        for section, statement in _statements(path, text, macros):
            function = _function(statement, section, platform)
            if function is not None:
                known = functions.setdefault(function.symbol, function)
                if [type for type, _ in known.parameters] != [t for t, _ in function.parameters]:
                    raise HeaderError('%s: %s is declared in two ways' % (path, function.symbol))
            elif statement[0] == 'typedef':
                typedef = _typedef(statement)
                typedefs.setdefault(typedef.name, typedef)
                if typedef.kind == 'enum' and '{' in statement and typedef.name not in enums:
                    enums[typedef.name] = tuple(_enumerators(path, statement))
        if 'CUDA_VERSION' in macros:
            version = int(macros['CUDA_VERSION'].body[0])
    return Header(path, version, functions, typedefs, enums)


def read_versions(paths: List[str]) -> Dict[str, Dict[int, Tuple[str, ...]]]:
    """Read `PFN_cuX_v12080` out of the cuda*Typedefs.h files that exist.

    Returns, for `cuX` or `cuX_ptsz`, each version with the parameter types of that ABI.
    """
    versions: Dict[str, Dict[int, Tuple[str, ...]]] = {}
    for path in paths:
        if not os.path.exists(path):
            continue
        with open(path, encoding='utf-8', errors='replace') as file:
            text = _without_comments(file.read())
        macros = {'__CUDA_API_VERSION_INTERNAL': Macro(None, ['1']), '_WIN32': Macro(None, ['1'])}
        for _, statement in _statements(path, text, macros):
            words = ' '.join(word for word in statement if word not in _NOISE)
            match = re.match(r'typedef CUresult \( \* PFN_(cu\w+?)_v(\d+)(_pt[ds][sz])? \) '
                             r'\( (.*) \)$', words)
            if match:
                name = match.group(1) + (match.group(3) or '')
                types = tuple(type for type, _ in _parameters(match.group(4).split()))
                versions.setdefault(name, {})[int(match.group(2))] = types
    return versions


def _without_comments(text: str) -> str:
    """Blank the comments, but keep what Doxygen's say about the section that begins there."""

    def blank(match):
        section = _SECTION.search(match.group())
        return '\n#section %s\n' % (section.group(1) or '') if section else ' '

    return _COMMENT.sub(blank, text.replace('\r', '')).replace('\\\n', ' ')


def _statements(path: str, text: str, macros: Dict[str, Macro]):
    """Yield (section, tokens) for each statement at file scope, preprocessed with `macros`.

    `macros` is updated as the header defines and undefines.
    """
    section = ''
    active = [(True, True)]  # of each open #if: is this branch read, has any branch been read
    statement: List[str] = []
    depth = 0
    for line in text.split('\n'):
        directive = _DIRECTIVE.match(line)
        if directive:
            word, rest = directive.groups()
            if word in ('if', 'ifdef', 'ifndef'):
                outer = active[-1][0]
                taken = outer and _condition(path, word, rest, macros)
                active.append((taken, taken or not outer))
            elif word in ('elif', 'else'):
                taken = not active[-1][1] and (word == 'else' or
                                               _condition(path, 'if', rest, macros))
                active[-1] = (taken, taken or active[-1][1])
            elif word == 'endif':
                active.pop()
            elif active[-1][0] and word == 'section':
                section = rest.strip()
            elif active[-1][0] and word == 'define':
                name, function, parameters, body = _DEFINE.match(rest).groups()
                names = [p.strip() for p in parameters.split(',')] if function else None
                macros[name] = Macro(names, _TOKEN.findall(body))
            elif active[-1][0] and word == 'undef':
                macros.pop(rest.strip(), None)
            continue
        if not active[-1][0]:
            continue
        for token in _expand(_TOKEN.findall(line), macros):
            depth += (token in '({') - (token in ')}')
            if token == ';' and depth == 0:
                if statement:
                    yield section, statement
                statement = []
            else:
                statement.append(token)


def _condition(path: str, word: str, rest: str, macros: Dict[str, Macro]) -> bool:
    """Decide an #if, #ifdef or #ifndef."""
    if word != 'if':
        return (rest.split()[0] in macros) == (word == 'ifdef')
    rest = re.sub(r'\bdefined\s*\(?\s*(\w+)\s*\)?',
                  lambda match: str(int(match.group(1) in macros)), rest)
    python = {'&&': ' and ', '||': ' or ', '!': ' not '}
    words = []
    for token in _expand(_TOKEN.findall(rest), macros):
        number = re.match(r'(0[xX][0-9a-fA-F]+|\d+)[uUlL]*$', token)
        if number:
            words.append(str(int(number.group(1), 0)))
        elif re.match(r'[A-Za-z_]\w*$', token):
            words.append('0')
        elif token in python or token in ('(', ')', '<', '>', '<=', '>=', '==', '!=', '+', '-'):
            words.append(python.get(token, token))
        else:
            raise HeaderError("%s: cannot decide '#if %s'" % (path, rest))
    return bool(eval(' '.join(words)))  # nothing but numbers and operators is left


def _expand(tokens: List[str], macros: Dict[str, Macro], hidden=frozenset()) -> List[str]:
    """Replace macros as the C preprocessor does, as far as arguments stay on one line."""
    result: List[str] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        i += 1
        macro = macros.get(token)
        if macro is None or isinstance(token, Painted):
            result.append(token)
            continue
        if token in hidden:
            result.append(Painted(token))
            continue
        body = macro.body
        if macro.parameters is not None:
            if tokens[i:i + 1] != ['(']:
                result.append(token)
                continue
            arguments, i = _arguments(tokens, i)
            body = _substitute(macro, arguments, macros, hidden)
        result.extend(_expand(body, macros, hidden | {token}))
    return result


def _arguments(tokens: List[str], i: int) -> Tuple[List[List[str]], int]:
    """Split the macro arguments that begin at the parenthesis `i`; say where they end."""
    arguments: List[List[str]] = [[]]
    depth = 0
    while True:
        token = tokens[i]
        i += 1
        depth += (token == '(') - (token == ')')
        if depth == 0:
            return arguments, i
        if token == ',' and depth == 1:
            arguments.append([])
        elif not (token == '(' and depth == 1):
            arguments[-1].append(token)


def _substitute(macro: Macro, arguments, macros, hidden) -> List[str]:
    """Put arguments into a macro's body: those beside ## unchanged, others expanded."""
    given = dict(zip(macro.parameters, arguments))
    result: List[str] = []
    glue = False
    for i, token in enumerate(macro.body):
        if token == '##':
            glue = True
            continue
        beside = glue or macro.body[i + 1:i + 2] == ['##']
        words = given.get(token, [token])
        words = words if beside else _expand(words, macros, hidden)
        if glue and result and words:
            result[-1] += words[0]
            words = words[1:]
        result.extend(words)
        glue = False
    return result


def _function(statement: List[str], section: str, platform: str) -> Optional[Declaration]:
    words = [word for word in statement if word not in _NOISE]
    if words[0] != 'CUresult' or words[2:3] != ['('] or words[-1] != ')':
        return None
    return Declaration(words[1], tuple(_parameters(words[3:-1])), section, platform)


def _parameters(words: List[str]) -> List[Tuple[str, str]]:
    """Split a parameter list into (type, name); the type in one canonical spelling."""
    parameters: List[Tuple[str, str]] = []
    for text in ' '.join(word for word in words if word not in _NOISE).split(' , '):
        text = text.strip()
        if text == 'void':
            continue
        match = re.match(r'([\w *]+?)(\w+)(?: \[(?: \w+)? \])?$', text)
        if not match:
            raise HeaderError("cannot read the parameter '%s'" % text)
        type, name = match.groups()
        if text.endswith(']'):
            type += '*'
        type = re.sub(r'\bunsigned(?! (int|char|short|long))\b', 'unsigned int', type)
        parameters.append((re.sub(r'\* +(?=\*)', '*', type.strip()), name))
    return parameters


def _typedef(statement: List[str]) -> Typedef:
    """Sort a typedef into the kinds that matter to somebody who passes the type on."""
    words = [word for word in statement[1:] if word not in _NOISE]
    pointer = re.search(r'\( \* (\w+) \) \(', ' '.join(words))
    if pointer and words[-1] == ')':
        return Typedef(pointer.group(1), 'function', '')
    tagged = words[0] in ('struct', 'union', 'enum') and re.match(r'\w', words[1])
    target = ' '.join(words[:2]) if tagged else ''
    if words[-1] == ']':
        return Typedef(words[words.index('[') - 1], 'struct', target)
    if words[-2] == '*':
        return Typedef(words[-1], 'handle', target)
    if words[0] in ('struct', 'union'):
        return Typedef(words[-1], 'struct', target)
    if words[0] == 'enum':
        return Typedef(words[-1], 'enum', target)
    return Typedef(words[-1], 'alias', ' '.join(words[:-1]))


def _enumerators(path: str, statement: List[str]):
    """Yield (number, name) of an enum; C's rule of counting on is part of it."""
    numbers: Dict[str, int] = {}
    number = -1
    body = ' '.join(statement[statement.index('{') + 1:len(statement) - 2])
    for text in body.split(','):
        name, _, value = (part.strip() for part in text.partition('='))
        if name:
            try:
                number = int(_value(value, numbers)) if value else number + 1
            except (SyntaxError, NameError) as error:
                raise HeaderError("%s: cannot read the enumerator '%s'" % (path, text.strip())) \
                    from error
            numbers[name] = number
            yield number, name


def _value(text: str, numbers: Dict[str, int]) -> int:
    """A constant of C: numbers and former enumerators, with operators that Python has, too."""
    text = re.sub(r'\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b', r'\1', text.replace('< <', '<<'))
    return eval(text, {'__builtins__': {}}, numbers)  # pylint: disable=eval-used
