#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compile the kernels of kernels/ to the PTX texts of ptx/, with four compilers.

    fetch.sh FOLDER                        get nvcc, libnvrtc and libnvvm of CUDA 11.8 in FOLDER
    apt-get install clang python3-numba    install the other two (clang 14, numba 0.56)
    generate.py --toolkit FOLDER           write all texts
    generate.py --toolkit FOLDER nvcc      write those whose names begin with nvcc

The tests need only the texts. A name is COMPILER-SOURCE-TARGET[-OPTIONS].ptx. Comments and
indentation are removed, so that ptx/ stays below 600 KB. No kernel calls a libdevice function that
is more than one instruction, because that code is NVIDIA's.
"""
import argparse
import ctypes
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = HERE / 'kernels'
LARGEST = 600_000

# Compiler, source, target, options. Unoptimised code is long, so there is little of it.
TEXTS = [
    ('nvcc', 'reduce', 50, '-O3'),
    ('nvcc', 'matrix', 61, '-O3'),
    ('nvcc', 'grid', 75, '-O3'),
    ('nvcc', 'bits', 52, '-O3'),
    ('nvcc', 'numeric', 53, '-O3'),
    ('nvcc', 'graph', 70, '-O3'),
    ('nvcc', 'language', 70, '-O3'),
    ('nvcc', 'threads', 70, '-O3'),
    ('nvcc', 'threads', 90, '-G'),
    ('clang', 'reduce', 60, '-O2'),
    ('clang', 'sort', 50, '-O0'),
    ('clang', 'matrix', 70, '-O2'),
    ('clang', 'bits', 75, '-O2'),
    ('clang', 'grid', 50, '-O2'),
    ('clang', 'numeric', 53, '-O1'),
    ('clang', 'language', 70, '-O2'),
    ('clang', 'threads', 70, '-O2'),
    ('nvrtc', 'sort', 90, '-O3'),
    ('nvrtc', 'graph', 86, '-O3'),
    ('numba', 'kernels', 70, '-O3'),
]


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE,
                          text=True, **options).stdout


def by_nvcc(toolkit, source, target, option):
    options = {'-O0': ['-Xcicc', '-O0'], '-G': ['-G']}.get(option, [option])
    return run(toolkit / 'usr/lib/nvidia-cuda-toolkit/bin/nvcc', '-ccbin', 'gcc',
               '-allow-unsupported-compiler', f'-I{toolkit}/usr/include', '-ptx',
               f'-arch=compute_{target}', *options, '-o', '-', KERNELS / f'{source}.cu',
               cwd=KERNELS)


def by_clang(_toolkit, source, target, option):
    return run('clang', '-x', 'cuda', '--cuda-device-only', f'--cuda-gpu-arch=sm_{target}',
               '-nocudainc', '-nocudalib', '-Wno-unknown-cuda-version', '-Xclang',
               '-target-feature', '-Xclang', '+ptx64', '-S', option, '-o', '-', f'{source}.cu',
               cwd=KERNELS)


def by_nvrtc(toolkit, source, target, _option):
    libraries = toolkit / 'usr/lib/x86_64-linux-gnu'
    ctypes.CDLL(str(libraries / 'libnvrtc-builtins.so.11.8'), ctypes.RTLD_GLOBAL)
    nvrtc = ctypes.CDLL(str(libraries / 'libnvrtc.so.11.2'))
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    # One text, because NVRTC would look for the header in the process's working directory.
    header = (KERNELS / 'device.h').read_text(encoding='utf-8')
    text = (KERNELS / f'{source}.cu').read_text(encoding='utf-8')
    options = [f'--gpu-architecture=compute_{target}'.encode(), b'--std=c++14']

    def call(name, *arguments):
        if getattr(nvrtc, name)(*arguments):
            nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            nvrtc.nvrtcGetProgramLog(program, log)
            sys.exit(f'{name}: {source}: {log.value.decode()}')

    call('nvrtcCreateProgram', ctypes.byref(program),
         text.replace('#include "device.h"', header).encode(), source.encode(), 0, None, None)
    call('nvrtcCompileProgram', program, len(options), (ctypes.c_char_p * len(options))(*options))
    call('nvrtcGetPTXSize', program, ctypes.byref(size))
    ptx = ctypes.create_string_buffer(size.value)
    call('nvrtcGetPTX', program, ptx)
    return ptx.value.decode()


def by_numba(toolkit, _source, target, _option):
    """Join the modules of kernels to one text; each module's names get the kernel's name as a
    prefix.
    """
    os.environ['CUDA_HOME'] = str(toolkit / 'home')
    sys.path.insert(0, str(KERNELS))
    from numba.cuda.cudadrv import nvvm
    # Otherwise numba would ask the CUDA runtime, which is not needed here.
    nvvm._supported_cc = (divmod(target, 10),)
    import numba_kernels

    texts = []
    for name, text in numba_kernels.compile_all(divmod(target, 10)):
        text = re.sub(r'_ZN6cudapy\w*?Ei?[a-z]*(?=__\w+__;|_param_|\(|$)', name, text, flags=re.M)
        mangled = re.search(r'\.entry (\w+)\(', text)[1]
        text = text.replace(mangled, name)
        text = re.sub(r'\b(_cudapy_\w+|_ZN08NumbaEnv\w+)', rf'{name}_\1', text)
        text = re.sub(r'_ZN08NumbaEnv\w+', 'environment', text)
        # Two declarations now have the same name, so only one is kept.
        text = re.sub(r'^(\.common .*environment;\n)((?:.*\n)*?)\1', r'\1\2', text, flags=re.M)
        head, body = re.split(r'^\.address_size 64\n', text, flags=re.M)
        texts.append(body if texts else f'{head}.address_size 64\n{body}')
    return ''.join(texts)


COMPILERS = {'nvcc': by_nvcc, 'clang': by_clang, 'nvrtc': by_nvrtc, 'numba': by_numba}


def shortened(text):
    """Remove comments, blanks, and paths of this machine."""
    text = re.sub(r'^(\s*\.target .*?),\s*debug\b', r'\1', text, flags=re.M)
    text = re.sub(r'^(\s*\.file\s+\d+ ").*/', r'\1', text, flags=re.M)
    text = re.sub(r'^\s*\.section\s+\.debug_\w+\s*\{.*?^\s*\}\n', '', text, flags=re.M | re.S)
    text = re.sub(r'^\s*//.*\n', '', text, flags=re.M)
    text = re.sub(r'[ \t]*//.*', '', text)
    lines = [re.sub(r'[ \t]+', ' ', line).strip() for line in text.splitlines()]
    return '\n'.join(line for line in lines if line) + '\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('prefix', nargs='?', default='', help='only texts with this prefix')
    parser.add_argument('--toolkit', required=True, type=pathlib.Path,
                        help='folder in which fetch.sh has unpacked the compilers')
    arguments = parser.parse_args()
    sys.dont_write_bytecode = True
    for compiler, source, target, option in TEXTS:
        optimised = option in ('-O2', '-O3')
        name = f'{compiler}-{source}-sm_{target}{"" if optimised else option}.ptx'
        if name.startswith(arguments.prefix):
            made = COMPILERS[compiler](arguments.toolkit.resolve(), source, target, option)
            text = shortened(made)
            (HERE / 'ptx' / name).write_text(text, encoding='ascii')
            print(f'{len(text):7} {name}')
    whole = sum(path.stat().st_size for path in (HERE / 'ptx').iterdir())
    print(f'{whole:7} together')
    return whole > LARGEST


if __name__ == '__main__':
    sys.exit(main())
