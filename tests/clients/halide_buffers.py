# SPDX-License-Identifier: Apache-2.0
"""A buffer of Halide's to the device and back."""
import halide
import numpy

target = halide.Target('host-cuda')
data = numpy.arange(240 * 320, dtype=numpy.int32).reshape(240, 320)
expected = data.copy()
buffer = halide.Buffer(data)
buffer.set_host_dirty()
print('uploaded', buffer.copy_to_device(target))
data[:] = 0
buffer.set_host_dirty(False)
buffer.set_device_dirty()
print('downloaded', buffer.copy_to_host())
print('wrong', numpy.count_nonzero(numpy.asarray(buffer) != expected))
print('freed', buffer.device_free())
print('done')
