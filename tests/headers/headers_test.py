#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each public header compiles alone and when it is included twice, without a warning, in every mode
of cuda.h. The compiler warns about slots of superseded ABIs where they are used, and nowhere else;
and about dropped results if the program asks for that.

    headers_test.py alone c|cpp "HEADER..." [COMPILER ARGUMENT...]
    headers_test.py initialisers c|cpp "HEADER..." [COMPILER ARGUMENT...]
    headers_test.py unused c|cpp "HEADER..." [COMPILER ARGUMENT...]
    headers_test.py deprecation c|cpp [COMPILER ARGUMENT...]
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ('registry', 'generator'):
    sys.path.insert(0, os.path.join(HERE, '../../loader', folder))

import registry  # noqa: E402
from slots import superseded  # noqa: E402

# Structs that begin with their size, and that only cushim creates.
GIVEN_BY_CUSHIM = {'cushim_table', 'cushim_mock_trace', 'cushim_mock_launch',
                   'cushim_mock_functions'}

# Structs with an initialiser that cushim fills, so that no library reads their members.
FILLED_BY_CUSHIM = {'cushim_symbol', 'cushim_report_candidate', 'cushim_event_info',
                    'cushim_mock_state', 'cushim_recorded_call', 'cushim_sweep_result'}

# Functions whose result programs may drop, since they need not act on it.
UNCHECKED = re.compile('_(release|close|pop|destroy|advance|step|drain|forbid_errors|set_tag|'
                       'expect_errors_begin|expect_errors_end|mock_install|layer_install)$')

# Leaves nonzero bytes on the stack where the next function has its variables.
STACK = '''
static __attribute__((noinline)) void fill_stack(void)
{
    volatile unsigned char bytes[4096];

    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = 0xa5;
}

static __attribute__((noinline)) int is_zero(const volatile void *made, size_t size)
{
    int wrong = 0;

    for (size_t i = sizeof size; i < size; i++)
        wrong |= ((const volatile unsigned char *)made)[i];
    return !wrong;
}
'''
MADE = '''
static __attribute__((noinline)) int %(name)s_%(start)s(void)
{
    struct %(name)s made = %(initialiser)s;

    return is_zero(&made, sizeof made);
}
'''

# The compiler's names of the languages.
LANGUAGES = {'c': 'c', 'cpp': 'c++'}
WARNINGS = ['-Wall', '-Wextra', '-Wpedantic']
# Both modes rename functions of cuda.h by macros, which must not affect the table.
MODES = [
    [],
    ['-DCUDA_API_PER_THREAD_DEFAULT_STREAM'],
    ['-D__CUDA_API_VERSION_INTERNAL'],
]
OPTIONS = [*WARNINGS, '-fsyntax-only']
DRIVER = '#include <cushim/driver.h>\n#include <cushim/table.h>\n'
DISABLED = '#define CUSHIM_DISABLE_DEPRECATION_WARNINGS\n'
CALL = '%sextern CUresult use(void);\nCUresult use(void)\n{\n    return %s;\n}\n'
FREE = 'cushim_driver()->MemFree(0)'

# Uses of whole tables, and of slots whose names resemble superseded ones.
TABLES = '''#include <string.h>
extern const struct cushim_table given;
extern struct cushim_table copied(struct cushim_table table);
extern CUresult fill(cushim_resolver resolver);
struct cushim_table copied(struct cushim_table table)
{
    struct cushim_table first = given, second;

    second = table;
    memcpy(&first, &second, sizeof first);
    return first;
}
CUresult fill(cushim_resolver resolver)
{
    static struct cushim_table table;

    table.size = offsetof(struct cushim_table, MemFree_v2);
    return cushim_table_fill(&table, resolver, NULL, NULL);
}
'''
TABLES_OF_C = '''extern const struct cushim_table some;
const struct cushim_table some = {.size = sizeof some, .MemFree_v2 = NULL};
'''
TABLES_OF_CPP = '''#include <utility>
#include <vector>
struct Driver {
    cushim_table table;
};
extern void move(std::vector<Driver> &drivers, Driver &one, Driver &other);
void move(std::vector<Driver> &drivers, Driver &one, Driver &other)
{
    drivers.push_back(one);
    drivers.push_back(std::move(other));
    std::swap(one, other);
    one = drivers[0];
}
'''


