# SPDX-License-Identifier: Apache-2.0
"""Call the driver through cushim from Python: ctypes_prototypes.py DRIVER_API_JSON LIBCUSHIM"""
import ctypes as c
import json
import sys
from types import SimpleNamespace

api = json.load(open(sys.argv[1], encoding='ascii'))
cushim, driver = c.CDLL(sys.argv[2]), SimpleNamespace()
cushim.cushim_table_current.restype = c.POINTER(c.c_void_p)
RESULTS = {row['number']: row['name'] for row in api['results']}
TYPES = {'int': c.c_int, 'unsigned int': c.c_uint, 'unsigned long long': c.c_ulonglong,
         'size_t': c.c_size_t, 'unsigned short': c.c_ushort, 'unsigned char': c.c_ubyte,
         'float': c.c_float, 'void *': c.c_void_p, None: None}  # None: a struct, by value
TYPES.update({row['name']: TYPES[row['plain']] for row in api['types']})

def check(code, function, _):
    if code:
        raise RuntimeError('%s: %s' % (function.__name__, RESULTS.get(code, code)))

if cushim.cushim_driver_init(None):
    report = c.create_string_buffer(4096)
    cushim.cushim_report_write_text(report, c.c_size_t(len(report)))
    sys.exit(report.value.decode())
table = cushim.cushim_table_current()
for slot, row in enumerate(api['functions'], api['first_slot']):
    types = [c.c_void_p if '*' in p['type'] else TYPES[p['type']] for p in row['parameters']]
    if None not in types:
        function = c.CFUNCTYPE(c.c_int, *types)(table[slot])
        function.__name__, function.errcheck = row['symbol'], check
        setattr(driver, row['symbol'], function)

count, name = c.c_int(), c.create_string_buffer(256)
driver.cuDeviceGetCount(c.byref(count))
for device in range(count.value):
    driver.cuDeviceGetName(name, len(name), device)
    print('device %d: %s' % (device, name.value.decode()))
