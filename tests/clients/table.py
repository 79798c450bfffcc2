# SPDX-License-Identifier: Apache-2.0
"""The clients: programs of Debian that load libcuda.so.1 at run time, and what to expect.

Words between @ are filled in: @WORK@ is the empty folder that a client runs in, @HERE@ this folder,
@PLAIN@ the client of our own, @FOUND@ the last file that a client needs; @NAME@, @MAJOR@, @MINOR@,
@BYTES@, @MIB@, @PCI@ and @PCI_SHORT@ are what `cushim info` says of the first device.
"""
from typing import Dict, NamedTuple, Tuple

PYTHON = '/usr/bin/python3'  # Debian's modules belong to Debian's interpreter
MODULES = '/usr/lib/python3/dist-packages/'


class Client(NamedTuple):
    """One program, run once with the mock and once where libcuda.so.1 is no library."""

    name: str
    packages: Tuple[str, ...]           # the first one is asked for its version
    needs: Tuple[str, ...]              # files, as patterns; the last one found is @FOUND@
    shows: str                          # what is checked
    command: Tuple[str, ...]
    expect: Tuple[str, ...] = ()        # patterns, each to be found in what it prints on stdout
    same_as: Tuple[str, ...] = ()       # without a driver, this has to print the same on stdout
    build: Tuple[str, ...] = ()         # run before, in @WORK@
    options: Tuple[str, ...] = ()       # for `cushim run`
    environment: Dict[str, str] = {}
    seconds: int = 120


def frames(source, *filters):
    """FFmpeg's MD5 of each frame of a test picture that went through some filters."""
    return ('ffmpeg', '-nostdin', '-v', 'error', '-f', 'lavfi', '-i', source, '-vf',
            ','.join(filters), '-f', 'framemd5', '-')


def frames_of(source, layout, *options):
    """Frames up to the device and down again, and the same frames left alone."""
    there = frames(source, f'format={layout}', 'hwupload_cuda', 'hwdownload', f'format={layout}')
    return dict(command=there[:1] + options + there[1:],
                same_as=frames(source, f'format={layout}'))


def mpv(filters):
    """The same with mpv, which has to be told where its own output goes."""
    return ('sh', '-c', 'mpv --no-config --no-terminal --no-audio --vf=lavfi=[' + filters + '] '
            '--o=frames --of=framemd5 --ovc=rawvideo av://lavfi:testsrc2=s=320x240:d=1 && '
            'cat frames')


def checksums(*elements):
    """GStreamer's MD5 of each frame that went through some elements."""
    words = ['videotestsrc', 'num-buffers=8', '!', 'video/x-raw,format=NV12,width=320,height=240']
    for element in elements + ('checksumsink hash=md5 sync=false',):
        words += ['!'] + element.split()
    return ('gst-launch-1.0', '-q', *words)


FRAMES = 'testsrc2=size=322x242:rate=25:duration=1'
OFFLOAD = ('/usr/lib/gcc/x86_64-linux-gnu/12/accel/nvptx-none/mkoffload',
           '/usr/lib/x86_64-linux-gnu/libgomp-plugin-nvptx.so.1')

# What the kernels compute is not known: they are launched, and nothing comes of it.
SKIP_KERNELS = ('--set', 'unregistered_kernels=skip')

