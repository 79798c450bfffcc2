#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""README.md and the guides: every code block and every link is right.

    pages_test.py SOURCE DRIVER_API_JSON FOLDER_OF_FAKE_DRIVERS COMMAND... -- PROGRAM...

The language of a block determines how it is tested:

    c, cpp   a program that the build compiles, and usually runs, contains the block (SOURCES)
    console  its commands run in a folder with the PROGRAMs and the fake drivers, and print what the
             block shows. A line `...` stands for any lines, `...` in a line for any text
    diff     it changes tests/pages/linked.c to tests/pages/switched.c; both are compiled
    conf     the mock accepts it as a file of settings
    fault    the mock accepts each line as a rule
    json     it is an excerpt of driver-api.json; `...` stands for more members
    sh, ini, meson, cmake, yaml
             another test runs it: packaging_test.py (pages.TESTED), or one in RUN_ELSEWHERE
    text     it cannot run; NOT_RUN lists each with the reason

Offsets in a program depend on the build, and frames of the C library on the machine, so neither is
compared.
"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'consumers'))

import pages  # noqa: E402

# The programs that contain C and C++ blocks of the pages.
SOURCES = ['examples/**/*.c', 'examples/*.cpp', 'tests/pages/*.c']

# For blocks that another test runs: the page and the first line of code, the file that runs the
# block, and how the block is called there. ci_test.py also compares the blocks of docs/ci.md with
# the files that it runs.
RUN_ELSEWHERE = {
    ('README.md', 'sudo apt-get update && sudo apt-get install -y build-essential libzstd-dev meson '
                  'pkg-config &&'): ('.ci/run', 'readme_command 1'),
    ('README.md', 'sudo apt-get install -y libcmocka-dev valgrind strace &&'):
        ('.ci/run', 'readme_command 2'),
    ('docs/platforms.md', 'sudo apt-get install -y meson xz-utils gcc-aarch64-linux-gnu '
                          'qemu-user-binfmt musl-tools'): ('.ci/run', 'platform aarch64 '),
    ('docs/platforms.md', 'sudo apt-get install -y gcc-mingw-w64-x86-64-posix '
                          'g++-mingw-w64-x86-64-posix wine64 meson'):
        ('.ci/run', 'platform windows-x86_64 unit binary'),
    ('docs/maintaining.md', 'loader/registry/update.py --check include'):
        ('tests/registry/new_version.py', 'update.py'),
    ('docs/maintaining.md', 'meson setup build-new -Dcuda-include=$PWD/include && '
                            'ninja -C build-new'):
        ('.ci/thorough', '-Dcuda-include="$include"'),
    ('docs/maintaining.md', 'tests/fuzz/fuzz.py build'): ('.ci/thorough', 'tests/fuzz/fuzz.py run'),
    ('docs/ci.md', 'name: test'): ('tests/examples/ci_test.py', "read('github.yml')"),
    ('docs/ci.md', 'image: debian:12'): ('tests/examples/ci_test.py', "read('gitlab-ci.yml')"),
    ('docs/ci.md', 'cmake_minimum_required(VERSION 3.21)'):
        ('tests/examples/ci_test.py', "os.path.join(SOURCE, 'examples', 'ci')"),
}

# The page and first line of each text block, and why it is not a console block.
NOT_RUN = {
    ('docs/cuda-header.md', 'cuMemcpyHtoD -> cuMemcpyHtoD_v2 (by cuda.h) -> '
                            'cushim_cuda_cuMemcpyHtoD_v2 -> cushim_driver()->MemcpyHtoD_v2'):
        'what macros do; tests/cuda_header compares the symbols',
    ('docs/mock.md', 'SITE[@devN][:CONDITION,...] => EFFECT'): 'a grammar; the rules below it run',
    ('docs/checks.md', 'CUSHIM-event-destroyed cuEventQuery libfoo.so*'):
        'suppressions; tests/check reads such',
    ('docs/architecture.md', 'a caller -> table.c (generated) -> functions/ -> '
                             'stream/stream.c -> sim/ -> execute() of an operation'):
        'a picture of calls',
    ('docs/architecture.md', 'src/library         the libcuda.so.1 of unmodified programs: the '
                             'mock, or layers over a real driver'):
        'a picture of folders; tests/house has their edges',
    ('docs/architecture.md', 'include/cushim/     public headers: one kind of object each, and the '
                             'reference manual'): 'test_tree_of_folders_is_there',
}

