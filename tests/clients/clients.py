#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run programs from Debian packages on the mock driver, and check their output.

usage: clients.py COMMAND PLAIN BESIDE [NAME ...]
       clients.py --packages

COMMAND is `cushim`, PLAIN the client built from plain.c, beside which is that of virtual.c, and
BESIDE the folder of the libraries of beside.c. Each client of CLIENTS, or each NAME, runs through
`cushim run`, and again with a libcuda.so.1 that is not a library: a check that also passes there
proves nothing, and fails. --packages prints the Debian packages of the clients. For a client that
fails, the script prints the ends of its outputs.

Exit status: 0 every installed client passed; 77 none is installed; 1 one failed.

In CLIENTS, words between @ are replaced: @WORK@ is the empty folder in which a client runs, @HERE@
this folder, @PLAIN@ and @VIRTUAL@ the project's own clients, @FOUND@ the last file that a client
needs. @NAME@, @MAJOR@, @MINOR@, @BYTES@, @MIB@ and @PCI@ are the output of `cushim info` about the
first device.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
from typing import Dict, NamedTuple, Tuple

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
NO_DRIVER = 'no-driver'  # a folder whose libcuda.so.1 is not a library

# The folder to which fetch.sh downloads NVIDIA's compilers.
COMPILERS = os.path.join(os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'),
                         'cushim', 'compilers')

PYTHON = '/usr/bin/python3'  # Debian's modules need Debian's interpreter
MODULES = '/usr/lib/python3/dist-packages/'


class Client(NamedTuple):
    """A program that runs once with the mock, and once with a libcuda.so.1 that is not a library.
    """

    name: str
    packages: Tuple[str, ...]           # the first one's version is printed
    needs: Tuple[str, ...]              # files, as patterns; the last one found is @FOUND@
    shows: str                          # what is tested
    command: Tuple[str, ...]
    expect: Tuple[str, ...] = ()        # patterns that its standard output must contain
    same_as: Tuple[str, ...] = ()       # the same output on stdout is required without a driver
    build: Tuple[str, ...] = ()         # runs before, in @WORK@
    options: Tuple[str, ...] = ()       # of `cushim run`
    environment: Dict[str, str] = {}
    libraries: Tuple[str, ...] = ()     # folders to search before that of the stand-ins
    seconds: int = 600
    asked: bool = False                 # runs only when it is named


def frames(source, *filters):
    """FFmpeg prints the MD5 digest of each frame of a test picture after some filters."""
    return ('ffmpeg', '-nostdin', '-v', 'error', '-f', 'lavfi', '-i', source, '-vf',
            ','.join(filters), '-f', 'framemd5', '-')


def checksums(*elements):
    """GStreamer prints the MD5 digest of each frame after some elements."""
    words = ['videotestsrc', 'num-buffers=8', '!', 'video/x-raw,format=NV12,width=320,height=240']
    for element in elements + ('checksumsink hash=md5 sync=false',):
        words += ['!'] + element.split()
    return ('gst-launch-1.0', '-q', *words)


FRAMES = 'testsrc2=size=322x242:rate=25:duration=1'
OFFLOAD = ('/usr/lib/gcc/x86_64-linux-gnu/12/accel/nvptx-none/mkoffload',
           '/usr/lib/x86_64-linux-gnu/libgomp-plugin-nvptx.so.1')

# libgomp starts threads on all multiprocessors, and allocates a stack for each.
FEW_THREADS = ('--set', 'attribute.MULTIPROCESSOR_COUNT=2', '--set', 'memory=8GiB')

