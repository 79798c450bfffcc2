# SPDX-License-Identifier: Apache-2.0
"""Tests in pytest of Python code that calls the driver by ctypes: each has a mock in this process.

    pytest test_in_process.py --junitxml=report.xml

The file driver-api.json is the installed one, or the one that CUSHIM_DRIVER_API names. With WITH_BUG
in the environment, the code forgets its memory.
"""
import ctypes as c
import json
import os
import subprocess

import pytest

mock = c.CDLL('libcushim-mock.so.0')  # and with it libcushim.so.0
mock.cushim_table_current.restype = c.POINTER(c.c_void_p)
with open(os.environ.get('CUSHIM_DRIVER_API') or subprocess.check_output(
        ['pkg-config', '--variable=driver_api', 'cushim'], text=True).strip()) as file:
    API = json.load(file)
WORDS = {row['symbol']: word for word, row in enumerate(API['functions'], API['first_slot'])}


class Options(c.Structure):
    """struct cushim_test_options of <cushim/testing/test.h>"""
    _fields_ = [('size', c.c_size_t), ('settings', c.c_char_p), ('file', c.c_char_p),
                ('faults', c.c_char_p), ('capacity', c.c_size_t), ('on_driver', c.c_bool),
                ('forbid_errors', c.c_bool), ('context', c.c_bool), ('padding', c.c_ubyte * 5),
                ('message', c.c_void_p), ('message_size', c.c_size_t)]


@pytest.fixture
def on_mock(request):
    text, test = c.create_string_buffer(4096), c.c_void_p()
    options = Options(size=c.sizeof(Options), context=True, faults=getattr(request, 'param', None),
                      message=c.addressof(text), message_size=len(text))
    assert mock.cushim_test_begin(c.byref(options), c.byref(test)) == 0, text.value.decode()
    yield
    assert mock.cushim_test_end(test, text, c.c_size_t(len(text))) == 0, text.value.decode()


def call(symbol, *arguments):
    """Each test has a table of its own, so its pointers are read when they are needed."""
    return c.CFUNCTYPE(c.c_int)(mock.cushim_table_current()[WORDS[symbol]])(*arguments)


def filled(size, value):
    """The tested code: `size` bytes of device memory, filled. Returns None if there are too few."""
    memory, back = c.c_ulonglong(), c.create_string_buffer(size)
    if call('cuMemAlloc_v2', c.byref(memory), c.c_size_t(size)) != 0:
        return None
    call('cuMemsetD8_v2', memory, c.c_ubyte(value), c.c_size_t(size))
    call('cuMemcpyDtoH_v2', back, memory, c.c_size_t(size))
    if 'WITH_BUG' not in os.environ:
        call('cuMemFree_v2', memory)
    return back.raw


def test_memory_is_filled(on_mock):
    assert filled(1000, 7) == b'\7' * 1000


@pytest.mark.parametrize('on_mock', [b'cuMemAlloc => return(OUT_OF_MEMORY)'], indirect=True)
def test_lack_of_memory_is_returned(on_mock):
    assert filled(1000, 7) is None