# Programs that some builds lack: builds with a sanitizer, without static libraries, or without the
# execution of kernels.
OPTIONAL = {'./static-program', './scale'}

# Folders whose comments and messages name pages.
NAMING = ['.ci', 'dist', 'examples', 'include', 'loader', 'src', 'subprojects', 'tests']


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding='utf-8') as file:
        return file.read()


def all_pages():
    paths = [path for folder in (SOURCE, os.path.join(SOURCE, 'docs'))
             for path in glob.glob(os.path.join(folder, '*.md'))]
    return sorted(os.path.relpath(path, SOURCE) for path in paths)


def fences(text):
    """Yield the blocks of a page as (language, text), without their indentation."""
    found = []
    for indent, language, block in re.findall(r'(?ms)^( *)```(\w*)\n(.*?)^ *```$', text):
        found.append((language, re.sub(r'(?m)^' + indent, '', block)))
    return found


def guides():
    return [page for page in all_pages() if page == 'README.md' or page.startswith('docs/')]


def blocks(*languages):
    """Yield the page and text of each block in these languages."""
    return [(page, text) for page in guides() for language, text in fences(read(page))
            if language in languages]


def prose(page):
    """Return a page without its blocks, as one line."""
    return squeeze(re.sub(r'(?ms)^ *```.*?^ *```$', '', read(page)))


def squeeze(text):
    return ' '.join(text.split())


def sessions(block):
    """Return the lines of output for each command."""
    found = []
    for line in block.splitlines():
        if line.startswith('$ '):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def blur(text):
    """Replace call sites in the program by a placeholder, and remove the further frames, and the
    line of `cushim info` that says where it runs.
    """
    text = re.sub(r'^machine .*\n', '', text, flags=re.MULTILINE)
    return re.sub(r'(\S+)\+0x[0-9a-f]+(?: \S+\+0x[0-9a-f]+)*', r'\1+0x', text)


def is_like(expected, line):
    return re.fullmatch(re.escape(expected).replace(r'\.\.\.', '.*'), line) is not None


def fits(expected, lines):
    """Return whether lines are the expected ones, where `...` stands for any number of lines."""
    if not expected:
        return not lines
    if expected[0] == '...':
        return any(fits(expected[1:], lines[skipped:]) for skipped in range(len(lines) + 1))
    return bool(lines) and is_like(expected[0], lines[0]) and fits(expected[1:], lines[1:])


def slug(heading):
    """Return the anchor of a heading."""
    text = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', heading).strip().lower()
    return re.sub(r'[^\w\- ]', '', text).replace(' ', '-')


def anchors(text):
    text = re.sub(r'(?ms)^ *```.*?^ *```$', '', text)
    return {slug(heading) for heading in re.findall(r'(?m)^#+ (.*)$', text)}


