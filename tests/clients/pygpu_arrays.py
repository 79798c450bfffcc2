# SPDX-License-Identifier: Apache-2.0
"""Arrays of pygpu on the device: there and back, in every way that needs no kernel."""
import numpy
import pygpu

DATA = numpy.arange(100000, dtype='float32').reshape(100, 1000)


def main():
    context = pygpu.init('cuda0')
    print('name', context.devname)
    print('memory', context.total_gmem)
    there = pygpu.gpuarray.array(DATA, context=context)
    assert (numpy.asarray(there) == DATA).all()
    assert (numpy.asarray(there.copy()) == DATA).all()
    assert (numpy.asarray(there[3:5]) == DATA[3:5]).all()
    other = pygpu.gpuarray.empty(DATA.shape, dtype='float32', context=context)
    other.write(DATA + 1)
    other.sync()
    back = numpy.empty_like(DATA)
    other.read(back)
    assert (back == DATA + 1).all()
    zeros = pygpu.gpuarray.zeros((1000,), dtype='int64', context=context)
    assert not numpy.asarray(zeros).any()
    print('done')


if __name__ == '__main__':
    main()
