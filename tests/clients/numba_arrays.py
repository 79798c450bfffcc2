# SPDX-License-Identifier: Apache-2.0
"""Arrays of numba.cuda on the device: there and back, in every way that needs no kernel."""
import numpy
from numba import cuda

DATA = numpy.arange(100000, dtype=numpy.float32).reshape(100, 1000)


def same(array):
    assert (array == DATA).all()


def arrays():
    there = cuda.to_device(DATA)
    same(there.copy_to_host())
    other = cuda.device_array_like(DATA)
    other.copy_to_device(there)
    same(other.copy_to_host())
    assert (there[3:5].copy_to_host() == DATA[3:5]).all()
    assert there[7, 11] == DATA[7, 11]


def streams():
    first, second = cuda.stream(), cuda.stream()
    begun, sent = cuda.event(), cuda.event()
    with cuda.pinned(DATA):
        begun.record(first)
        there = cuda.to_device(DATA, stream=first)
        sent.record(first)
        sent.wait(second)
        back = cuda.pinned_array_like(DATA)
        there.copy_to_host(back, stream=second)
        second.synchronize()
    assert sent.query() and begun.elapsed_time(sent) > 0
    same(back)
    called = []
    first.add_callback(lambda stream, status, argument: called.append((status, argument)), 42)
    first.synchronize()
    assert called == [(0, 42)], called


def managed():
    array = cuda.managed_array(DATA.shape, DATA.dtype)
    array[:] = DATA
    cuda.synchronize()
    same(array)
    mapped = cuda.mapped_array(DATA.shape, DATA.dtype)
    mapped[:] = DATA
    same(mapped)
    free, total = cuda.current_context().get_memory_info()
    assert 0 < free <= total


def main():
    assert cuda.detect()
    print('found', len(cuda.gpus), 'CUDA device')
    device = cuda.get_current_device()
    print('name', device.name.decode(), 'capability', '%d.%d' % device.compute_capability)
    arrays()
    streams()
    managed()
    cuda.close()
    arrays()
    print('done')


if __name__ == '__main__':
    main()