class Links(unittest.TestCase):
    def test_each_leads_somewhere(self):
        count = 0
        for page in all_pages():
            text = re.sub(r'(?ms)^ *```.*?^ *```$', '', read(page))
            for target in re.findall(r'\]\(([^)\s]+)\)', text):
                if re.match(r'\w+:', target):
                    continue
                path, _, anchor = target.partition('#')
                name = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                with self.subTest(page=page, target=target):
                    count += 1
                    self.assertTrue(os.path.exists(os.path.join(SOURCE, name)))
                    if anchor:
                        self.assertIn(anchor, anchors(read(name)))
        self.assertGreater(count, 100)

    def test_pages_that_the_sources_name_are_there(self):
        names = {'meson_options.txt', 'meson.build'}
        for folder in NAMING:
            for path, _, files in os.walk(os.path.join(SOURCE, folder)):
                names |= {os.path.relpath(os.path.join(path, name), SOURCE) for name in files
                          if os.path.splitext(name)[1] in
                          ('', '.c', '.h', '.py', '.sh', '.ini', '.txt', '.tsv', '.in', '.build')}
        names |= set(all_pages()) | {'docs/cushim.1'}
        names -= {'tests/pages/pages_test.py'}
        count = 0
        for name in sorted(names):
            with open(os.path.join(SOURCE, name), encoding='utf-8', errors='replace') as file:
                text = file.read()
            found = set(re.findall(r'(?<![\w/.])docs/[\w-]+\.(?:md|1)\b', text))
            found |= {'docs/' + page for page in re.findall(r'\bpage\s+([\w-]+\.md)', text)
                      if page != 'mock-coverage.md'}
            count += len(found)
            for page in found:
                with self.subTest(file=name):
                    self.assertTrue(os.path.exists(os.path.join(SOURCE, page)), page)
        self.assertGreater(count, 20)

    def test_files_that_pages_name_are_there(self):
        """Without paths in the reader's own project (subprojects/), and without those that contain
        a NAME.
        """
        folders = '|'.join(re.escape(name) for name in NAMING if name != 'subprojects')
        count = 0
        for page in all_pages():
            for path in re.findall(r'`((?:%s)/(?!\S*[A-Z]{3})[\w./-]+)`' % folders, prose(page)):
                count += 1
                with self.subTest(page=page, path=path):
                    self.assertTrue(os.path.exists(os.path.join(SOURCE, path)))
        self.assertGreater(count, 50)

    def test_names_that_pages_place_in_files_are_there(self):
        """Also matches references such as `LONGEST` of `fuzz.py`, and two names or two files."""
        files = {}
        for folder in NAMING:
            for path, _, names in os.walk(os.path.join(SOURCE, folder)):
                for name in names:
                    path_below = os.path.relpath(os.path.join(path, name), SOURCE)
                    files.setdefault(name, []).append(path_below)
                    files[path_below] = [path_below]
        count = 0
        for page in all_pages():
            for names, places in re.findall(
                    r'(`[A-Z_]{3,}`(?: and `[A-Z_]+`)?) (?:in|of) (`[\w./]+`(?: and `[\w./]+`)?)',
                    prose(page)):
                for place in re.findall('`(.*?)`', places):
                    for name in re.findall('`(.*?)`', names):
                        count += 1
                        with self.subTest(page=page, name=name, place=place):
                            self.assertTrue(any(re.search(r'\b%s = ' % name, read(path))
                                                for path in files.get(place, [])))
        self.assertGreaterEqual(count, 2)

    def test_statements_that_headers_name_are_there(self):
        """Matches `driver-semantics.md #19`, and `#20` alone later in the same comment."""
        there = re.findall(r'(?m)^(\d+)\. ', read('docs', 'driver-semantics.md'))
        count = 0
        for path in glob.glob(os.path.join(SOURCE, 'include', '**', '*.h'), recursive=True):
            with open(path, encoding='utf-8') as file:
                text = file.read()
            self.assertEqual('driver-semantics.md' in text, 'share/doc/cushim/docs/' in text, path)
            for comment in re.findall(r'(?s)/\*.*?\*/', text):
                self.assertNotRegex(comment, r'statements?\s[*\s]*\d')
                for number in re.findall(r'(?<!\w)#(\d+)\b', comment):
                    count += 1
                    self.assertIn(number, there, path)
                    self.assertIn('driver-semantics.md', comment, path)
        self.assertGreater(count, 60)

    def test_folder_of_downloaded_headers_is_that_of_the_wrap(self):
        folder, = re.findall(r'(?m)^directory = (.*)$', read('subprojects', 'cuda-headers.wrap'))
        self.assertIn('`subprojects/%s/include`' % folder, read('docs', 'getting-started.md'))

    def test_each_page_is_in_the_index_and_installed(self):
        index, installed = read('docs', 'README.md'), read('docs', 'meson.build')
        for page in all_pages():
            folder, name = os.path.split(page)
            if folder != 'docs':
                continue
            with self.subTest(page):
                self.assertIn("'%s'" % name, installed)
                if name != 'README.md':
                    self.assertIn('(%s)' % name, index)

    def test_each_example_is_in_a_guide(self):
        text = ''.join(read(page) for page in all_pages())
        names = glob.glob(os.path.join(SOURCE, 'examples', '**', '*.c'), recursive=True)
        self.assertGreater(len(names), 10)
        for path in names:
            self.assertIn('(../%s)' % os.path.relpath(path, SOURCE), text)