CLIENTS = (
    Client('plain', (), (), 'codes and data, in order, are those of a GPU',
           ('@PLAIN@',), same_as=('cat', '@HERE@/plain.expected')),
    Client('virtual', (), (), 'segments that grow, and memory of two processes, as on a GPU',
           ('@VIRTUAL@',), same_as=('cat', '@HERE@/virtual.expected')),

    Client('ffmpeg', ('ffmpeg',), ('/usr/bin/ffmpeg',),
           'MD5 of 25 frames of 8 bits, uploaded and downloaded, as on the CPU',
           frames(FRAMES, 'format=yuv420p', 'hwupload_cuda', 'hwdownload', 'format=yuv420p'),
           same_as=frames(FRAMES, 'format=yuv420p')),
    Client('ffmpeg-thumbnail', ('ffmpeg',), ('/usr/bin/ffmpeg',),
           'histograms by a kernel with textures choose the frames that the CPU chooses',
           frames(FRAMES, 'format=yuv420p', 'hwupload_cuda', 'thumbnail_cuda=n=5', 'hwdownload',
                  'format=yuv420p'),
           same_as=frames(FRAMES, 'format=yuv420p', 'thumbnail=n=5')),

    # GStreamer has CUDA elements only if NVIDIA's decoder or encoder library can be opened.
    Client('gstreamer',
           ('gstreamer1.0-plugins-bad', 'gstreamer1.0-plugins-base', 'gstreamer1.0-tools'),
           ('/usr/bin/gst-launch-1.0', '/usr/lib/*/gstreamer-1.0/libgstnvcodec.so',
            '/usr/lib/*/gstreamer-1.0/libgstvideotestsrc.so'),
           'MD5 of 8 frames through cudaupload, CUDA memory and cudadownload, as on the CPU',
           checksums('cudaupload', 'video/x-raw(memory:CUDAMemory)', 'cudadownload', 'video/x-raw'),
           same_as=checksums('identity')),

    # hashcat lists CUDA devices only if NVRTC can be opened.
    Client('hashcat', ('hashcat',), ('/usr/bin/hashcat',),
           'lists the device: name, memory, address',
           ('hashcat', '-I'),
           (r'^CUDA\.Version\.: 13\.0$', r'^  Name\.+: @NAME@$', r'^  Memory\.Total\.+: @MIB@ MB$',
            r'^  PCI\.Addr\.BDFe\.+: @PCI@$')),

    Client('clang', ('clang-16', 'clang-tools-16'), ('/usr/bin/nvptx-arch-16', '/usr/bin/clang-16'),
           '--offload-arch=native compiles for the capability',
           ('clang-16', '-x', 'cuda', '--offload-arch=native', '--cuda-device-only', '-nocudainc',
            '-nocudalib', '-S', '-o', '-', '@HERE@/native.cu'),
           (r'^\.target sm_@MAJOR@@MINOR@\b', r'^\.visible \.entry fill\(')),

    Client('openmp', ('gcc-12-offload-nvptx', 'gcc-12'), ('/usr/bin/gcc-12',) + OFFLOAD,
           'libgomp: copies in 1, 2 and 3 dimensions, mapped data, what target regions compute',
           ('./openmp',),
           (r'\Adevices 1\nallocated 1\ncopied 0 0 wrong 0\nrectangle 0 0 wrong 0\n'
            r'box 0 0 wrong 0\npresent 1 updated, wrong 0\nleft 0\n'
            r'host 0 sum 522240 most 255 each 3 fibonacci 144\ninverted, wrong 0\n\Z',),
           build=('gcc-12', '-O1', '-fopenmp', '-foffload=nvptx-none', '-o', 'openmp',
                  '@HERE@/openmp.c'),
           options=FEW_THREADS,
           environment={'OMP_TARGET_OFFLOAD': 'MANDATORY'}),
    Client('openacc', ('gcc-12-offload-nvptx', 'gcc-12'), ('/usr/bin/gcc-12',) + OFFLOAD,
           'libgomp: the device, copies, mapped data, queues on streams, what loops compute',
           ('./openacc',),
           (r'\Adevices 1\nname @NAME@\nmemory @BYTES@\ncopied, wrong 0\npresent 1\n'
            r'updated, wrong 0\nqueues 2 apart 1\nasync, wrong 0\n'
            r'sum 8924904 count 499500 sums, wrong 0\ncontext 1\nshut down\n\Z',),
           build=('gcc-12', '-O1', '-fopenacc', '-foffload=nvptx-none', '-o', 'openacc',
                  '@HERE@/openacc.c'),
           options=('--set', 'attribute.MULTIPROCESSOR_COUNT=2')),
    Client('nvptx-none-run', ('nvptx-tools',), ('/usr/bin/nvptx-none-run',),
           'links, loads and launches a program, and ends with its status',
           ('sh', '-c', 'nvptx-none-run @HERE@/exit.ptx; echo status $?'), (r'\Astatus 42\n\Z',)),

    # numba calls NAME_v2 of every function that has one, whatever its signature, so it gets a
    # driver of its own time.
    Client('numba', ('python3-numba',), (MODULES + 'numba/cuda',),
           'detects the device; arrays, streams, events, pinned and managed memory, reset',
           (PYTHON, '@HERE@/programs.py', 'numba_arrays'),
           (r'^found 1 CUDA device', r'^name @NAME@ capability @MAJOR@\.@MINOR@$', r'^done$'),
           options=('--driver-version', '11.2'),
           environment={'CUDA_HOME': '@WORK@'}),
    Client('numba-tests', ('python3-numba',), (MODULES + 'numba/cuda/tests',),
           'its own tests of the driver: all that need no compiler and no kernel\'s result',
           (PYTHON, '@HERE@/programs.py', 'numba_tests'),
           (r'^passed 1[6-9]\d$', r'^wrong 0$'),
           options=('--driver-version', '11.2'),
           environment={'CUDA_HOME': '@WORK@'}, seconds=1800),

    # libgpuarray starts only if NVRTC can be opened.
    Client('pygpu', ('python3-pygpu',), (MODULES + 'pygpu',),
           'libgpuarray: arrays, slices, copies; the device',
           (PYTHON, '@HERE@/programs.py', 'pygpu_arrays'),
           (r'^name @NAME@$', r'^memory @BYTES@$', r'^done$')),
    Client('pygpu-tests', ('python3-pygpu', 'python3-pytest'),
           (MODULES + 'pygpu/tests', MODULES + 'pytest'),
           'its own tests: all that need no compiler',
           (PYTHON, '@HERE@/programs.py', 'pygpu_tests', MODULES + 'pygpu/tests'),
           (r'^passed (2[5-9]|[3-9]\d)$', r'^wrong 0$'),
           environment={'DEVICE': 'cuda0'}),
    # Debian's numba knows toolkits up to 11.2, so the stand-in for the runtime reports that
    # version.
    Client('numba-kernels', ('python3-numba',),
           (MODULES + 'numba/cuda/tests', COMPILERS + '/nvvm/lib64/libnvvm.so.*',
            COMPILERS + '/nvvm/libdevice/libdevice.10.bc', COMPILERS + '/lib64/libnvrtc.so'),
           'its own tests, all: what its kernels compute',
           (PYTHON, '@HERE@/programs.py', 'numba_kernels'),
           (r'^passed (12[7-9]\d|1[3-9]\d\d)$', r'^as expected 5$', r'^wrong 0$'),
           build=('sh', '-c', f'mkdir -p cuda/lib64 && ln -s "{COMPILERS}/nvvm" cuda && '
                  f'ln -s "{COMPILERS}"/lib64/* "@BESIDE@/libcudart.so" cuda/lib64'),
           options=('--quiet', '--driver-version', '11.8'),
           environment={'CUDA_HOME': '@WORK@/cuda', 'JOBS': str(os.cpu_count()),
                        'NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS': '1'},
           libraries=(COMPILERS + '/lib64',), seconds=7200, asked=True),
    Client('pygpu-kernels', ('python3-pygpu', 'python3-pytest'),
           (MODULES + 'pygpu/tests', MODULES + 'pytest', COMPILERS + '/lib64/libnvrtc.so'),
           'its own tests: what its kernels compute',
           (PYTHON, '@HERE@/programs.py', 'pygpu_tests', MODULES + 'pygpu/tests'),
           (r'^passed (6[5-9]|[7-9]\d)$', r'^as expected 0$', r'^wrong 0$'),
           environment={'DEVICE': 'cuda0'},
           libraries=(COMPILERS + '/lib64',), seconds=7200, asked=True),
    Client('halide-kernels', ('python3-halide',), (MODULES + 'halide*.so',),
           'what its kernels compute: a blur by way of shared memory, a product, a histogram',
           (PYTHON, '@HERE@/programs.py', 'halide_kernels'),
           (r'\Ablur, wrong 0\nproduct, wrong 0\nhistogram, wrong 0\n\Z',)),
)


