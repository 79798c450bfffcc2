# SPDX-License-Identifier: Apache-2.0
"""The clients that are Python modules: programs.py NAME [WORD]...

Each module is imported where it is used, because each client brings its own.
"""
import collections
import concurrent.futures
import os
import pkgutil
import re
import subprocess
import sys
import unittest


def halide_kernels():
    """Compile pipelines of Halide for the device, and compare the results with NumPy's."""
    import halide as hl
    import numpy

    target = hl.Target('host-cuda')
    x, y, xi, yi = (hl.Var(name) for name in ('x', 'y', 'xi', 'yi'))

    def wrong(function, expected):
        result = function.realize(list(expected.shape[::-1]), target)
        result.copy_to_host()
        return numpy.count_nonzero(numpy.asarray(result).reshape(expected.shape) != expected)

    data = (numpy.arange(96 * 96).reshape(96, 96) * 7 % 37).astype(numpy.int32)
    picture = hl.Buffer(data)
    edged = hl.BoundaryConditions.repeat_edge(picture)
    row, blur = hl.Func('row'), hl.Func('blur')
    row[x, y] = edged[x - 1, y] + edged[x, y] * 2 + edged[x + 1, y]
    blur[x, y] = row[x, y - 1] + row[x, y] + row[x, y + 1]
    blur.gpu_tile(x, y, xi, yi, 16, 8)
    row.compute_at(blur, x).gpu_threads(x, y)
    padded = numpy.pad(data, 1, mode='edge')
    # The first dimension of a buffer is the first dimension of the array.
    rows = padded[:-2] + padded[1:-1] * 2 + padded[2:]
    print('blur, wrong', wrong(blur, rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]))

    product, inner = hl.Func('product'), hl.RDom([(0, 96)])
    product[x, y] = 0
    product[x, y] += picture[x, inner.x] * picture[inner.x, y]
    product.gpu_tile(x, y, xi, yi, 8, 8)
    product.update().gpu_tile(x, y, xi, yi, 8, 8)
    print('product, wrong', wrong(product, data @ data))

    histogram, all_of = hl.Func('histogram'), hl.RDom([(0, 96), (0, 96)])
    histogram[x] = 0
    histogram[hl.clamp(picture[all_of.x, all_of.y], 0, 36)] += 1
    histogram.gpu_tile(x, xi, 37)
    histogram.update().atomic().gpu_tile(all_of.x, all_of.y, hl.RVar('rx'), hl.RVar('ry'), 16, 8)
    print('histogram, wrong', wrong(histogram, numpy.bincount(data.ravel(), minlength=37)))


def numba_arrays():
    """Copy arrays of numba.cuda to the device and back, in every way that needs no kernel."""
    import numpy
    from numba import cuda

    data = numpy.arange(100000, dtype=numpy.float32).reshape(100, 1000)

    def same(array):
        assert (array == data).all()

    def arrays():
        there = cuda.to_device(data)
        same(there.copy_to_host())
        other = cuda.device_array_like(data)
        other.copy_to_device(there)
        same(other.copy_to_host())
        assert (there[3:5].copy_to_host() == data[3:5]).all()
        assert there[7, 11] == data[7, 11]

    def streams():
        first, second = cuda.stream(), cuda.stream()
        begun, sent = cuda.event(), cuda.event()
        with cuda.pinned(data):
            begun.record(first)
            there = cuda.to_device(data, stream=first)
            sent.record(first)
            sent.wait(second)
            back = cuda.pinned_array_like(data)
            there.copy_to_host(back, stream=second)
            second.synchronize()
        assert sent.query() and begun.elapsed_time(sent) > 0
        same(back)
        called = []
        first.add_callback(lambda stream, status, argument: called.append((status, argument)), 42)
        first.synchronize()
        assert called == [(0, 42)], called

    def managed():
        array = cuda.managed_array(data.shape, data.dtype)
        array[:] = data
        cuda.synchronize()
        same(array)
        mapped = cuda.mapped_array(data.shape, data.dtype)
        mapped[:] = data
        same(mapped)
        free, total = cuda.current_context().get_memory_info()
        assert 0 < free <= total

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


def pygpu_arrays():
    """Copy arrays of pygpu to the device and back, in every way that needs no kernel."""
    import numpy
    import pygpu

    data = numpy.arange(100000, dtype='float32').reshape(100, 1000)
    context = pygpu.init('cuda0')
    print('name', context.devname)
    print('memory', context.total_gmem)
    there = pygpu.gpuarray.array(data, context=context)
    assert (numpy.asarray(there) == data).all()
    assert (numpy.asarray(there.copy()) == data).all()
    assert (numpy.asarray(there[3:5]) == data[3:5]).all()
    other = pygpu.gpuarray.empty(data.shape, dtype='float32', context=context)
    other.write(data + 1)
    other.sync()
    back = numpy.empty_like(data)
    other.read(back)
    assert (back == data + 1).all()
    zeros = pygpu.gpuarray.zeros((1000,), dtype='int64', context=context)
    assert not numpy.asarray(zeros).any()
    print('done')