class Alone(unittest.TestCase):
    def test_each_header_compiles_twice_in_every_mode(self):
        self.assertTrue(HEADERS)
        for header in HEADERS:
            # ISO C does not allow an empty translation unit.
            source = '#include <cushim/%s>\n' % header * 2 + 'extern int not_empty;\n'
            for mode in MODES:
                with self.subTest(header, mode=mode):
                    result = subprocess.run(
                        COMPILER + WARNINGS + mode
                        + ['-Werror', '-fsyntax-only', '-x', LANGUAGES[LANGUAGE], '-'],
                        input=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                        check=False)
                    self.assertEqual(result.returncode, 0, result.stdout)

    def test_none_includes_windows_h(self):
        """Otherwise a file that includes the header would get all of its macros."""
        for header in HEADERS:
            with self.subTest(header):
                result = subprocess.run(COMPILER + ['-M', '-x', LANGUAGES[LANGUAGE], '-'],
                                        input='#include <cushim/%s>\n' % header,
                                        stdout=subprocess.PIPE, text=True, check=True)
                self.assertNotIn('/windows.h', result.stdout.lower())



class Initialisers(unittest.TestCase):
    def test_each_sets_the_size_and_nothing_else(self):
        """In C and C++, without a warning about missing initialisers."""
        found = []
        for header in HEADERS:
            with open(os.path.join(HERE, '../../include/cushim', header), encoding='utf-8') as file:
                text = file.read()
            macros = dict(re.findall(r'#define (CUSHIM_\w+_INIT)\b[^#]*?sizeof\(struct (\w+)\)', text))
            sized = re.findall(r'struct (\w+) \{\n(?:\s*/\*\*[^/]*\*/\n)?\s*size_t size;', text)
            for name in sized:
                if name not in GIVEN_BY_CUSHIM:
                    self.assertEqual(macros.get(name.upper() + '_INIT'), name, header)
            found += [(header, macro, name) for macro, name in macros.items()]
        self.assertGreater(len(found), 10)
        body = ''.join('''    {
        static struct %s made = %s;
        static struct %s expected;

        expected.size = sizeof expected;
        wrong |= memcmp(&made, &expected, sizeof made);
    }
''' % (name, macro, name) for _, macro, name in found)
        includes = ''.join('#include <cushim/%s>\n' % header
                           for header in sorted({header for header, _, _ in found}))
        source = '#include <string.h>\n%sint main(void)\n{\n    int wrong = 0;\n\n%s' \
            '    return wrong != 0;\n}\n' % (includes, body)
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, 'program')
            result = subprocess.run(
                COMPILER + WARNINGS + ['-Werror', '-x', LANGUAGES[LANGUAGE], '-', '-o', program],
                input=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                check=False)
            self.assertEqual(result.returncode, 0, result.stdout)
            self.assertEqual(subprocess.run([program], check=False).returncode, 0)

    def test_an_older_library_finds_only_zero_bytes_in_options(self):
        """With every optimisation level, because padding and missing members could have values from
        the stack.

        A library so old that it knows only the size represents all older ones.
        """
        found = []
        for header in HEADERS:
            with open(os.path.join(HERE, '../../include/cushim', header), encoding='utf-8') as file:
                found += [(header, macro, name) for macro, name in re.findall(
                    r'#define (CUSHIM_\w+_INIT)\b[^#]*?sizeof\(struct (\w+)\)', file.read())
                          if name not in FILLED_BY_CUSHIM]
        self.assertGreater(len(found), 8)
        source = '#include <stdio.h>\n' + ''.join('#include <cushim/%s>\n' % header
                                                  for header, _, _ in found) + STACK
        calls = ''
        for _, macro, name in found:
            starts = {'macro': macro}
            if LANGUAGE == 'c':
                starts['size'] = '{.size = sizeof(struct %s)}' % name
            for start, initialiser in starts.items():
                source += MADE % {'name': name, 'start': start, 'initialiser': initialiser}
                calls += ('    fill_stack();\n    if (!%s_%s())\n        printf("%s %s\\n");\n'
                          % (name, start, name, start))
        source += 'int main(void)\n{\n%s    return 0;\n}\n' % calls
        for optimisation in ['-O0', '-O1', '-O2', '-O3', '-Os']:
            with self.subTest(optimisation), tempfile.TemporaryDirectory() as folder:
                program = os.path.join(folder, 'program')
                subprocess.run(COMPILER + [optimisation, '-x', LANGUAGES[LANGUAGE], '-', '-o',
                                           program], input=source, text=True, check=True)
                wrong = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True)
                self.assertEqual(wrong.stdout, '')


