# SPDX-License-Identifier: Apache-2.0
"""Kernels in Python, compiled by numba. Each has the name and the parameters of a kernel in C++,
but an array is passed as numba's seven parameters. SIGNATURES has the types for the compilation.
"""
from numba import cuda, float32, float64, int32, uint8, uint32, uint64

SIGNATURES = {
    'saxpy': (float32[:], float32[:], float32, int32),
    'sum_shared': (uint32[:], uint32[:], int32),
    'scan_inclusive': (uint32[:], uint32[:]),
    'histogram_shared': (uint8[:], uint32[:], int32),
    'mandelbrot': (uint32[:], int32, int32, int32),
    'greatest_divisor': (uint32[:], uint32[:], uint32[:]),
    'collatz': (uint32[:], int32),
    'sort_bitonic': (uint32[:],),
    'integral': (float64[:], float64, float64, int32),
    'fnv': (uint8[:], uint64[:], int32),
    'maximum_double': (float64[:], float64[:], int32),
    'sum_shuffle': (uint32[:], uint32[:], int32),
}


def saxpy(x, y, a, count):
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        y[i] = a * x[i] + y[i]


def sum_shared(numbers, out, count):
    sums = cuda.shared.array(256, uint32)
    t = cuda.threadIdx.x
    total = uint32(0)
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        total += numbers[i]
    sums[t] = total
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if t < half:
            sums[t] += sums[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[cuda.blockIdx.x] = sums[0]


def sum_shuffle(numbers, out, count):
    sums = cuda.shared.array(32, uint32)
    lane = cuda.laneid
    warp = cuda.threadIdx.x // 32
    total = uint32(0)
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        total = uint32(total + numbers[i])
    for by in (16, 8, 4, 2, 1):
        total = uint32(total + cuda.shfl_down_sync(0xffffffff, total, by))
    if lane == 0:
        sums[warp] = total
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        total = uint32(0)
        for i in range(cuda.blockDim.x // 32):
            total = uint32(total + sums[i])
        out[cuda.blockIdx.x] = total


def scan_inclusive(numbers, out):
    sums = cuda.shared.array((2, 256), uint32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    now = 0
    sums[0, t] = numbers[i]
    cuda.syncthreads()
    by = 1
    while by < cuda.blockDim.x:
        sums[1 - now, t] = sums[now, t] + (sums[now, t - by] if t >= by else uint32(0))
        now = 1 - now
        by *= 2
        cuda.syncthreads()
    out[i] = sums[now, t]


def histogram_shared(numbers, out, count):
    bins = cuda.shared.array(256, uint32)
    t = cuda.threadIdx.x
    bins[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        cuda.atomic.add(bins, numbers[i], 1)
    cuda.syncthreads()
    cuda.atomic.add(out, t, bins[t])


def mandelbrot(steps, width, height, most):
    x, y = cuda.grid(2)
    if x >= width or y >= height:
        return
    left = -8192 + 12288 * x // width
    top = -6144 + 12288 * y // height
    re = 0
    im = 0
    i = 0
    while i < most and re * re + im * im < 4 * 4096 * 4096:
        square = re * re - im * im
        both = 2 * re * im
        # Rounded towards zero, as in C.
        re = (square // 4096 if square >= 0 else -(-square // 4096)) + left
        im = (both // 4096 if both >= 0 else -(-both // 4096)) + top
        i += 1
    steps[y * width + x] = i


def greatest_divisor(a, b, out):
    i = cuda.grid(1)
    x = a[i]
    y = b[i]
    while y != 0:
        x, y = y, x % y
    out[i] = x


def collatz(out, count):
    i = cuda.grid(1)
    if i >= count:
        return
    n = uint64(i + 1)
    steps = 0
    while n != uint64(1):
        if n & uint64(1):
            n = uint64(3) * n + uint64(1)
        else:
            n = n >> uint64(1)
        steps += 1
    out[i] = steps


def sort_bitonic(numbers):
    keys = cuda.shared.array(256, uint32)
    t = cuda.threadIdx.x
    keys[t] = numbers[cuda.grid(1)]
    size = 2
    while size <= cuda.blockDim.x:
        by = size // 2
        while by > 0:
            other = t ^ by
            cuda.syncthreads()
            if other > t:
                a = keys[t]
                b = keys[other]
                if (a > b) == ((t & size) == 0):
                    keys[t] = b
                    keys[other] = a
            by //= 2
        size *= 2
    cuda.syncthreads()
    numbers[cuda.grid(1)] = keys[t]


def integral(out, start, end, parts):
    i = cuda.grid(1)
    step = (end - start) / parts
    a = start + i * step
    m = a + step / 2
    b = a + step
    if i < parts:
        out[i] = step / 6 * (1 / (1 + a * a) + 4 / (1 + m * m) + 1 / (1 + b * b))


def fnv(text, out, length):
    value = uint64(0xcbf29ce484222325)
    for i in range(length):
        value = (value ^ uint64(text[cuda.grid(1) * length + i])) * uint64(0x100000001b3)
    out[cuda.grid(1)] = value


def maximum_double(numbers, out, count):
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        cuda.atomic.max(out, 0, numbers[i])


def compile_all(capability):
    """Return the PTX of each kernel by its name."""
    for name, types in SIGNATURES.items():
        text, _ = cuda.compile_ptx(globals()[name], types, cc=capability)
        yield name, text