class Outcome(unittest.TestResult):
    """Count the tests of a module by their results, for unittest and as a plug-in of pytest.

    `unable` tests are those whose message contains a word of `lacking`, or whose name ends with one
    of `endings`. They cannot pass without NVIDIA's compiler, or without a GPU that computes a
    kernel's result.
    """

    WORDS = 'passed', 'skipped', 'as expected', 'wrong'

    def __init__(self, lacking, endings=()):
        super().__init__()
        self.lacking, self.endings = lacking, endings
        self.passed = self.unable = self.wrong = 0

    def sort(self, name, text):
        if name.endswith(self.endings) or any(word in text for word in self.lacking):
            self.unable += 1
        else:
            self.wrong += 1
            sys.stderr.write(f'{name}\n{text}\n')

    def addSuccess(self, test):
        self.passed += 1

    def addFailure(self, test, error):
        self.sort(test.id(), self._exc_info_to_string(error, test))

    addError = addFailure

    def addSubTest(self, test, subtest, error):
        if error:
            self.addFailure(test, error)

    def pytest_runtest_logreport(self, report):
        if report.passed:
            self.passed += report.when == 'call'
        elif report.failed:
            self.sort(report.nodeid, report.longreprtext)

    def pytest_collectreport(self, report):
        if report.failed:
            self.wrong += 1
            sys.stderr.write(f'{report.nodeid}\n{report.longreprtext}\n')

    def report_of(self, run):
        """Run the tests, whose output is redirected, and print their counts."""
        stdout = os.dup(1)
        os.dup2(2, 1)
        run()
        sys.stdout.flush()
        os.dup2(stdout, 1)
        counts = self.passed, len(self.skipped), self.unable, self.wrong
        for word, count in zip(self.WORDS, counts):
            print(word, count)


def numba_tests():
    """Run numba's own tests of its driver layer."""
    from numba.cuda.tests import cudadrv

    names = [module.name for module in
             pkgutil.iter_modules(cudadrv.__path__, cudadrv.__name__ + '.')]
    suite = unittest.defaultTestLoader.loadTestsFromNames(names)
    outcome = Outcome(('NvvmSupportError', '/nvvm/lib64'),
                      ('test_cuda_driver_basic', 'test_cuda_driver_stream_operations'))
    outcome.report_of(lambda: suite.run(outcome))


# The ends of the names of numba's own tests that fail for reasons outside the mock.
NUMBA_FAILS = (
    # A kernel writes beyond an array of one element; the next test gets the same fault.
    'TestCudaLocalMem.test_struct_model_type_arr',
    'TestCudaLocalMem.test_type_with_struct_data_model',
    # These tests expect the output of another version of Python or numba.
    'TestDebugOutput.test_dump_bytecode',
    'TestSharedMemory.test_invalid_array_type',
    # This test expects the number of registers that ptxas would use.
    'TestLinker.test_set_registers_no_max',
)

# This module starts the runner of all of numba's tests, and contains no test.
NUMBA_LEFT_OUT = 'numba.cuda.tests.cudadrv.test_cuda_libraries'


def numba_module(name):
    """Run one module of numba's own tests."""
    outcome = Outcome((), NUMBA_FAILS)
    outcome.report_of(lambda: unittest.defaultTestLoader.loadTestsFromName(name).run(outcome))


def numba_kernels():
    """Run all of numba's own tests, with a process for each module, because a kernel that faults
    affects later tests.
    """
    from numba.cuda import tests

    names = sorted(module.name for module in
                   pkgutil.walk_packages(tests.__path__, tests.__name__ + '.')
                   if module.name.rpartition('.')[2].startswith('test_'))
    names.remove(NUMBA_LEFT_OUT)
    total = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(int(os.environ['JOBS'])) as pool:
        for name, printed in zip(names, pool.map(printed_by, names)):
            counts = {word: int(count) for word, count in
                      re.findall(r'^([a-z ]+) (\d+)$', printed, re.MULTILINE)}
            if set(counts) != set(Outcome.WORDS):
                sys.stderr.write(f'{name} did not end\n')
                counts = {'wrong': 1}
            total.update(counts)
    for word in Outcome.WORDS:
        print(word, total[word])


def printed_by(name):
    return subprocess.run([sys.executable, __file__, 'numba_module', name], stdout=subprocess.PIPE,
                          text=True, check=False).stdout


def pygpu_tests(folder):
    """Run pygpu's own tests, without those that need an installed toolkit."""
    import pytest

    left_out = [f'--ignore={os.path.join(folder, name)}'
                for name in ('test_blas.py', 'test_collectives.py')]
    outcome = Outcome(('nvrtc', 'kernel compile failure'))
    outcome.report_of(lambda: pytest.main(['-p', 'no:cacheprovider', '-q', '--tb=long', folder]
                                     + left_out, plugins=[outcome]))


PROGRAMS = (halide_kernels, numba_arrays, numba_kernels, numba_module, numba_tests, pygpu_arrays,
            pygpu_tests)

if __name__ == '__main__':
    NAME, *WORDS = sys.argv[1:]
    {program.__name__: program for program in PROGRAMS}[NAME](*WORDS)
