#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""share/cushim/driver-api.json follows its schema and agrees with the registry.

    json_test.py CUDA_INCLUDE DRIVER_API_JSON SCHEMA

The test checks the schema with the few keywords that the schema uses. Any other keyword is an
error, so that none is ignored. If Python has jsonschema, it must come to the same result.
"""

import copy
import json
import re
import sys
import unittest

import toolkit
import registry
from rows import NEWEST_UNDATED

try:
    from jsonschema import Draft202012Validator as Validator
except ImportError:
    Validator = None

NOTES = {'$comment', '$schema', '$defs', 'title', 'description'}
TYPES = {'object': dict, 'array': list, 'string': str, 'integer': int, 'null': type(None)}


def has_type(value, name):
    return isinstance(value, TYPES[name]) and not isinstance(value, bool)


def mistakes(value, schema, root, where='$'):
    """Return a sentence for each violation of the schema."""
    for keyword, wanted in schema.items():
        if keyword in NOTES:
            continue
        broken, inner = False, []
        if keyword == '$ref':
            inner = [(value, root['$defs'][wanted.removeprefix('#/$defs/')], where)]
        elif keyword == 'type':
            names = [wanted] if isinstance(wanted, str) else wanted
            broken = not any(has_type(value, name) for name in names)
        elif keyword == 'const':
            broken = value != wanted or isinstance(value, bool)
        elif keyword == 'enum':
            broken = value not in wanted
        elif keyword == 'minimum':
            broken = has_type(value, 'integer') and value < wanted
        elif keyword == 'maximum':
            broken = has_type(value, 'integer') and value > wanted
        elif keyword == 'pattern':
            broken = isinstance(value, str) and not re.search(wanted, value)
        elif keyword == 'minItems':
            broken = isinstance(value, list) and len(value) < wanted
        elif keyword == 'items':
            inner = [(item, wanted, '%s[%d]' % (where, index))
                     for index, item in enumerate(value if isinstance(value, list) else [])]
        elif keyword == 'required':
            broken = isinstance(value, dict) and not set(wanted) <= set(value)
        elif keyword == 'properties':
            inner = [(value[name], wanted[name], where + '.' + name)
                     for name in wanted if isinstance(value, dict) and name in value]
        elif keyword == 'additionalProperties' and wanted is False:
            broken = isinstance(value, dict) and not set(value) <= set(schema['properties'])
        else:
            raise ValueError('%s: this test does not know the keyword %s' % (where, keyword))
        if broken:
            yield '%s: %s %s' % (where, keyword, json.dumps(wanted))
        for item, part, place in inner:
            yield from mistakes(item, part, root, place)


# A change of the data, and the place where it violates the schema.
BROKEN = {
    'newer schema': (lambda data: data.update(schema=2), '$.schema: const'),
    'true is no version': (lambda data: data.update(schema=True), '$.schema: const'),
    'a list is missing': (lambda data: data.pop('types'), '$: required'),
    'an empty list': (lambda data: data.update(results=[]), '$.results: minItems'),
    'another member': (lambda data: data.update(extra=1), '$: additionalProperties'),
    'no list': (lambda data: data.update(functions={}), '$.functions: type'),
    'old': (lambda data: data['functions'][3].update(since=1000),
            '$.functions[3].since: minimum'),
    'too new': (lambda data: data.update(cuda=130500), '$.cuda: maximum'),
    'version as text': (lambda data: data['functions'][3].update(since='2000'),
                        '$.functions[3].since: type'),
    'no driver symbol': (lambda data: data['functions'][0].update(symbol='cudaMalloc'),
                         '$.functions[0].symbol: pattern'),
    'fallback is empty': (lambda data: data['functions'][0].update(fallback=''),
                          '$.functions[0].fallback: pattern'),
    'unknown platform': (lambda data: data['functions'][0].update(platform='amiga'),
                         '$.functions[0].platform: enum'),
    'parameter has no name': (lambda data: data['functions'][0]['parameters'][0].pop('name'),
                              '$.functions[0].parameters[0]: required'),
    'struct by its members': (lambda data: data['types'][0].update(plain='struct { int a; }'),
                              '$.types[0].plain: enum'),
    'enumerator has no number': (lambda data: data['enums'][0]['values'][0].pop('number'),
                                 '$.enums[0].values[0]: required'),
    'negative result': (lambda data: data['results'][0].update(number=-1),
                        '$.results[0].number: minimum'),
}


class Json(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        with open(DATA, encoding='ascii') as file:
            cls.data = json.load(file)
        with open(SCHEMA, encoding='ascii') as file:
            cls.schema = json.load(file)

    def check(self, data):
        found = list(mistakes(data, self.schema, self.schema))
        if Validator:
            self.assertEqual(not found, Validator(self.schema).is_valid(data), found)
        return found

    def test_file_keeps_to_the_schema(self):
        if Validator:
            Validator.check_schema(self.schema)
        self.assertEqual(self.check(self.data), [])

    def test_schema_refuses_what_is_broken(self):
        for what, (change, message) in BROKEN.items():
            with self.subTest(what):
                data = copy.deepcopy(self.data)
                change(data)
                found = self.check(data)
                self.assertTrue(any(line.startswith(message) for line in found), found)

    def test_unknown_keyword_is_an_error(self):
        with self.assertRaisesRegex(ValueError, 'keyword oneOf'):
            list(mistakes(self.data, {**self.schema, 'oneOf': []}, self.schema))

    def test_functions_are_those_of_the_registry(self):
        rows = toolkit.functions()
        self.assertEqual(self.data['cuda'], toolkit.newest())
        self.assertEqual(self.data['functions'], [
            {'symbol': row.symbol, 'name': row.base, 'abi': row.abi, 'since': row.since,
             'group': row.group, 'per_thread': row.twin, 'fallback': row.fallback,
             'platform': row.platform,
             'parameters': [parameter._asdict() for parameter in row.parameters]} for row in rows])

    def test_a_function_whose_suffixes_are_known(self):
        functions = {row['symbol']: row for row in self.data['functions']}
        row = functions['cuStreamBeginCapture_v2']
        self.assertEqual((row['name'], row['abi'], row['since'], row['per_thread']),
                         ('cuStreamBeginCapture', 2, 10010, 'cuStreamBeginCapture_v2_ptsz'))
        row = functions['cuStreamBeginCapture_v2_ptsz']
        self.assertEqual((row['name'], row['abi'], row['per_thread']),
                         ('cuStreamBeginCapture', 2, None))
        self.assertEqual(functions['cuEventElapsedTime_v2']['fallback'], 'cuEventElapsedTime')
        self.assertEqual(functions['cuInit']['parameters'],
                         [{'type': 'unsigned int', 'name': 'Flags'}])

    def test_types_and_results_are_those_of_the_registry(self):
        self.assertEqual(self.data['types'], [
            {'name': row.type, 'kind': row.kind, 'since': row.since,
             'plain': None if row.kind == 'struct' else row.plain}
            for row in registry.read_types(toolkit.table('types'))])
        self.assertEqual(self.data['results'], [
            {'number': row.number, 'name': row.name}
            for row in registry.read_results(toolkit.table('results'))])

    def test_enumerators_are_those_of_the_header(self):
        enums = {row['name']: {value['name']: value['number'] for value in row['values']}
                 for row in self.data['enums']}
        self.assertEqual(enums['CUevent_flags']['CU_EVENT_DISABLE_TIMING'], 2)
        self.assertEqual(
            enums['CUdevice_attribute']['CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR'], 75)
        header = toolkit.header('cuda.h')
        if header.version != NEWEST_UNDATED:
            self.skipTest('the header is not that of CUDA %d' % NEWEST_UNDATED)
        for name in set(header.enums) - {'CUresult', 'CUdevice_attribute', 'CUlimit'}:
            declared = {member: number for number, member in header.enums[name]
                        if member.startswith('CU') and not re.search('_MAX$|_NUM_', member)}
            self.assertEqual({member: enums.get(name, {}).get(member) for member in declared},
                             declared, name)


if __name__ == '__main__':
    _, _, DATA, SCHEMA = sys.argv
    toolkit.main()
