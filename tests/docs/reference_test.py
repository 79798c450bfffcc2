#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Render the reference, and check that everything public is in it and documented.

    reference_test.py SOURCE BUILD DOXYFILE

The public names come from other sources: functions from docs/api.md, members and enumerators from
tests/binary/layout.tsv, all others from the lines of the headers.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import xml.etree.ElementTree as ElementTree

EXAMPLES = 15
# Names in cuda_names.h, which is not in the reference, or for the linker only.
PRIVATE = re.compile(r'cushim__|CUSHIM__|cushim_slots_|cushim_cuda_')

# Lines of headers that need a comment before them, for each kind of name.
COMMENTED = {
    'event.h': ['CUSHIM_API CUSHIM__CHECKED CUresult cushim_event_query(',
                'struct cushim_event_options {',
                '#define CUSHIM_EVENT_OPTIONS_INIT'],
    'table.h': ['typedef cushim_function (*cushim_resolver)(', 'enum cushim_symbol_state {'],
    'driver.h': ['    int minimum_version;'],
    'log.h': ['typedef void (*cushim_log_function)('],
}
NAME = re.compile(r'(?:CUSHIM|cushim)_\w+|minimum_version')


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def headers():
    """Map the path of each public header in the reference to its text."""
    folder = os.path.join(SOURCE, 'include', 'cushim')
    paths = glob.glob(folder + '/*.h') + glob.glob(folder + '/testing/*.h')
    paths += [os.path.join(BUILD, 'include', 'cushim', name) for name in ('slots.h', 'version.h')]
    return {path: read(path) for path in paths}


def public(names):
    return {name for name in names if not PRIVATE.match(name)}


def found(pattern):
    """Return the public names that a pattern finds in lines of the headers."""
    return public(name for text in headers().values() for name in re.findall(pattern, text, re.M))


def doxygen(settings, text=None):
    """Run Doxygen with additional settings; return status and messages."""
    text = text or read(DOXYFILE)
    result = subprocess.run(['doxygen', '-'], input=text + settings, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, check=False)
    return result.returncode, result.stdout


def layout():
    """Return the members by struct, and the enumerators, according to the compiler."""
    rows = [line.split('\t') for line in read(
        os.path.join(SOURCE, 'tests', 'binary', 'layout.tsv')).splitlines() if line[:1] != '#']
    members = {(row[1], row[2]) for row in rows if row[0] == 'member'}
    return members, {row[1] for row in rows if row[0] == 'value'}


