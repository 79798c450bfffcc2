# SPDX-License-Identifier: Apache-2.0
"""How the registry spells the types of the driver's headers.

A header may use names that exist only inside it, only for some readers, or only in headers of GL,
EGL or VDPAU. The registry uses none of these: a row compiles after any cuda.h that is as new as it.
"""

import re
from typing import Dict, Iterable, Optional, Tuple

from header import Header, Typedef
from rows import OLDEST_HEADER, Parameter, Type

# Types of other people's headers, by what the ABI makes of them. VdpGetProcAddress is a function
# type that is passed by pointer, so it ends up as `void *`.
_FOREIGN = {
    'GLuint': 'unsigned int', 'GLenum': 'unsigned int', 'HGPUNV': 'void *',
    'EGLint': 'int', 'EGLImageKHR': 'void *', 'EGLStreamKHR': 'void *', 'EGLSyncKHR': 'void *',
    'VdpDevice': 'unsigned int', 'VdpVideoSurface': 'unsigned int',
    'VdpOutputSurface': 'unsigned int', 'VdpGetProcAddress': 'void',
}
_STANDARD = {'uint32_t': 'unsigned int', 'uint64_t': 'unsigned long long'}
_TYPE_NAME = re.compile(r'\b(?:struct |union |enum )?(?!const\b)[A-Za-z_]\w*\b')


class Spelling:
    """Knows the typedefs of one toolkit; `cuda` is its cuda.h, `others` the headers around it."""

    def __init__(self, cuda: Header, others: Iterable[Header]):
        self._public = cuda.typedefs
        self._all: Dict[str, Typedef] = dict(cuda.typedefs)
        for header in others:
            for name, typedef in header.typedefs.items():
                self._all.setdefault(name, typedef)

    def parameters(self, pairs: Iterable[Tuple[str, str]]) -> Tuple[Parameter, ...]:
        """Spell a declaration's parameters as the registry has them."""
        return tuple(Parameter(self._replace(type, self._portable), name) for type, name in pairs)

    def canonical(self, types: Iterable[str]) -> Tuple[str, ...]:
        """Resolve all typedefs: two lists are equal if C takes them for the same prototype."""
        return tuple(self._replace(self._replace(type, self._portable), self._resolved)
                     for type in types)

    def declares(self, type_name: str) -> Optional[str]:
        """The tag or plain C type that cuda.h gives this public name; None if it has no such."""
        return self._resolved(type_name) if type_name in self._public else None

    def type(self, type_name: str, since: int) -> Optional[Type]:
        """Explain one type that a row uses, for headers which do not know it; None if plain C."""
        if type_name.startswith(('struct ', 'union ')):
            return Type(type_name, 'struct', 'void', OLDEST_HEADER)
        typedef = self._all.get(type_name)
        if typedef is None:
            return None
        while typedef.kind == 'alias' and typedef.target in self._all:
            typedef = self._all[typedef.target]
        if typedef.kind == 'alias':
            return Type(type_name, 'integer', _STANDARD.get(typedef.target, typedef.target), since)
        plain = {'handle': 'void *', 'function': 'void *', 'enum': 'int', 'struct': 'void'}
        return Type(type_name, typedef.kind, plain[typedef.kind], since)

    def _replace(self, type: str, spell) -> str:
        type = _TYPE_NAME.sub(lambda match: spell(match.group()), type)
        return re.sub(r'\* +(?=\*)', '*', type)

    def _portable(self, type_name: str) -> str:
        """Only unversioned names of cuda.h are in every header; spell others by what they are."""
        typedef = self._all.get(type_name)
        if type_name in _FOREIGN:
            return _FOREIGN[type_name]
        if typedef is None or (type_name in self._public and not re.search(r'_v\d+$', type_name)):
            return type_name
        if typedef.kind == 'enum':
            return 'unsigned int'
        if typedef.kind == 'handle':
            return typedef.target + ' *'
        return self._portable(typedef.target) if typedef.kind == 'alias' else typedef.target

    def _resolved(self, type_name: str) -> str:
        typedef = self._all.get(type_name)
        if typedef is None:
            return _STANDARD.get(type_name, type_name)
        if typedef.kind == 'alias':
            return self._replace(typedef.target, self._resolved)
        return (typedef.target or type_name) + (' *' if typedef.kind == 'handle' else '')