class Unused(unittest.TestCase):
    """Results that are dropped: a warning if the program asks for it, and for no other result."""

    def warned(self, functions, *flags):
        """Return those of the functions about whose dropped result the compiler warns."""
        lines = ['#include <cushim/%s>' % header for header in HEADERS]
        lines += ['extern void use(void);', 'void use(void) {']
        first = len(lines) + 1
        lines += ['%s(%s);' % call for call in functions.items()]
        source = '\n'.join(lines) + '\n}\n'
        result = subprocess.run(
            COMPILER + list(flags) + ['-c', '-o', os.devnull, '-x', LANGUAGES[LANGUAGE], '-'],
            input=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout)
        return {list(functions)[int(line) - first] for line in re.findall(
            r'<stdin>:(\d+):\d+: warning: ignoring return value', result.stdout)}

    def test_dropped_results_are_warned_about_on_request(self):
        functions, checked = {}, set()
        for header in HEADERS:
            with open(os.path.join(HERE, '../../include/cushim', header), encoding='utf-8') as file:
                for mark, name, parameters in re.findall(
                        r'^CUSHIM_API (CUSHIM__CHECKED )?CUresult\s+(\w+)\(([^;]*)\);', file.read(),
                        re.MULTILINE):
                    checked |= {name} if mark else set()
                    functions[name] = ', '.join(
                        '(CUresult)0' if part.strip().startswith('CUresult ') else '0'
                        for part in re.split(r',(?![^(]*\))', parameters) if part != 'void')
        self.assertGreater(len(functions), 60)
        self.assertEqual({name for name in functions if not UNCHECKED.search(name)}, checked)
        self.assertEqual(self.warned(functions), set())
        self.assertEqual(self.warned(functions, '-DCUSHIM_WARN_UNUSED_RESULT'), checked)


class Deprecation(unittest.TestCase):
    def messages(self, source, *flags):
        """Return the compiler's messages about correct source code."""
        result = subprocess.run(COMPILER + OPTIONS + list(flags) + ['-x', LANGUAGES[LANGUAGE], '-'],
                                input=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout)
        return result.stdout

    def check_silent(self, source, *flags):
        self.assertEqual(self.messages(source, *flags), '')

    def test_superseded_slot_warns_and_names_its_successor(self):
        self.assertRegex(self.messages(CALL % (DRIVER, FREE)),
                         'MemFree.* is deprecated: the ABI of CUDA 2.0, replaced by MemFree_v2 in '
                         'CUDA 3.2')

    def test_macro_switches_the_warning_off(self):
        self.check_silent(CALL % (DISABLED + DRIVER, FREE))

    def test_current_slots_and_those_replaced_later_are_silent(self):
        for call in ('MemFree_v2(0)', 'CtxCreate_v2(NULL, 0, 0)',
                     'EventElapsedTime(NULL, NULL, NULL)'):
            with self.subTest(call):
                self.check_silent(CALL % (DRIVER, 'cushim_driver()->' + call))

    def test_slots_that_warn_are_those_that_the_registry_says(self):
        uses = ''.join('    (void)table->%s;\n' % row.slot for row in ROWS)
        text = self.messages('%sextern void use(const struct cushim_table *table);\n'
                             'void use(const struct cushim_table *table)\n{\n%s}\n'
                             % (DRIVER, uses))
        warned = set(re.findall(r'warning: \W*(?:cushim_table::)?(\w+)\W* is deprecated: the ABI '
                                r'of CUDA \d+\.\d, replaced by (\w+) in CUDA \d+\.\d ', text))
        self.assertEqual(warned, {(symbol[2:], newer.slot)
                                  for symbol, newer in superseded(ROWS).items()})
        self.assertEqual(len(warned), 65)

    def test_tables_as_a_whole_are_silent(self):
        self.check_silent(DRIVER + TABLES + (TABLES_OF_C if LANGUAGE == 'c' else TABLES_OF_CPP))

    def test_names_of_cuda_h_are_silent_in_every_mode(self):
        for mode in MODES:
            with self.subTest(mode=mode):
                self.check_silent(CALL % ('#include <cushim/cuda.h>\n', 'cuMemFree(0)'), *mode)

    def test_slots_warn_also_after_the_names_of_cuda_h(self):
        text = self.messages(CALL % ('#include <cushim/cuda.h>\n', FREE))
        self.assertIn('MemFree_v2', text)


if __name__ == '__main__':
    WHAT, LANGUAGE, *WORDS = sys.argv[1:]
    HEADERS = WORDS.pop(0).split() if WHAT != 'deprecation' else []
    COMPILER = WORDS
    if not COMPILER or not shutil.which(COMPILER[0]):
        print('skipped: there is no compiler%s' % ''.join(' ' + name for name in COMPILER[:1]))
        sys.exit(77)
    ROWS = registry.read_functions(os.path.join(HERE, '../../loader/registry/functions.tsv'))
    unittest.main(argv=[sys.argv[0], WHAT.capitalize()], verbosity=2)
