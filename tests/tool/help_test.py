#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual: its statements are true, and no text of the man page is lost in the help."""

import os
import re
import unittest

from harness import DONE, USAGE, ToolTest

COMMANDS = 'info', 'probe', 'time', 'run', 'trace', 'check', 'profile', 'symbols', 'symbolize'
FONT = re.compile(r'\\f[BIRP]')


def sections_of_help(text):
    """Map each heading to the words below it."""
    sections, heading = {}, None
    for line in text.splitlines():
        if line and line[0] != ' ':
            heading = line
            sections[heading] = ''
        else:
            sections[heading] += ' ' + line
    return {heading: ' '.join(words.split()) for heading, words in sections.items()}


def arguments_of_macro(text):
    """Return the arguments of a roff request: words, or quoted texts."""
    return [quoted if quoted else plain
            for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', text)]


def sections_of_man_page(text):
    """Map each heading to the words below it; only macros of docs/cushim.1 are known."""
    sections, heading = {}, None
    for line in text.splitlines():
        line = FONT.sub('', line).replace('\\-', '-').replace('\\(ha', '^')
        macro, _, rest = line.partition(' ')
        if macro == '.SH':
            heading = ' '.join(arguments_of_macro(rest))
            sections[heading] = ''
        elif macro in ('.TH', '.\\"', '.TP', '.PP', '.nf', '.fi'):
            pass
        elif macro == '.B':
            sections[heading] += ' ' + rest
        elif macro in ('.BI', '.BR'):
            sections[heading] += ' ' + ''.join(arguments_of_macro(rest))
        elif line.startswith('.') or '\\' in line:
            raise ValueError('not understood in the man page: ' + line)
        else:
            sections[heading] += ' ' + line
    return {heading: ' '.join(words.split()) for heading, words in sections.items()}


class Manual(ToolTest):

    def manual(self, *arguments):
        result = self.run_command(*arguments, status=DONE)
        self.assertEqual(result.err, '')
        return result.out

    def test_man_page_says_the_same(self):
        with open(os.environ['CUSHIM_MAN_PAGE'], encoding='utf-8') as page:
            written = sections_of_man_page(page.read())
        printed = sections_of_help(self.manual('help', 'all'))
        self.assertEqual(list(written), list(printed))
        for heading, words in printed.items():
            with self.subTest(heading=heading):
                self.assertEqual(written[heading], words)

    def test_help_and_its_option_are_one(self):
        for words in ['help', 'help'], ['--help'], ['-h'], ['--help', '--help']:
            self.assertEqual(self.manual(*words), self.manual('help'))
        for command in COMMANDS:
            self.assertEqual(self.manual(command, '--help'), self.manual('help', command))
            self.assertEqual(self.manual(command, '-h'), self.manual('help', command))
            self.assertEqual(self.manual('--help', command), self.manual('help', command))

    def test_overview_fits_a_screen_and_names_what_there_is(self):
        overview = self.manual('help').splitlines()
        self.assertLessEqual(len(overview), 24 - 1)  # and the prompt below the command
        self.assertLessEqual(max(map(len, overview)), 80)
        self.assertEqual(re.findall(r'^    (\w+) ', '\n'.join(overview), re.MULTILINE),
                         [*COMMANDS, 'help'])
        whole = sections_of_help(self.manual('help', 'all'))
        part = sections_of_help('\n'.join(overview))
        for heading in 'COMMANDS', 'OPTIONS':
            self.assertEqual(part[heading], whole[heading])

    def test_command_alone_is_wrong_and_shows_the_overview(self):
        result = self.run_command(status=USAGE)
        self.assertEqual(result.out, '')
        self.assertEqual(result.err, self.manual('help'))

    def test_part_of_a_command_is_in_the_whole(self):
        whole = sections_of_help(self.manual('help', 'all'))
        for command in COMMANDS:
            part = sections_of_help(self.manual('help', command))
            name = command.upper()
            self.assertIn(part['SYNOPSIS'], whole['SYNOPSIS'])
            self.assertEqual(part['DESCRIPTION'], whole['COMMAND ' + name])
            self.assertEqual(part['OPTIONS'], whole['OPTIONS OF ' + name])

    def statuses(self, *arguments):
        """Map each exit status to its words, in the order of the manual."""
        _, _, section = self.manual(*arguments).partition('\nEXIT STATUS\n')
        printed = {}
        for line in section.split('\n\n')[0].splitlines():
            name, words = line[4:20].strip(), line[20:].strip()
            if name:
                self.assertNotIn(name, printed)
                printed[name] = words
            else:
                printed[list(printed)[-1]] += ' ' + words
        return printed

    def test_exit_statuses_of_a_command_are_its_own(self):
        whole = self.statuses('help', 'all')
        for command, own in (('info', '0 1 2 3 4 5 64'), ('probe', '0 1 2 3 4 5 6 64'),
                             ('time', '0 1 2 3 64 130'),
                             ('run', '1 64 125 126 127 others'), ('profile', '0 1 2 3 64'),
                             ('symbols', '0 1 64'), ('symbolize', '0 1 64'),
                             ('trace', '0 1 2 64 125 126 127 others'),
                             ('check', '1 2 64 125 126 127 others')):
            printed = self.statuses(command, '--help')
            self.assertEqual(list(printed), own.split())
            for status, words in printed.items():
                with self.subTest(command=command, status=status):
                    [names] = re.findall(r'(?:\A|(?<=\. ))(?:([a-z, ]+): )?' + re.escape(words),
                                         whole[status])
                    self.assertTrue(not names or command in names.split(', '), names)

    def test_fits_a_terminal(self):
        self.assertLessEqual(max(map(len, self.manual('help', 'all').splitlines())), 80)

    def test_options_of_the_synopsis_are_those_explained(self):
        for command in COMMANDS:
            part = sections_of_help(self.manual('help', command))
            # An option that two synopsis lines have is explained once.
            listed = dict.fromkeys(re.findall(r'\[(--[\w-]+(?: [A-Z=]+| on\|off)?)\]',
                                              part['SYNOPSIS']))
            self.assertEqual([*listed, '--help'], re.findall(
                r'(?:^|\. )(?:-h, )?(--[\w-]+(?: [A-Z=]+| on\|off)?)(?= [A-Z][a-z])',
                part['OPTIONS']))

    def test_each_option_is_explained(self):
        with open(os.environ['CUSHIM_OPTIONS'], encoding='utf-8') as source:
            options = re.findall(r'^    \{"(--[\w-]+)", OPTION_', source.read(), re.MULTILINE)
        explained = re.findall(r'^    (?:-\w, )?(--[\w-]+)', self.manual('help', 'all'),
                               re.MULTILINE)
        self.assertEqual({*options, '--version'}, set(explained))

    def test_options_explained_exist(self):
        values = {'--bytes': '1', '--repeat': '1', '--device': '0', '--library': '/nowhere',
                  '--devices': '2', '--driver-version': '12.8', '--config': '/dev/null',
                  '--set': 'seed=1', '--name': 'GPU', '--output': '/dev/null',
                  '--device-times': 'on', '--calls': 'cuInit', '--delay': '1 s',
                  '--duration': '1 s', '--buffer': '1 MiB', '--fault': 'cuInit => return(999)',
                  '--kernels': '/nowhere', '--timeout': '9s', '--look-in': '/nowhere', '--report': '/dev/null',
                   '--since': '12.8', '--until': '12.8'}
        for command in COMMANDS:
            explained = self.manual('help', command)
            for option in set(re.findall(r'^    (?:-\w, )?(--[\w-]+)', explained, re.MULTILINE)):
                with self.subTest(command=command, option=option):
                    words = [option, values[option]] if option in values else [option]
                    result = self.run_command(command, *words, CUSHIM_LIBRARY='none')
                    self.assertNotIn('has no option', result.err, str(result))
                    self.assertNotIn('takes no argument', result.err, str(result))

    def test_defaults_are_true(self):
        printed = self.manual('help', 'time')
        document = self.run_with(13000, 'time', '--json').json()
        self.assertRegex(printed, r'--bytes (?s:.*?)Default: 256M, of the mock driver 16M\.')
        self.assertEqual(document['bytes'], 256 << 20)
        self.assertRegex(printed, r'--repeat (?s:.*?)Default: 100\.')
        self.assertEqual(document['repeat'], 100)
        self.assertEqual(document['device']['ordinal'], 0)
        self.assertIn('%d untimed rounds' % document['warmup_rounds'], printed)

    def test_members_of_json_are_true(self):
        printed = sections_of_help(self.manual('help', 'all'))['JSON']
        info = self.run_with(13000, 'info', '--json').json()
        time = self.run_with(13000, 'time', '--json').json()
        error = self.run_command('info', '--json', CUSHIM_LIBRARY='none').json()['error']
        probe = self.run_command('probe', '--json', CUSHIM_LIBRARY='none').json()
        symbols = self.run_command('symbols', '--json').json()
        for member in [*info, *probe, *time, 'error', *error, *symbols, *symbols['symbols'][0]]:
            self.assertRegex(printed, r'\b%s\b' % member)
        for kind in ('failed', 'no-driver', 'no-device', 'hung', 'crashed', 'usage',
                     'interrupted'):
            self.assertIn(kind, printed)

    def test_version(self):
        version = self.manual('--version')
        self.assertEqual(self.manual('-V'), version)
        self.assertRegex(version, r'\Acushim %s\nregistry: CUDA \d+\.\d, \d{3,} symbols\n'
                                  r'headers: CUDA \d+\.\d\n\Z'
                                  % re.escape(os.environ['CUSHIM_VERSION']))


if __name__ == '__main__':
    unittest.main()