class Failure(Exception):
    """A client did not do what it must; the message says what."""


def execute(command, folder, environment, seconds):
    try:
        return subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=seconds, text=True, errors='replace')
    except subprocess.TimeoutExpired as expired:
        written = [(text or b'').decode(errors='replace')
                   for text in (expired.stdout, expired.stderr)]
        raise Failure(f'not done after {seconds} s: {" ".join(command)}\n    {ends(*written)}') \
            from None
    except OSError as error:
        raise Failure(f'{command[0]}: {error.strerror}') from None


def fill(text, words):
    return re.sub('@([A-Z_]+)@', lambda match: words[match.group(1)], text)


def fill_all(texts, words):
    return [fill(text, words) for text in texts]


class Suite:
    """The paths of all files, and the properties of the mock's device."""

    def __init__(self, command, plain, beside):
        self.command, self.plain, self.beside = map(os.path.abspath, (command, plain, beside))
        self.facts = {}

    def environment(self, work, *folders, **more):
        """Return an environment with only Debian's programs, without the user's files, and without
        a display.
        """
        path = ':'.join(folders)
        # The folder of the C library for an emulator that runs the project's own programs
        # (tests/platforms).
        emulator = {name: os.environ[name] for name in ['QEMU_LD_PREFIX'] if name in os.environ}
        return {'PATH': '/usr/sbin:/usr/bin:/sbin:/bin', 'LANG': 'C.UTF-8', 'HOME': work,
                'TMPDIR': work,
                'XDG_CACHE_HOME': work, 'XDG_CONFIG_HOME': work, 'XDG_DATA_HOME': work,
                'XDG_RUNTIME_DIR': work, 'GST_REGISTRY': os.path.join(work, 'registry'),
                'PYTHONDONTWRITEBYTECODE': '1', 'LD_LIBRARY_PATH': path, **emulator,
                **more}

    def on_mock(self, options, command):
        return [self.command, 'run', *options, '--', *command]

    def ask_device(self, work):
        """Return the output of `cushim info` on the mock, with which the clients must agree."""
        command = self.on_mock([], [self.command, 'info', '--json'])
        result = execute(command, work, self.environment(work), 600)
        try:
            device = json.loads(result.stdout)['devices'][0]
        except (ValueError, LookupError):
            raise Failure(f'no device: {" ".join(command)}: {tail(result)}') from None
        major, minor = device['compute_capability'].split('.')
        self.facts = {'NAME': device['name'], 'MAJOR': major, 'MINOR': minor,
                      'BYTES': str(device['memory_bytes']),
                      'MIB': str(device['memory_bytes'] >> 20),
                      'PCI': device['pci_address']}


