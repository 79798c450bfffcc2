#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The report's JSON is JSON, whatever the path of the library is made of.

    report_json_test.py PRINT_REPORT FAKE_LIBRARY
"""

import codecs
import json
import os
import subprocess
import sys
import tempfile
import unittest

PATHS = {
    'quotes': b'/nonexistent/"double" and \'single\'',
    'backslashes': b'/nonexistent/back\\slash\\n\\u0041\\',
    'newlines': b'/nonexistent/line\nline\r\nline',
    'controls': b'/nonexistent/' + bytes(range(1, 32)) + b'\x7f',
    'several scripts': '/nonexistent/é漢字🙂\u2028\ufeff'.encode(),
    'single bytes from 80 to ff': b'/nonexistent/' + b'-'.join(bytes([b]) for b in range(128, 256)),
    'a sequence that is cut short': b'/nonexistent/\xe6\xbc/\xf0\x9f\x99/\xc3',
    'overlong forms': b'/nonexistent/\xc0\xaf\xe0\x80\xaf\xf0\x80\x80\xaf',
    'surrogates': b'/nonexistent/\xed\xa0\x80\xed\xbf\xbf',
    'beyond U+10FFFF': b'/nonexistent/\xf4\x90\x80\x80\xf5\x80\x80\x80',
    'markup': b'/nonexistent/</script>&amp;%s%n{}[],:',
}

# Each byte that is no valid UTF-8 becomes one replacement character.
codecs.register_error('each', lambda error: ('\ufffd' * (error.end - error.start), error.end))

KEYS = ['state', 'code', 'code_name', 'reason', 'advice', 'library', 'driver_version',
        'minimum_version', 'installed', 'table_writable', 'init_process', 'symbols', 'interop',
        'fallbacks', 'by_proc_address', 'missing', 'missed', 'candidates']


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError('a key occurs twice: %s' % keys)
    return dict(pairs)


def refuse(constant):
    raise ValueError('%s is no JSON' % constant)


def report(*arguments):
    output = subprocess.run([os.fsencode(PRINT_REPORT), *arguments], check=True,
                            stdout=subprocess.PIPE).stdout
    return json.loads(output.decode('utf-8'), object_pairs_hook=unique, parse_constant=refuse)


class ReportJson(unittest.TestCase):
    def test_keys_are_the_promised_ones_in_order(self):
        self.assertEqual(list(report()), KEYS)
        self.assertEqual(list(report(os.fsencode(FAKE_LIBRARY))), KEYS)

    def test_report_without_a_load_has_no_candidates(self):
        self.assertEqual(report()['state'], 'untried')
        self.assertEqual(report()['candidates'], [])

    def test_odd_paths_come_back_as_they_are(self):
        for what, path in PATHS.items():
            with self.subTest(what):
                candidate, = report(path)['candidates']
                self.assertEqual(candidate['path'], path.decode('utf-8', 'each'))
                self.assertEqual(candidate['outcome'], 'not-found')

    def test_odd_paths_of_files_come_back_in_the_words_of_the_system(self):
        with tempfile.TemporaryDirectory() as folder:
            for what, path in PATHS.items():
                with self.subTest(what):
                    name = path.rpartition(b'/')[2]
                    file = os.path.join(os.fsencode(folder), name)
                    with open(file, 'wb') as output:
                        output.write(b'no library\n')
                    tried, = report(file)['candidates']
                    self.assertEqual(tried['outcome'], 'not-a-library')
                    self.assertTrue(tried['path'].endswith(name.decode('utf-8', 'each')))

    def test_path_of_2000_bytes_is_cut_and_stays_json(self):
        for letter in ['x', 'é', '漢', '🙂', '"', '\n']:
            for shift in range(4):
                path = b'/' + b'x' * shift + letter.encode() * 2000
                with self.subTest(path[:8]):
                    candidate, = report(path[:2000])['candidates']
                    self.assertEqual(candidate['outcome'], 'refused')
                    self.assertTrue(candidate['path'].endswith('...'))

    def test_loaded_driver_lists_every_symbol_that_it_lacks(self):
        data = report(os.fsencode(FAKE_LIBRARY))
        self.assertEqual((data['state'], data['code'], data['code_name']),
                         ('loaded', 0, 'CUDA_SUCCESS'))
        self.assertEqual(os.path.realpath(data['library']), os.path.realpath(FAKE_LIBRARY))
        self.assertEqual(data['driver_version'], 12080)
        missing = data['symbols']['missing'] + data['interop']['missing']
        self.assertEqual(len(data['missing']), missing)
        self.assertEqual(len(set(data['missing'])), missing)
        self.assertNotIn('cuInit', data['missing'])
        for part in (data['symbols'], data['interop']):
            self.assertEqual(part['total'], part['found'] + part['fallen_back'] + part['missing'])


if __name__ == '__main__':
    PRINT_REPORT, FAKE_LIBRARY = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
