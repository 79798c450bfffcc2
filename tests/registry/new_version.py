#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rehearse docs/maintaining.md, "Adding a version of CUDA", in a copy of the tree.

usage: new_version.py CUDA_INCLUDE FOLDER [TEST...]

FOLDER is where the copy and its build remain. TESTs are passed to `meson test`; without them, all
tests run.

The script makes headers of a version that does not exist. They are the installed headers with
invented functions, a type, a result code, a device attribute and a section. The registry's scripts
add them to the copy; edits that only a person can make are in EDITS. Then the copy is built with
these headers, and its tests must pass. A failing test shows another place that needs an edit.
"""

import os
import shutil
import subprocess
import sys

import newer_toolkit
import toolkit
from rows import Attribute, Function, Parameter, Result, Type, version_text

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), '../..'))
SECTIONS = 'loader/registry/rows.py'

VERSION = max(13090, toolkit.following(toolkit.newest()))
# One function has a per-thread twin, a new struct and a new section. The other replaces an ABI with
# the same signature.
SKETCH = Function('cuStreamSketch', VERSION, 'sketch', (
    Parameter('CUstream', 'hStream'), Parameter('const CUstreamSketchParams *', 'params')),
    'cuStreamSketch_ptsz', None, None)
TWIN = SKETCH._replace(symbol='cuStreamSketch_ptsz', twin=None)
REPLACED = next(row for row in toolkit.functions() if row.symbol == 'cuLogsCurrent')
REPLACING = REPLACED._replace(symbol='cuLogsCurrent_v2', since=VERSION)
PARAMS = Type('CUstreamSketchParams', 'struct', 'void', VERSION)
RESULT = Result(990, 'CUDA_ERROR_SKETCH', VERSION, '-', 'the sketch has no room',
                'Use a larger sketch.')
ATTRIBUTE = Attribute('device', 180, 'STREAM_SKETCH_SUPPORTED', VERSION)

# The edits that a person has to make, by file: a text and its replacement.
EDITS = {
    # The meaning of a new code.
    'loader/registry/results.tsv': (
        '%s\t%d\t?\t\t\n' % (RESULT.name, VERSION),
        '%s\t%d\t%s\t%s\t%s\n' % (RESULT.name, VERSION, *RESULT[3:])),
    # Whether an older ABI may be the fallback of a new one.
    'loader/registry/functions.tsv': (
        '#\n# All other pairs differ in their types;',
        '#   %s\n#       rejected. Nothing documents what changed.\n'
        '#\n# All other pairs differ in their types;' % REPLACING.symbol),
    # The group of a new section.
    SECTIONS: ("    'CUDA_PROFILER'", "    'CUDA_SKETCH': 'sketch', 'CUDA_PROFILER'"),
    # News for users.
    'NEWS.md': ('### The library\n',
                '### The library\n\n- The symbols of CUDA %s.\n' % version_text(VERSION)),
}


def run(*command):
    """Run a command and wait for it; if it fails, the rehearsal fails."""
    print('+ ' + ' '.join(command), flush=True)
    subprocess.run(command, check=True)


def make_headers(folder):
    """Add functions to a cuda.h as NVIDIA does: macros choose the ABI, except inside the driver."""
    newer_toolkit.make(folder, VERSION, [SKETCH, TWIN, REPLACING], [RESULT], [ATTRIBUTE], [PARAMS])
    header = os.path.join(folder, 'cuda.h')
    newer_toolkit.replace(
        header, '#if defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)\n',
        '#define cuLogsCurrent cuLogsCurrent_v2\n'
        '#if defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)\n'
        '    #define cuStreamSketch __CUDA_API_PTSZ(cuStreamSketch)\n')
    newer_toolkit.replace(
        header, '#if defined(__CUDA_API_VERSION_INTERNAL)\n    #undef',
        '#if defined(__CUDA_API_VERSION_INTERNAL)\n'
        '    #undef cuLogsCurrent\n    #undef cuStreamSketch\n'
        '    CUresult CUDAAPI cuLogsCurrent(%s);\n    CUresult CUDAAPI cuStreamSketch(%s);\n'
        '    #undef' % (REPLACED.prototype, SKETCH.prototype))


def copy_tree(folder):
    names = subprocess.run(['git', '-C', ROOT, 'ls-files', '-z'], check=True,
                           stdout=subprocess.PIPE).stdout.decode().split('\0')
    for name in filter(None, names):
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copy2(os.path.join(ROOT, name), path, follow_symlinks=False)


def changed(tree):
    """Return the files of the copy that differ from the tree."""
    found = []
    for folder, _, names in os.walk(tree):
        for name in names:
            path = os.path.join(folder, name)
            original = os.path.join(ROOT, os.path.relpath(path, tree))
            with open(path, 'rb') as one, open(original, 'rb') as other:
                if one.read() != other.read():
                    found.append(os.path.relpath(path, tree))
    return set(found)


def edit(tree, name):
    newer_toolkit.replace(os.path.join(tree, name), *EDITS[name])


def rehearse(folder, *tests):
    shutil.rmtree(folder, ignore_errors=True)
    include, tree = os.path.join(folder, 'include'), os.path.join(folder, 'cushim')
    os.makedirs(include)
    make_headers(include)
    copy_tree(tree)
    update = [os.path.join(tree, 'loader/registry/update.py'), include]
    if subprocess.run(update).returncode != 2 or changed(tree):
        sys.exit('update.py does not stop at the new section')
    edit(tree, SECTIONS)
    run(*update)
    run(os.path.join(tree, 'docs/counts.py'))
    for name in sorted(changed(tree)):
        if name != SECTIONS:
            print('written by a script: %s' % name, flush=True)
    for name in EDITS:
        if name != SECTIONS:
            edit(tree, name)
        print('edited by hand: %s' % name, flush=True)
    build = os.path.join(tree, 'build')
    run('meson', 'setup', build, tree, '-Dcuda-include=' + include)
    run('ninja', '-C', build)
    run('meson', 'test', '-C', build, '--no-rebuild', '--print-errorlogs', '--setup', 'all',
        *tests)


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if newer_toolkit.obstacle():
        sys.exit('error: ' + newer_toolkit.obstacle())
    rehearse(os.path.abspath(sys.argv[2]), *sys.argv[3:])