def ends(out, err):
    lines = []
    for name, text in (('stdout', out), ('stderr', err)):
        kept = text.splitlines()[-12:]
        lines += [f'the end of {name}:', *kept] if kept else [f'nothing on {name}']
    return '\n    '.join(lines)


def tail(result):
    return f'status {result.returncode}\n    {ends(result.stdout, result.stderr)}'


def check(result, patterns, reference):
    """Return what is wrong with the output of a client, or an empty text."""
    if result.returncode != 0:
        return tail(result)
    for pattern in patterns:
        if not re.search(pattern, result.stdout, re.MULTILINE):
            return f'nothing like {pattern!r}\n    {tail(result)}'
    if reference is not None and result.stdout != reference:
        want, got = reference.splitlines(), result.stdout.splitlines()
        at = next((i for i, pair in enumerate(zip(want, got)) if pair[0] != pair[1]),
                  min(len(want), len(got)))
        return (f'line {at + 1} of {len(got)} is {got[at:at + 1]}, expected {want[at:at + 1]} '
                f'of {len(want)}\n    {tail(result)}')
    return None


def run_client(suite, client, found):
    """Run a client; raise Failure."""
    with tempfile.TemporaryDirectory(prefix='clients-') as folder:
        work, other = (os.path.join(folder, name) for name in ('1', '2'))
        no_driver = os.path.join(other, NO_DRIVER)
        for name in (work, other, no_driver):
            os.mkdir(name)
        for name in ('libcuda.so', 'libcuda.so.1'):
            with open(os.path.join(no_driver, name), 'w', encoding='ascii') as file:
                file.write('no library\n')

        def run(place, options, command, *folders):
            words = {'WORK': place, 'HERE': HERE, 'PLAIN': suite.plain, 'FOUND': found,
                     'VIRTUAL': os.path.join(os.path.dirname(suite.plain), 'virtual'),
                     'BESIDE': suite.beside}
            more = {key: fill(value, words) for key, value in client.environment.items()}
            environment = suite.environment(place, *folders, *client.libraries, suite.beside,
                                            **more)
            command = fill_all(command, words)
            if options is not None:
                command = suite.on_mock(fill_all(options, words), command)
            return execute(command, place, environment, client.seconds)

        if client.build:
            for place in (work, other):
                result = run(place, None, client.build)
                if result.returncode != 0:
                    raise Failure(f'does not build: {tail(result)}')
        reference = None
        if client.same_as:
            result = run(other, None, client.same_as, no_driver)
            reference = result.stdout
            if result.returncode != 0 or not reference:
                raise Failure(f'nothing to compare with: {tail(result)}')
        patterns = fill_all(client.expect, {key: re.escape(value)
                                            for key, value in suite.facts.items()})
        wrong = check(run(work, client.options, client.command), patterns, reference)
        if wrong:
            raise Failure(wrong)
        if not check(run(other, None, client.command, no_driver), patterns, reference):
            raise Failure('passes without a driver too: what is checked shows nothing')