class Reference(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix='cushim-reference-')
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.status, cls.words = doxygen(
            '\nOUTPUT_DIRECTORY = "%s"\nGENERATE_TAGFILE =\nGENERATE_XML = YES\n' % folder.name)
        # Map each kind to its documented names, and to (struct, member) for members.
        cls.documented = {}
        for path in glob.glob(folder.name + '/xml/*.xml'):
            for element in ElementTree.parse(path).getroot().findall('compounddef'):
                cls.read_compound(element)

    @classmethod
    def read_compound(cls, element):
        if element.get('kind') in ('struct', 'union'):
            cls.add(element, 'struct', element.findtext('compoundname'))
        for member in element.iter('memberdef'):
            name = member.findtext('name')
            if element.get('kind') == 'group':
                cls.add(member, member.get('kind'), name)
            elif element.get('kind') == 'struct':
                cls.add(member, 'member', (element.findtext('compoundname'), name))
            for value in member.findall('enumvalue'):
                cls.add(value, 'value', value.findtext('name'))

    @classmethod
    def add(cls, element, kind, name):
        words = [''.join(element.find(part).itertext()).strip()
                 for part in ('briefdescription', 'detaileddescription')]
        if any(words):
            cls.documented.setdefault(kind, set()).add(name)

    def assert_documented(self, kind, names, at_least):
        print('%d of %d public %ss are documented' % (
            len(names & self.documented[kind]), len(names), kind))
        self.assertGreaterEqual(len(names), at_least)
        self.assertEqual(self.documented[kind], names)

    def test_doxygen_has_no_warning(self):
        self.assertEqual((self.status, self.words), (0, ''))

    def test_every_function_is_documented(self):
        names = set(re.findall(r'`[^`\n]*?(cushim_\w+)\(', read(os.path.join(SOURCE, 'docs', 'api.md'))))
        self.assert_documented('function', names | {'cushim_version'}, 150)

    def test_every_function_of_the_library_is_documented(self):
        rows = read(os.path.join(SOURCE, 'loader', 'registry', 'exports.tsv')).splitlines()
        names = public(row.split('\t')[0] for row in rows if re.match('cushim', row))
        documented = self.documented['function'] | self.documented['variable']
        self.assertGreater(len(names), 70)
        self.assertEqual(names - documented, set())

    def test_every_struct_is_documented(self):
        self.assert_documented('struct', found(r'^(?:typedef )?struct (cushim_\w+)\b'), 30)

    def test_every_enum_is_documented(self):
        self.documented['enum'] -= {name for name in self.documented['enum'] if name[0] == '@'}
        self.assert_documented('enum', found(r'^enum (cushim_\w+)'), 9)

    def test_every_typedef_is_documented(self):
        names = found(r'^typedef [^;(]*?\b(cushim_\w+);')
        names |= found(r'^typedef [^;]*\(\*(cushim_\w+)\)\(')
        self.assert_documented('typedef', names, 5)

    def test_every_macro_is_documented(self):
        names = found(r'^# *define (CUSHIM_\w+|cushim_\w+)')
        guards = found(r'^#ifndef (CUSHIM_\w+_H)$')
        self.assert_documented('define', names - guards, 15)

    def test_every_member_is_documented(self):
        names, _ = layout()
        slots = {name for struct, name in self.documented['member'] if struct == 'cushim_table'}
        documented = {(struct, name.split('[')[0]) for struct, name in self.documented['member']
                      if struct != 'cushim_table'}
        print('%d of %d members are documented' % (len(names & documented), len(names)))
        self.assertGreater(len(names), 150)
        self.assertEqual({name for name in names if name[0] != 'cushim_table'} - documented, set())
        count, = re.findall(r'SLOTS_ANCHOR cushim_slots_(\d+)',
                            read(os.path.join(BUILD, 'include', 'cushim', 'slots.h')))
        self.assertEqual(len(slots), int(count) + 1)  # and its size

    def test_every_enumerator_is_documented(self):
        _, names = layout()
        self.assertGreater(len(names), 75)
        self.assertEqual(names - self.documented['value'], set())

    def test_every_header_is_a_group_with_a_title(self):
        titled = re.findall(r'@defgroup (\w+) \S', read(
            os.path.join(SOURCE, 'docs', 'reference', 'groups.dox')))
        names = {os.path.basename(path)[:-2] for path in headers()}
        self.assertEqual(set(titled) - {'library', 'testing'}, names - {'cushim', 'slots'})

    def test_every_example_has_a_page_with_links(self):
        files = [os.path.relpath(path, os.path.join(SOURCE, 'examples')) for path in glob.glob(
            os.path.join(SOURCE, 'examples', '**', '*.c'), recursive=True)]
        self.assertGreaterEqual(len(files), EXAMPLES)
        page = read(os.path.join(self.folder, 'examples.html'))
        self.assertEqual(sorted(re.findall(r'>([\w/]+\.c)</a>', page)), sorted(files))
        page = read(os.path.join(self.folder, 'event_timing_8c-example.html'))
        self.assertIn('group__event.html#', page)

    def test_every_link_leads_somewhere(self):
        pages = {os.path.basename(path): read(path)
                 for path in glob.glob(self.folder + '/*.html')}
        anchors = {name: set(re.findall(r'(?:id|name)="([^"]+)"', text))
                   for name, text in pages.items()}
        links = [(page, link) for page, text in pages.items()
                 for link in re.findall(r'href="([^"]+)"', text) if '://' not in link and not link.startswith('javascript:')]
        self.assertGreater(len(links), 1000)
        for page, link in links:
            name, _, anchor = urllib.parse.unquote(link).partition('#')
            name = name or page
            if name.endswith('.html'):
                self.assertIn(name, pages, page)
                self.assertTrue(not anchor or anchor in anchors[name], (page, link))
            else:
                self.assertTrue(os.path.exists(os.path.join(self.folder, name)), (page, link))

    def test_statements_that_headers_name_are_links(self):
        named = {number for text in headers().values()
                 for numbers in re.findall(r'driver-semantics\.md((?:[,\s*]+#\d+)+)', text)
                 for number in re.findall(r'\d+', numbers)}
        linked = {number for path in glob.glob(self.folder + '/*.html') for number in re.findall(
            r'href="semantics\.html#statement_(\d+)"', read(path))}
        self.assertGreater(len(named), 15)
        self.assertEqual(named - linked, set())

    def test_functions_are_found_by_a_search(self):
        index = ''.join(read(path) for path in glob.glob(self.folder + '/search/functions_*.js'))
        for name in 'cushim_event_query', 'cushim_mock_create':
            self.assertIn("'%s'" % name, index)

    def test_without_doxygen_the_target_says_what_to_install(self):
        result = subprocess.run(
            [sys.executable, os.path.join(SOURCE, 'docs', 'reference', 'render.py'), '', DOXYFILE,
             os.path.join(self.folder, 'none')], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn('install the package doxygen', result.stderr)

    def test_a_comment_that_is_missing_is_reported(self):
        folder = os.path.join(self.folder, 'without', 'cushim')
        shutil.copytree(os.path.join(SOURCE, 'include', 'cushim'), folder)
        names = []
        for name, lines in COMMENTED.items():
            path = os.path.join(folder, name)
            text = read(path)
            for line in lines:
                comment = re.compile(r'/\*\*(?:(?!\*/).)*\*/\n(?=%s)' % re.escape(line), re.DOTALL)
                text, count = comment.subn('', text)
                self.assertEqual(count, 1, line)
                names += NAME.findall(line)[-1:]
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
        settings = read(DOXYFILE).replace(os.path.join(SOURCE, 'include', 'cushim'), folder)
        status, words = doxygen('\nOUTPUT_DIRECTORY = "%s/out"\nGENERATE_TAGFILE =\n'
                                'GENERATE_HTML = NO\nGENERATE_XML = YES\n' % folder, settings)
        self.assertNotEqual(status, 0)
        reported = re.findall(r'(?:Member|Compound) \(?\*?(\w+).* is not documented', words)
        self.assertEqual(sorted(reported), sorted(names), words)


if __name__ == '__main__':
    SOURCE, BUILD, DOXYFILE = sys.argv[1:]
    if not shutil.which('doxygen'):
        print('skipped: doxygen is not installed')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
