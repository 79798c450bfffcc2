#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Wrong command lines: exit status 64, nothing on standard output, and a helpful message."""

import unittest

from harness import DONE, USAGE, ToolTest

NUMBER = 'expected a whole number from 1 to 1000000'
DEVICE = 'expected a whole number from 0 to 2147483647'
SIZE = 'expected a number of bytes from 1 to 1048576G, such as 4096, 64K, 256M or 2G'
VERSION = 'expected a version of CUDA, such as 12.8'

# The command line, and the message.
TABLE = [
    ('frobnicate', "there is no command 'frobnicate'\n"),
    ('ifno', "there is no command 'ifno'; did you mean 'info'?\n"),
    ('symbol', "there is no command 'symbol'; did you mean 'symbols'?\n"),
    ('hlep run', "there is no command 'hlep'; did you mean 'help'?\n"),
    ('--json info', "a command must come before the option '--json'"),
    ('-x', "a command must come before the option '-x'"),
    ('--version info', "--version takes no argument 'info'"),
    ('-V info', "--version takes no argument 'info'"),
    ('help frobnicate', "there is no command 'frobnicate'\n"),
    ('help tiem', "there is no command 'tiem'; did you mean 'time'?\n"),
    ('help run x', "help takes one command at most, not also 'x'"),
    ('help info time', "help takes one command at most, not also 'time'"),
    ('info extra', "info takes no argument 'extra'"),
    ('info --nonsense', "info has no option '--nonsense'\n"),
    ('info --jso', "info has no option '--jso'; did you mean --json?\n"),
    ('info --jsonx', "info has no option '--jsonx'; did you mean --json?\n"),
    ('info --confg=x', "info has no option '--confg=x'; did you mean --config?\n"),
    ('run --quite -- true', "run has no option '--quite'; did you mean --quiet?\n"),
    ('info -j', "info has no option '-j'\n"),
    ('info --', "info has no option '--'"),
    ('info -', "info takes no argument '-'"),
    ('info --bytes 1', "info has no option '--bytes'"),
    ('info --bytes=1', "info has no option '--bytes=1'"),
    ('info --json=yes', "--json takes no value, but was given 'yes'"),
    ('info --json=', "--json takes no value, but was given ''"),
    ('info --library', '--library lacks its value: expected the path of a driver library'),
    ('info --library --help', '--library lacks its value: expected the path of a driver library'),
    ('time extra', "time takes no argument 'extra'"),
    ('time --help extra', "time takes no argument 'extra'"),
    ('time --bytes', '--bytes lacks its value: ' + SIZE),
    ('time --bytes --device', '--bytes lacks its value: ' + SIZE),
    ('time --bytes=', "--bytes cannot be '': " + SIZE),
    ('time --bytes abc', "--bytes cannot be 'abc': " + SIZE),
    ('time --bytes 1.5G', "--bytes cannot be '1.5G': " + SIZE),
    ('time --bytes -1', "--bytes cannot be '-1': " + SIZE),
    ('time --bytes +1', "--bytes cannot be '+1': " + SIZE),
    ('time --bytes 0x10', "--bytes cannot be '0x10': " + SIZE),
    ('time --bytes G', "--bytes cannot be 'G': " + SIZE),
    ('time --bytes 1k', "--bytes cannot be '1k': " + SIZE),
    ('time --bytes 1KB', "--bytes cannot be '1KB': " + SIZE),
    ('time --bytes 1TB', "--bytes cannot be '1TB': " + SIZE),
    ('time --bytes 0', "--bytes is out of range with '0': " + SIZE),
    ('time --bytes 0G', "--bytes is out of range with '0G': " + SIZE),
    ('time --bytes 1048577G', "--bytes is out of range with '1048577G': " + SIZE),
    # 2^64 and more, which must not wrap around to a small number.
    ('time --bytes 18446744073709551616', "--bytes cannot be '18446744073709551616': "),
    ('time --bytes 18446744073709551617', "--bytes cannot be '18446744073709551617': "),
    ('time --bytes 17179869185G', "--bytes cannot be '17179869185G': " + SIZE),
    ('time --repeat', '--repeat lacks its value: ' + NUMBER),
    ('time --repeat x', "--repeat cannot be 'x': " + NUMBER),
    ('time --repeat 1K', "--repeat cannot be '1K': " + NUMBER),
    ('time --repeat 0', "--repeat is out of range with '0': " + NUMBER),
    ('time --repeat 1000001', "--repeat is out of range with '1000001': " + NUMBER),
    ('time --repeat 18446744073709551617', "--repeat cannot be '18446744073709551617'"),
    ('time --device one', "--device cannot be 'one': " + DEVICE),
    ('time --device -1', "--device cannot be '-1': " + DEVICE),
    ('time --device 2147483648', "--device is out of range with '2147483648': " + DEVICE),
    ('info --set', '--set lacks its value: expected a setting of the mock driver, such as '
                   'mode=threaded'),
    ('info --set devices=2', '--set is of the mock driver: expected --mock with it'),
    ('time --devices 2', '--devices is of the mock driver: expected --mock with it'),
    ('time --config x', '--config is of the mock driver: expected --mock with it'),
    ('info --mock --library /x', '--library names a driver, but --mock takes another'),
    ('run', 'run lacks the program to start: expected cushim run [OPTIONS] -- PROGRAM'),
    ('run --', 'run lacks the program to start: expected cushim run [OPTIONS] -- PROGRAM'),
    ('run --quiet', 'run lacks the program to start: expected cushim run [OPTIONS] -- PROGRAM'),
    ('run --json -- true', "run has no option '--json'"),
    ('run --mock -- true', "run has no option '--mock'"),
    ('run --bytes 1 -- true', "run has no option '--bytes'"),
    ('run --config -- true', '--config lacks its value: expected the path of a file of settings'),
    ('symbols --since', '--since lacks its value: ' + VERSION),
    ('symbols --since 0', "--since cannot be '0': " + VERSION),
    ('symbols --since 112', "--since cannot be '112': " + VERSION),
    ('symbols --since 12.', "--since cannot be '12.': " + VERSION),
    ('symbols --since .8', "--since cannot be '.8': " + VERSION),
    ('symbols --since 0.0', "--since cannot be '0.0': " + VERSION),
    ('symbols --since 12.10', "--since cannot be '12.10': " + VERSION),
    ('symbols --since 12085', "--since cannot be '12085': " + VERSION),
    ('trace --duration=5 true',
     'duration is a duration, such as 250 ms or 10 s, not "5"; '
     'did you mean "5 s", "5 ms" or "5 ns"?'),
    ('symbols --since 112.8', "--since cannot be '112.8': " + VERSION),
    ('symbols --since -1.0', "--since cannot be '-1.0': " + VERSION),
    ('symbols --until x.y', "--until cannot be 'x.y': " + VERSION),
    ('symbols --until=12.8.1', "--until cannot be '12.8.1': " + VERSION),
    ('symbols --since 12.8 --until 12.7', '--until is older than --since'),
    ('symbols --cuda', '--cuda lacks its value: ' + VERSION),
    ('symbols --cuda x', "--cuda cannot be 'x': " + VERSION),
    ('symbols --cuda 11.1', "--cuda is out of range with '11.1': expected a version from 11.2 to "),
    ('symbols --cuda 99.0', "--cuda is out of range with '99.0'"),
    ('symbols --cuda 13.0 --since 12.0', '--cuda takes neither --since nor --until with it'),
    ('symbols --cuda 13.0 cuMemAlok', "<cuda.h> has no function 'cuMemAlok'; did you mean cuMemAlloc?"),
    ('symbols --cuda 13.0 cuGLCtxCreate', "<cuda.h> has no function 'cuGLCtxCreate'\n"),
    ('symbols --cuda 13.0 cuStreamQuery_ptsz', "<cuda.h> has no function 'cuStreamQuery_ptsz'\n"),
    ('symbols --cuda 11.8 cuGraphAddNode', 'cuGraphAddNode came with CUDA 12.2\n'),
    ('symbols --cuda 11.8 cuMemAlloc cuNo', "<cuda.h> has no function 'cuNo'"),
    ('symbols --library x', "symbols has no option '--library'"),
    ('trace', 'trace lacks the program to start: expected cushim trace [OPTIONS] -- PROGRAM'),
    ('trace --', 'trace lacks the program to start: expected cushim trace [OPTIONS] -- PROGRAM'),
    ('trace --from-profiler=on -- x', "--from-profiler takes no value, but was given 'on'"),
    ('trace --output', '--output lacks its value: expected the path of a file to write'),
    ('trace --output x.txt -- x', '--output must end in .json or .html, not'),
    ('trace --output - -- x', '--output must end in .json or .html, not'),
    ('trace --delay -- x', '--delay lacks its value: expected a duration'),
    ('trace --delay soon -- x', 'delay is a duration, such as 250 ms or 10 s, not "soon"'),
    ('trace --duration 5x -- x', 'duration is a duration, such as 250 ms or 10 s'),
    ('trace --buffer 0 -- x', 'buffer is a size, such as 256 MiB, not "0"'),
    ('trace --device-times maybe -- x', 'device_times is on or off'),
    ('trace --devices 2 -- x', '--devices is of the mock driver: expected --mock with it'),
    ('trace --mock --library /x -- x', '--library names a driver, but --mock takes another'),
    ('trace --json -- x', "trace has no option '--json'"),
    ('check', 'check lacks the program to start: expected cushim check [OPTIONS] -- PROGRAM'),
    ('check --promise 0 -- x', 'promise is a version of CUDA, such as 12.2, not "0"'),
    ('check --level all -- x', 'level is error, warning or advice'),
    ('check --expect -- x', '--expect lacks its value: expected an id and a number'),
    ('check --set devices=2 -- x', '--set is of the mock driver: expected --mock with it'),
    ('trace convert', 'trace convert lacks the file: expected cushim trace convert FILE '
                      '[--output FILE]'),
    ('trace convert x y', "trace takes no argument 'y'"),
    ('trace convert x --output', '--output lacks its value: expected the path of a file to write'),
    ('trace convert x --delay 1s', 'trace convert takes no option but --output'),
    ('trace convert x --mock', 'trace convert takes no option but --output'),
    ('run --real --set devices=2 -- x', '--set is of the mock driver: expected no --real with it'),
    ('run --real --report x -- x', '--report is of the mock driver: expected no --real with it'),
    ('run --real --kernels k.so -- x',
     '--kernels is of the mock driver: expected no --real with it'),
    ('run --real --error-exitcode 1 -- x',
     '--error-exitcode is of the mock driver: expected no --real with it'),
    ('trace --device 0', "trace has no option '--device'"),
    ('symbols one', "symbols takes no argument 'one'"),
    ('time --bytes 1 --repeat 0', "--repeat is out of range with '0': " + NUMBER),
]