def missing(client):
    """Return a missing file that a client needs, and the last file found."""
    found = ''
    for pattern in client.needs:
        matches = sorted(glob.glob(pattern))
        if not matches:
            return pattern, ''
        found = matches[-1]
    return None, found


def version(packages):
    """Return the package and its version according to Debian."""
    if not packages:
        return 'ours'
    what = subprocess.run(['dpkg-query', '-W', packages[0]], capture_output=True, text=True,
                          check=False)
    return ' '.join(what.stdout.split()) or 'version unknown'


def run_one(suite, client):
    """Run one client and print a line; return whether it passed, or None if it is not installed."""
    lacks, found = missing(client)
    if lacks:
        brings = (f'{HERE}/fetch.sh brings it' if lacks.startswith(COMPILERS) else
                  f'packages {" ".join(client.packages)}')
        print(f'skip  {client.name}: no {lacks}; {brings}', flush=True)
        return None
    words = {'HERE': '.', 'WORK': '.', 'PLAIN': 'plain', 'VIRTUAL': 'virtual', 'FOUND': found}
    command = ' '.join(fill_all(client.command, words))
    line = f'{client.name} ({version(client.packages)}): {client.shows}: {command}'
    try:
        run_client(suite, client, found)
    except Failure as failure:
        print(f'fail  {line}\n    {failure}', flush=True)
        return False
    print(f'pass  {line}', flush=True)
    return True


def main():
    if sys.argv[1:] == ['--packages']:
        print('\n'.join(sorted({name for client in CLIENTS for name in client.packages})))
        return 0
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    suite = Suite(*sys.argv[1:4])
    unknown = set(sys.argv[4:]) - {client.name for client in CLIENTS}
    if unknown:
        sys.exit(f'no client is called {", ".join(sorted(unknown))}')
    with tempfile.TemporaryDirectory(prefix='clients-') as work:
        try:
            suite.ask_device(work)
        except Failure as failure:
            sys.exit(f'fail  {failure}')
    chosen = [client for client in CLIENTS
              if (client.name in sys.argv[4:] if sys.argv[4:] else not client.asked)]
    results = [(client, run_one(suite, client)) for client in chosen]
    passed = [client for client, result in results if result]
    failed = [client for client, result in results if result is False]
    lacking = {name for client, result in results if result is None for name in client.packages}
    print(f'{len(passed)} passed, {len(failed)} failed, '
          f'{len(results) - len(passed) - len(failed)} skipped')
    if failed:
        return 1
    if lacking and not any(client.packages for client in passed):
        print(f'no program of Debian runs; install.sh brings {" ".join(sorted(lacking))}')
        return SKIPPED
    return 0


if __name__ == '__main__':
    sys.exit(main())