CLIENTS = (
    Client('plain', (), (), 'codes and data, in order, are those of a GPU',
           ('@PLAIN@',), same_as=('cat', '@HERE@/plain.expected')),

    Client('ffmpeg', ('ffmpeg',), ('/usr/bin/ffmpeg',),
           'MD5 of 25 frames of 8 bits, uploaded and downloaded, as on the CPU',
           **frames_of(FRAMES, 'yuv420p')),
    Client('ffmpeg-16-bit', ('ffmpeg',), ('/usr/bin/ffmpeg',),
           'MD5 of 25 frames of 16 bits, in a named device on the primary context, as on the CPU',
           **frames_of(FRAMES, 'yuv444p16', '-init_hw_device', 'cuda=gpu:0,primary_ctx=1',
                       '-filter_hw_device', 'gpu')),
    Client('mpv', ('mpv',), ('/usr/bin/mpv',),
           'MD5 of 25 frames, uploaded and downloaded, as on the CPU',
           mpv('format=yuv420p,hwupload_cuda,hwdownload,format=yuv420p'),
           same_as=mpv('format=yuv420p')),
    Client('pyav', ('python3-av',), (MODULES + 'av',),
           'MD5 of 25 frames, uploaded and downloaded in Python, as on the CPU',
           (PYTHON, '@HERE@/av_frames.py', 'hwupload_cuda', 'hwdownload'),
           same_as=(PYTHON, '@HERE@/av_frames.py')),

    # It has CUDA elements only where a library of NVIDIA's decoder or encoder opens.
    Client('gstreamer',
           ('gstreamer1.0-plugins-bad', 'gstreamer1.0-plugins-base', 'gstreamer1.0-tools'),
           ('/usr/bin/gst-launch-1.0', '/usr/lib/*/gstreamer-1.0/libgstnvcodec.so',
            '/usr/lib/*/gstreamer-1.0/libgstvideotestsrc.so'),
           'MD5 of 8 frames through cudaupload, CUDA memory and cudadownload, as on the CPU',
           checksums('cudaupload', 'video/x-raw(memory:CUDAMemory)', 'cudadownload', 'video/x-raw'),
           same_as=checksums('identity')),

    # It lists CUDA devices only where NVRTC opens.
    Client('hashcat', ('hashcat',), ('/usr/bin/hashcat',),
           'lists the device: name, memory, address',
           ('hashcat', '-I'),
           (r'^CUDA\.Version\.: 13\.0$', r'^  Name\.+: @NAME@$', r'^  Memory\.Total\.+: @MIB@ MB$',
            r'^  PCI\.Addr\.BDFe\.+: @PCI@$')),
    Client('boinc', ('boinc-client',), ('/usr/bin/boinc',),
           'detects the device: name, memory, capability, driver',
           ('sh', '-c', 'boinc --detect_gpus >log 2>&1; cat coproc_info.xml'),
           (r'<coproc_cuda>\s+<count>1</count>\s+<name>@NAME@</name>', '<have_cuda>1</have_cuda>',
            r'<cudaVersion>13000</cudaVersion>', r'<totalGlobalMem>@BYTES@\.0+</totalGlobalMem>',
            '<major>@MAJOR@</major>', '<minor>@MINOR@</minor>')),
    Client('blender', ('blender',), ('/usr/bin/blender',),
           'Cycles finds the device',
           ('blender', '-b', '--factory-startup', '--python-exit-code', '1', '--python',
            '@HERE@/blender_devices.py'),
           (r'^device CUDA @NAME@ at CUDA_@NAME@_@PCI_SHORT@$',)),

    Client('llvm-omp-device-info', ('libomp-14-dev',),
           ('/usr/lib/llvm-1[3-6]/bin/llvm-omp-device-info',),
           'prints the device: name, memory, capability, unified addressing',
           ('@FOUND@',),
           (r'^ +CUDA Driver Version: +\t*13000 *$', r'^ +Device Name: +\t*@NAME@ *$',
            r'^ +Global Memory Size: +\t*@BYTES@ bytes *$', r'^ +Unified Addressing: +\t*Yes *$',
            r'^ +Compute Capabilities: +\t*@MAJOR@@MINOR@ *$'),
           environment={'LIBOMPTARGET_NEXTGEN_PLUGINS': '0'}),
    Client('nvptx-arch', ('clang-tools-16',), ('/usr/bin/nvptx-arch-1[0-9]',),
           'prints the capability',
           ('@FOUND@',), (r'\Asm_@MAJOR@@MINOR@\n\Z',)),
    Client('clang', ('clang-16', 'clang-tools-16'), ('/usr/bin/nvptx-arch-16', '/usr/bin/clang-16'),
           '--offload-arch=native compiles for the capability',
           ('clang-16', '-x', 'cuda', '--offload-arch=native', '--cuda-device-only', '-nocudainc',
            '-nocudalib', '-S', '-o', '-', '@HERE@/native.cu'),
           (r'^\.target sm_@MAJOR@@MINOR@\b', r'^\.visible \.entry fill\(')),

    Client('openmp', ('gcc-12-offload-nvptx', 'gcc-12'), ('/usr/bin/gcc-12',) + OFFLOAD,
           'libgomp: copies in 1, 2 and 3 dimensions, mapped data, a region that is launched',
           ('./openmp',),
           (r'\Adevices 1\nallocated 1\ncopied 0 0 wrong 0\nrectangle 0 0 wrong 0\n'
            r'box 0 0 wrong 0\npresent 1 updated, wrong 0\nleft 0\nregion done\n\Z',),
           build=('gcc-12', '-O1', '-fopenmp', '-foffload=nvptx-none', '-o', 'openmp',
                  '@HERE@/openmp.c'),
           options=SKIP_KERNELS,
           environment={'OMP_TARGET_OFFLOAD': 'MANDATORY'}),
    Client('openacc', ('gcc-12-offload-nvptx', 'gcc-12'), ('/usr/bin/gcc-12',) + OFFLOAD,
           'libgomp: the device, copies, mapped data, queues on streams',
           ('./openacc',),
           (r'\Adevices 1\nname @NAME@\nmemory @BYTES@\ncopied, wrong 0\npresent 1\n'
            r'updated, wrong 0\nqueues 2 apart 1\nasync, wrong 0\ncontext 1\nshut down\n\Z',),
           build=('gcc-12', '-O1', '-fopenacc', '-foffload=nvptx-none', '-o', 'openacc',
                  '@HERE@/openacc.c')),
    Client('nvptx-none-run', ('nvptx-tools',), ('/usr/bin/nvptx-none-run',),
           'links, loads and launches a program; its status is the zero of fresh memory',
           ('sh', '-c', 'nvptx-none-run @HERE@/exit.ptx; echo status $?'), (r'\Astatus 0\n\Z',),
           options=SKIP_KERNELS),

    # Of every function it takes NAME_v2, whatever that is: a driver of its own time, please.
    Client('numba', ('python3-numba',), (MODULES + 'numba/cuda',),
           'detects the device; arrays, streams, events, pinned and managed memory, reset',
           (PYTHON, '@HERE@/numba_arrays.py'),
           (r'^found 1 CUDA device', r'^name @NAME@ capability @MAJOR@\.@MINOR@$', r'^done$'),
           options=('--driver-version', '11.2'),
           environment={'CUDA_HOME': '@WORK@'}),
    Client('numba-per-thread', ('python3-numba',), (MODULES + 'numba/cuda',),
           'the same on the per-thread default stream',
           (PYTHON, '@HERE@/numba_arrays.py'),
           (r'^found 1 CUDA device', r'^name @NAME@ capability @MAJOR@\.@MINOR@$', r'^done$'),
           options=('--driver-version', '11.2'),
           environment={'CUDA_HOME': '@WORK@', 'NUMBA_CUDA_PER_THREAD_DEFAULT_STREAM': '1'}),
    Client('numba-tests', ('python3-numba',), (MODULES + 'numba/cuda/tests',),
           'its own tests of the driver: all that need no compiler and no kernel\'s result',
           (PYTHON, '@HERE@/numba_tests.py'),
           (r'^passed 1[6-9]\d$', r'^wrong 0$'),
           options=('--driver-version', '11.2'),
           environment={'CUDA_HOME': '@WORK@'}, seconds=300),

    # It starts only where NVRTC opens.
    Client('pygpu', ('python3-pygpu',), (MODULES + 'pygpu',),
           'libgpuarray: arrays, slices, copies; the device',
           (PYTHON, '@HERE@/pygpu_arrays.py'),
           (r'^name @NAME@$', r'^memory @BYTES@$', r'^done$')),
    Client('pygpu-tests', ('python3-pygpu', 'python3-pytest'),
           (MODULES + 'pygpu/tests', MODULES + 'pytest'),
           'its own tests: all that need no compiler',
           (PYTHON, '@HERE@/pygpu_tests.py', MODULES + 'pygpu/tests'),
           (r'^passed (2[5-9]|[3-9]\d)$', r'^wrong 0$'),
           environment={'DEVICE': 'cuda0'}),
    Client('halide', ('python3-halide',), (MODULES + 'halide*.so',),
           'buffers to the device and back',
           (PYTHON, '@HERE@/halide_buffers.py'), (r'\Auploaded 0\ndownloaded 0\nwrong 0\nfreed 0\n',
                                                  r'^done$')),
)