class Blocks(unittest.TestCase):
    def test_each_has_a_language_that_is_tested(self):
        tested = {'c', 'cpp', 'console', 'diff', 'conf', 'fault', 'json', 'sh', 'ini', 'meson',
                  'cmake', 'yaml', 'text'}
        for page in guides():
            for language, text in fences(read(page)):
                with self.subTest(page=page, block=text):
                    self.assertIn(language, tested)

    def test_none_is_made_by_indentation(self):
        """These tests would not see such a block."""
        for page in guides():
            lines, is_list = [''] + read(page).splitlines(), False
            is_fenced = False
            for before, line in zip(lines, lines[1:]):
                if line.lstrip().startswith('```'):
                    is_fenced = not is_fenced
                if re.match(r' *([-*]|\d+\.) ', line):
                    is_list = True
                elif line and not line.startswith(' '):
                    is_list = False
                if not is_fenced and not is_list and not before:
                    self.assertFalse(line.startswith('    '), '%s: %s' % (page, line))

    def test_c_is_part_of_a_program(self):
        programs = [squeeze(read(os.path.relpath(path, SOURCE))) for pattern in SOURCES
                    for path in glob.glob(os.path.join(SOURCE, pattern), recursive=True)]
        found = blocks('c') + blocks('cpp')
        self.assertGreater(len(found), 12)
        for page, text in found:
            with self.subTest(page=page, block=text):
                self.assertTrue(any(squeeze(text) in program for program in programs))

    def test_diff_leads_from_one_program_to_the_other(self):
        (_, text), = blocks('diff')
        for sign, name in ('-', 'linked.c'), ('+', 'switched.c'):
            program = squeeze(read('tests', 'pages', name))
            lines = [line for line in text.splitlines() if line[:1] in (sign, ' ', '')]
            include, _, rest = '\n'.join(line[1:] for line in lines).partition('\n\n')
            self.assertIn(squeeze(include), program)
            self.assertIn(squeeze(rest), program)

    def test_others_run_elsewhere(self):
        found = {(page, re.search(r'(?m)^[^#\n].*', text)[0]) for page, text in
                 blocks('sh', 'ini', 'meson', 'cmake', 'yaml') if page not in pages.TESTED}
        self.assertEqual(found, set(RUN_ELSEWHERE))
        for name, call in RUN_ELSEWHERE.values():
            self.assertIn(call, read(name))

    def test_command_in_the_prose_of_the_readme_is_one_that_runs(self):
        command, = re.findall('`(cc .*?)`', prose('README.md'))
        tested = [text.strip() for page, text in blocks('sh') if page in pages.TESTED]
        self.assertIn(command, tested)

    def test_blocks_of_tested_pages_are_in_tested_sections(self):
        for page, tested in pages.TESTED.items():
            found = {title: [language for language, _ in listed]
                     for title, listed in pages.sections(read(page)).items()}
            self.assertEqual({title: languages for title, languages in found.items() if languages},
                             tested, page)

    def test_text_is_listed_with_its_reason(self):
        found = {(page, text.splitlines()[0].strip()) for page, text in blocks('text')}
        self.assertEqual(found, set(NOT_RUN))

    def test_tree_of_folders_is_there(self):
        (_, text), = [(page, text) for page, text in blocks('text')
                      if text.startswith('include/cushim/ ')]
        path, count = [], 0
        for line in text.splitlines():
            match = re.match(r'( *)([\w/]+/)(?:  +\S|$)', line)
            if match and len(match[1]) in (0, 2, 4, 6):
                path[len(match[1]) // 2:] = [match[2]]
                count += 1
                self.assertTrue(os.path.isdir(os.path.join(SOURCE, *path)), path)
        self.assertGreater(count, 30)

    def test_json_is_an_excerpt_of_the_data(self):
        (_, text), = blocks('json')
        shown = json.loads(re.sub(r', \.\.\.', '', text))
        with open(DRIVER_API, encoding='utf-8') as file:
            entry, = [one for one in json.load(file)['functions']
                      if one['symbol'] == shown['symbol']]
        shown['parameters'] += entry['parameters'][len(shown['parameters']):]
        self.assertEqual(shown, entry)


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix='cushim-docs-')
        cls.addClassCleanup(folder.cleanup)
        cls.folder = os.path.join(folder.name, 'work')
        cls.commands = os.path.join(folder.name, 'commands')
        cls.lacking = os.path.join(folder.name, 'lacking')
        for path in cls.folder, cls.commands, cls.lacking:
            os.mkdir(path)
        for path in PROGRAMS + glob.glob(os.path.join(FAKES, '*.so')):
            os.symlink(path, os.path.join(cls.folder, os.path.basename(path)))
        for path in COMMANDS:
            with open(os.path.join(cls.commands, os.path.basename(path)), 'w',
                      encoding='utf-8') as file:
                file.write('#!/bin/sh\nexec "%s" "$@"\n' % path)
            os.chmod(file.name, 0o755)
        cls.environment = dict(os.environ, PATH=cls.commands + os.pathsep + os.environ['PATH'])
        for name in ('CUSHIM_LIBRARY', 'CUSHIM_MOCK_SETTINGS', 'CUSHIM_MOCK_CONFIG',
                     'CUSHIM_MOCK_KERNELS', 'CUDA_VISIBLE_DEVICES', 'LD_LIBRARY_PATH'):
            cls.environment.pop(name, None)

    def run_command(self, command, **changes):
        return subprocess.run(['bash', '-c', command], cwd=self.folder,
                              env=dict(self.environment, **changes), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)

    def driver_that_lacks_a_library(self):
        """Return a folder whose libcuda.so.1 needs a missing library."""
        gone = os.path.join(self.lacking, 'libnvidia-fatbinaryloader.so.390.157')
        subprocess.run(['cc', '-shared', '-o', gone, '-x', 'c', '/dev/null',
                        '-Wl,-soname,' + os.path.basename(gone)], check=True)
        subprocess.run(['cc', '-shared', '-o', os.path.join(self.lacking, 'libcuda.so.1'),
                        '-Wl,--no-as-needed', gone], check=True)
        os.remove(gone)
        return self.lacking

    def driver_of_another_release(self):
        """Return a folder whose libcuda.so.1 does not match the kernel module."""
        folder = tempfile.mkdtemp(dir=self.folder)
        os.symlink(os.path.join(FAKES, 'init-803.so'), os.path.join(folder, 'libcuda.so.1'))
        return folder

    def test_each_prints_what_the_page_shows(self):
        shown = [(page, *session) for page, text in blocks('console') for session in sessions(text)]
        self.assertGreater(len(shown), 20)
        for page, command, output in shown:
            # The report about a driver with a defect, on a machine that has the defect.
            changes = {}
            program = command.split()[-1]
            if command == 'cushim info':
                changes['LD_LIBRARY_PATH'] = self.driver_that_lacks_a_library()
            elif command.startswith('cushim probe;'):
                changes['LD_LIBRARY_PATH'] = self.driver_of_another_release()
            elif program in OPTIONAL and not os.path.exists(os.path.join(self.folder, program)):
                print('skipped: this build has no', program)
                continue
            result = self.run_command(command, **changes)
            expected = blur('\n'.join(output)).splitlines()
            either = [blur(result.stderr + result.stdout).splitlines(),
                      blur(result.stdout + result.stderr).splitlines()]
            with self.subTest(page=page, command=command):
                self.assertTrue(any(fits(expected, lines) for lines in either),
                                '%s\n%s' % (result.stdout, result.stderr))

    def test_both_sides_of_the_diff_run_without_a_driver(self):
        for name in 'linked', 'switched':
            result = self.run_command('./' + name, CUSHIM_LIBRARY='none')
            self.assertEqual((name, result.stdout), (name, 'on the CPU\n'))

    def test_settings_are_accepted(self):
        found = blocks('conf')
        self.assertGreater(len(found), 0)
        for page, text in found:
            path = os.path.join(self.folder, 'settings.conf')
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
            result = self.run_command('cushim run --quiet --config settings.conf -- true')
            self.assertEqual((page, result.returncode, result.stderr), (page, 0, ''))

    def test_rules_are_accepted(self):
        found = [line for _, text in blocks('fault') for line in text.splitlines()]
        self.assertGreater(len(found), 4)
        for rule in found:
            result = self.run_command("cushim run --quiet --fault '%s' -- true" % rule)
            self.assertEqual((rule, result.returncode, result.stderr), (rule, 0, ''))


if __name__ == '__main__':
    SOURCE, DRIVER_API, FAKES, *rest = sys.argv[1:]
    rest = [one if one == '--' else os.path.abspath(one) for one in rest]
    COMMANDS, PROGRAMS = rest[:rest.index('--')], rest[rest.index('--') + 1:]
    for needed in 'bash', 'cc':
        if not shutil.which(needed):
            print('skipped: %s is not installed' % needed)
            sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
