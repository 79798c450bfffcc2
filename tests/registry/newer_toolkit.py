# SPDX-License-Identifier: Apache-2.0
"""Make the headers of a toolkit that is newer than the registry from the installed headers.

They have everything that the registry has and the installed toolkit lacks, each in the simplest
form that the tests can read, and the additions of a test.
"""

import glob
import os
import shutil

import toolkit
import registry
from rows import NEWEST_UNDATED, SECTIONS
from update import update_functions

KINDS = {'handle': 'typedef struct %s_st *%s;', 'enum': 'typedef enum %s_enum { %s_A } %s;',
         'struct': 'typedef struct %s_st { int a; } %s;', 'function': 'typedef void (*%s)(void);'}
ENUMS = {'device': 'CUdevice_attribute', 'limit': 'CUlimit'}
FIRST_FUNCTION = 'CUresult CUDAAPI cuInit('
FIRST_TYPEDEF = 'typedef CUresult (CUDAAPI *PFN_cuInit_v2000)'
LAST_SECTION = '/** @} */ /* End CUDA_CHECKPOINT */\n'
LAST_RESULT = 'CUDA_ERROR_UNKNOWN '


def obstacle():
    """Return why the installed headers cannot serve as a base, or None if they can."""
    if not NEWEST_UNDATED <= toolkit.version() <= toolkit.newest():
        return ('the installed toolkit is older than 13.0, or newer than the registry: %d'
                % toolkit.version())
    if not os.path.exists(os.path.join(toolkit.include(), 'cudaTypedefs.h')):
        return 'this toolkit comes without cudaTypedefs.h'
    lacking = []
    update_functions(toolkit.installed(), toolkit.functions(), lacking.append)
    return 'the registry lacks what the installed toolkit has: %s' % lacking if lacking else None


def replace(path, old, new):
    """Replace the first occurrence of a text in a header; the text must exist."""
    with open(path, encoding='utf-8', errors='surrogateescape') as file:
        text = file.read()
    if old not in text:
        raise AssertionError('%s has no %r' % (path, old))
    with open(path, 'w', encoding='utf-8', errors='surrogateescape') as file:
        file.write(text.replace(old, new, 1))


def typedef(row):
    if row.kind == 'integer':
        return 'typedef %s %s;' % (row.plain, row.type)
    text = KINDS[row.kind]
    return text % ((row.type,) * text.count('%s'))


def declaration(row):
    sections = {group: name for name, group in SECTIONS.items()}
    group = 'library' if row.group == 'kernel' else row.group
    section = sections.get(group, 'CUDA_' + group.upper())
    return ('/** \\defgroup %s text\n * @{ */\nCUresult CUDAAPI %s(%s);\n/** @} */\n'
            % (section, row.symbol, row.prototype))


def dated(row):
    stream = row.symbol[-5:] if row.per_thread else ''
    return 'typedef CUresult (CUDAAPI *PFN_%s_v%d%s)(%s);\n' % (row.base, row.since, stream,
                                                               row.prototype)


def make(folder, version, functions=(), results=(), attributes=(), types=()):
    """Write the headers of this version to a folder, with these rows in addition to the registry's.
    """
    installed = toolkit.version()
    for path in glob.glob(os.path.join(toolkit.include(), 'cuda*.h')):
        shutil.copy(path, folder)
    header = os.path.join(folder, 'cuda.h')
    replace(header, '#define CUDA_VERSION %d' % installed, '#define CUDA_VERSION %d' % version)
    types = [row for row in registry.read_types(toolkit.table('types'))
             if row.since > installed] + list(types)
    replace(header, FIRST_FUNCTION, '\n'.join(map(typedef, types)) + '\n' + FIRST_FUNCTION)
    rows = [row for row in toolkit.functions() if row.since > installed] + list(functions)
    replace(header, LAST_SECTION, LAST_SECTION + ''.join(map(declaration, rows)))
    replace(os.path.join(folder, 'cudaTypedefs.h'), FIRST_TYPEDEF,
            ''.join(map(dated, rows)) + FIRST_TYPEDEF)

    known = {number for number, _ in toolkit.header('cuda.h').enums['CUresult']}
    names = ['%s = %d' % (row.name, row.number)
             for row in registry.read_results(toolkit.table('results')) + list(results)
             if row.number not in known]
    replace(header, LAST_RESULT, ''.join(name + ', ' for name in names) + LAST_RESULT)
    rows = registry.read_attributes(toolkit.table('attributes')) + list(attributes)
    for kind, enum in ENUMS.items():
        prefix = registry.ATTRIBUTE_PREFIXES[kind]
        known = {number for number, name in toolkit.header('cuda.h').enums[enum]
                 if name != prefix + 'MAX'}
        last = '    %sMAX\n' % prefix
        replace(header, last, ''.join(
            '    %s%s = %d,\n' % (prefix, row.name, row.number) for row in rows
            if row.kind == kind and row.number not in known) + last)
