# SPDX-License-Identifier: Apache-2.0
"""What a row of each table of the registry is, and what may stand in it."""

import re
from typing import NamedTuple, Optional, Tuple

INTEROP = ('gl', 'egl', 'vdpau')

# The sections of the headers' documentation, and where one mixes two subjects, the names in it.
SECTIONS = {
    'CUDA_ERROR': 'error', 'CUDA_INITIALIZE': 'init', 'CUDA_VERSION': 'version',
    'CUDA_DEVICE': 'device', 'CUDA_PRIMARY_CTX': 'primary-context', 'CUDA_CTX': 'context',
    'CUDA_MODULE': 'module', 'CUDA_LIBRARY': 'library', 'CUDA_MEM': 'memory',
    'CUDA_VA': 'virtual-memory', 'CUDA_MALLOC_ASYNC': 'memory-pool',
    'CUDA_MULTICAST': 'multicast', 'CUDA_UNIFIED': 'unified', 'CUDA_STREAM': 'stream',
    'CUDA_EVENT': 'event', 'CUDA_EXTRES_INTEROP': 'external', 'CUDA_MEMOP': 'stream-memory',
    'CUDA_EXEC': 'execution', 'CUDA_GRAPH': 'graph', 'CUDA_OCCUPANCY': 'occupancy',
    'CUDA_TEXREF': 'texture', 'CUDA_TEXOBJECT': 'texture', 'CUDA_SURFREF': 'surface',
    'CUDA_SURFOBJECT': 'surface', 'CUDA_TENSOR_MEMORY': 'tensor-map',
    'CUDA_PEER_ACCESS': 'peer', 'CUDA_GRAPHICS': 'graphics',
    'CUDA_DRIVER_ENTRY_POINT': 'driver-entry', 'CUDA_COREDUMP': 'coredump',
    'CUDA_LOGICAL_ENDPOINT': 'logical-endpoint', 'CUDA_FABRIC_COPY': 'fabric-copy',
    'CUDA_GREEN_CONTEXTS': 'green-context', 'CUDA_LOGS': 'log', 'CUDA_CHECKPOINT': 'checkpoint',
    'CUDA_PROFILER': 'profiler', 'CUDA_GL': 'gl', 'CUDA_EGL': 'egl', 'CUDA_VDPAU': 'vdpau',
}
PREFIXES = (
    ('CUDA_LIBRARY', 'cuKernel', 'kernel'), ('CUDA_MEM', 'cuIpc', 'ipc'),
    ('CUDA_MEM', 'cuDevice', 'device'), ('', 'cuGetExportTable', 'export'),
    ('', 'cuGraphInstantiate', 'graph'),
)
GROUPS = frozenset([*SECTIONS.values(), *(group for _, _, group in PREFIXES)])
KINDS = ('handle', 'enum', 'struct', 'function', 'integer')
PLATFORMS = ('windows',)

# What the enumerators of a kind of attribute begin with.
ATTRIBUTE_PREFIXES = {'device': 'CU_DEVICE_ATTRIBUTE_', 'limit': 'CU_LIMIT_'}

# The oldest toolkit whose headers cushim compiles with: all that a row of this age names is known.
OLDEST_HEADER = 11020

# Result codes and attributes of this version and of older ones have no version of their own (0).
NEWEST_UNDATED = 13000

_VARIANT = re.compile(r'(?P<base>\w+?)(?:_v(?P<number>\d+))?(?:_(?P<stream>ptds|ptsz))?$')


def version_text(version: int) -> str:
    """A version of CUDA as people write it: 13.0 for 13000."""
    return '%d.%d' % (version // 1000, version % 1000 // 10)


class Parameter(NamedTuple):
    """One parameter; `type` is spelled so that `type + name` is a declaration if it ends in *."""

    type: str
    name: str

    @property
    def declaration(self) -> str:
        """The parameter in C."""
        return self.type + ('' if self.type.endswith('*') else ' ') + self.name

    @property
    def base_type(self) -> str:
        """The type without const and stars: what types.tsv explains, or a built-in type."""
        return ' '.join(word for word in self.type.replace('*', ' ').split() if word != 'const')


class Function(NamedTuple):
    """One exported symbol, which is one slot of the table and one ABI for ever."""

    symbol: str
    since: int
    group: str
    parameters: Tuple[Parameter, ...]
    twin: Optional[str]
    fallback: Optional[str]
    platform: Optional[str]

    @property
    def slot(self) -> str:
        """The name of the member in the table: no header macro can rename it."""
        return self.symbol[2:]

    @property
    def base(self) -> str:
        """The name that cuGetProcAddress knows: versions and streams are asked for otherwise."""
        return _VARIANT.match(self.symbol).group('base')

    @property
    def abi(self) -> int:
        """The N of `_vN`, 1 if the symbol has none."""
        return int(_VARIANT.match(self.symbol).group('number') or 1)

    @property
    def per_thread(self) -> bool:
        """Whether stream 0 means the per-thread default stream to this symbol."""
        return _VARIANT.match(self.symbol).group('stream') is not None

    @property
    def interop(self) -> bool:
        """Whether a header other than cuda.h and cudaProfiler.h declares it."""
        return self.group in INTEROP

    @property
    def types(self) -> Tuple[str, ...]:
        """What makes the prototype; the names of parameters may change."""
        return tuple(parameter.type for parameter in self.parameters)

    @property
    def prototype(self) -> str:
        """The parameter list in C."""
        return ', '.join(parameter.declaration for parameter in self.parameters) or 'void'


class Result(NamedTuple):
    """One enumerator of CUresult, with what a user should know about it."""

    number: int
    name: str
    since: int
    sticky: str
    meaning: str
    advice: str


class Attribute(NamedTuple):
    """A name for a number that programs ask a device or a context for."""

    kind: str
    number: int
    name: str
    since: int


class Type(NamedTuple):
    """One type of cuda.h, since when, and how to say it where the header does not know it yet."""

    type: str
    kind: str
    plain: str
    since: int


class Meaning(NamedTuple):
    """The symbol that a plain name of <cuda.h> means in a major version of CUDA."""

    name: str
    major: int
    symbol: str


class Deviation(NamedTuple):
    """One place where a real driver does not export what `since` says."""

    driver: str
    version: int
    symbol: str
    kind: str