class Usage(ToolTest):

    def test_table(self):
        for words, message in TABLE:
            with self.subTest(words=words):
                result = self.run_command(*words.split(), CUSHIM_LIBRARY='none', status=USAGE)
                self.assertEqual(result.out, '')
                self.assertTrue(result.err.startswith('cushim: ' + message), result.err)
                self.assertRegex(result.err, r'\nadvice: (?:Read .* with|Run) `cushim help.*`.*\.\n')

    def test_json(self):
        for words in ['time', '--json', '--bytes', 'x'], ['time', '--bytes', 'x', '--json']:
            with self.subTest(words=words):
                result = self.run_command(*words, status=USAGE)
                self.assertEqual(list(result.json()), ['error'])
                self.assertEqual(result.json()['error']['kind'], 'usage')
                self.assertEqual(result.json()['error']['message'],
                                 "--bytes cannot be 'x': " + SIZE)
                self.assertEqual(result.err, '')

    def test_long_words_are_cut(self):
        result = self.run_command('time', '--bytes', 'x' * 5000, status=USAGE)
        self.assertLess(len(result.err), 500)

    def test_what_would_do_something_to_a_terminal_is_not_printed(self):
        result = self.run_command('info', '\x1b[2J\r\x07\u009b', status=USAGE)
        self.assertIn("info takes no argument '?[2J???'", result.err)

    def test_limits_are_allowed(self):
        for words, member, value in (('--bytes 1', 'bytes', 1),
                                     ('--bytes 8G', 'bytes', 8 << 30),
                                     ('--bytes 16K', 'bytes', 16384),
                                     ('--bytes 5M', 'bytes', 5 << 20),
                                     ('--bytes 0004096', 'bytes', 4096),
                                     ('--repeat 1', 'repeat', 1)):
            with self.subTest(words=words):
                result = self.run_with(13000, 'time', '--json', *words.split(), status=DONE)
                self.assertEqual(result.json()[member], value)

    def test_last_of_an_option_counts(self):
        result = self.run_with(13000, 'time', '--json', '--repeat', '7', '--repeat=2', status=DONE)
        self.assertEqual(result.json()['repeat'], 2)


if __name__ == '__main__':
    unittest.main()
