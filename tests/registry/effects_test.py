# SPDX-License-Identifier: Apache-2.0
"""effects.tsv: the reader reports broken rows, and the number of unknown facts may only fall.

    effects_test.py INCLUDE_FOLDER
"""

import os
import re
import tempfile
import unittest

import toolkit
import effects_table
import registry
from validation_test import ORDERS

# How many released functions have no value in a column. These numbers may only be lowered.
UNKNOWN = {
    'objects': 0, 'work': 0, 'waits': 447, 'asks': 0, 'resource': 0, 'context': 0,
    'init': 44, 'callback': 176, 'sticky': 220, 'fork': 194, 'capture': 403, 'failure': 115,
}

STATEMENTS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                          '../../docs/driver-semantics.md')
RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       '../conformance/states-h200-580.txt')
NOT_INITIALIZED, NOT_PERMITTED, ILLEGAL_ADDRESS, UNSUPPORTED = '3', '800', '700', '900'
ARGUMENTS = ('1', '400')
MISSING = '36'

STATEMENT = re.compile(r'^(\d+)\. (.*(?:\n(?!\d+\. |\n|#).*)*)', re.MULTILINE)

HEAD = '# head\n'
HOST = 'waits=no asks=no resource=no context=current'
STATE = 'init=no callback=unknown sticky=unknown fork=unknown capture=unknown'
ROW = ('cuEventQuery', '-', '-', HOST, STATE, 'failure=none', 'reference')
ALLOC = ('cuMemAllocPitch_v2', 'creates device-memory dptr in-context bytes=pPitch*Height', '-',
         HOST, STATE, 'failure=unknown', '94,129')

# A row, the column to replace, the new text, and the message.
BROKEN = (
    (ROW, 0, 'cuNothing', 'cuNothing is not in the registry, or a twin'),
    (ROW, 0, 'cuStreamQuery_ptsz', 'cuStreamQuery_ptsz is not in the registry, or a twin'),
    (ROW, 1, 'makes event hEvent', "cuEventQuery: unknown effect 'makes'"),
    (ROW, 1, 'destroys thing hEvent', "cuEventQuery: unknown type of object 'thing'"),
    (ROW, 1, 'destroys event phEvent', "cuEventQuery: it has no parameter 'phEvent'"),
    (ROW, 1, 'destroys event', "cuEventQuery: 'destroys event' is of no parameter"),
    (ROW, 1, 'destroys event hEvent in-context', "unknown word 'in-context' of 'destroys'"),
    (ALLOC, 1, 'creates device-memory dptr bytes', "unknown word 'bytes' of 'creates'"),
    (ALLOC, 1, 'creates device-memory dptr bytes=pitch', "it has no parameter 'pitch'"),
    (ALLOC, 1, 'returns array dptr of', "'of' is followed by a type and a parameter"),
    (ROW, 1, 'releases event hEvent device=hEvent', 'a primary-context has a device, and nothing'),
    (ROW, 1, 'releases primary-context hEvent', 'a primary-context has a device, and nothing'),
    (ROW, 1, 'retains primary-context device=hEvent', "device=hEvent' is of no parameter"),
    (ROW, 1, 'moves event hEvent count=hEvent', "'moves event .*' lacks count or flags"),
    (ALLOC, 1, 'returns array dptr', "'returns array dptr' lacks of"),
    (ALLOC, 1, 'takes graph dptr', "'takes graph dptr' lacks of"),
    (ALLOC, 1, 'creates memory flags=dptr', "'creates memory flags=dptr' is of no parameter"),
    (ALLOC, 1, 'creates memory dptr bytes=pPitch*Height*Height', 'has too many parameters'),
    (ALLOC, 1, 'creates memory dptr count=pPitch*Height', "'pPitch\\*Height' has too many"),
    (ALLOC, 1, 'creates memory dptr flags=Height flags=Height', "'flags' is said twice"),
    (ALLOC, 1, 'creates memory dptr bytes=Height count=Height', 'has both bytes and a count'),
    (ROW, 2, 'launch', "cuEventQuery: unknown work 'launch'"),
    (ROW, 2, 'record hEvent', "'record hEvent' is no work as the head of the table"),
    (ROW, 2, 'kernel', "cuEventQuery: 'kernel' needs CUfunction"),
    (ALLOC, 2, 'record', "cuMemAllocPitch_v2: 'record' needs CUevent"),
    (ALLOC, 3, HOST.replace('waits=no', 'waits=event'), "'waits=event' needs CUevent"),
    (ROW, 3, HOST.replace('asks=no', 'asks=elapsed'), "'asks=elapsed' needs CUevent and CUevent"),
    (ROW, 2, 'copy hEvent', "'copy hEvent' is no work as the head of the table"),
    (ROW, 2, 'set hEvent 3*N', "'3\\*N' is no size like 4\\*N"),
    (ROW, 2, 'record peer', "'record peer' is no work as the head of the table"),
    (ROW, 2, 'copy-3d peer peer', "'copy-3d peer peer' is no work as the head"),
    (ROW, 3, 'waits=may ' + HOST, 'the facts are waits, asks, resource, context, in this order'),
    (ROW, 3, 'waits=no', 'the facts are waits, asks, resource, context, in this order'),
    (ROW, 3, HOST.replace('waits=no', 'waits=long'), "unknown value 'long' of waits"),
    (ROW, 4, STATE.replace('init=no', 'init=perhaps'), "unknown value 'perhaps' of init"),
    (ROW, 5, 'failure=lost', "outputs are failure=VALUE unfollowed=PARAMETER,..., not"),
    (ROW, 5, 'failure=none failure=zero', "outputs .* not 'failure=none failure=zero'"),
    (ROW, 5, 'failure=none unfollowed=', "outputs .* not 'failure=none unfollowed='"),
    (ROW, 5, 'failure=none unfollowed=name', "cuEventQuery: it has no parameter 'name'"),
    (ROW, 6, 'hearsay', "a source is 'reference' or numbers of statements, not 'hearsay'"),
)


def read():
    rows = toolkit.functions()
    return rows, effects_table.read_effects(toolkit.table('effects'), rows)


class Effects(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, 'table.tsv')

    def read_rows(self, *rows):
        with open(self.path, 'w', encoding='utf-8', newline='') as file:
            file.write(HEAD + ''.join('\t'.join(row) + '\n' for row in rows))
        return effects_table.read_effects(self.path, toolkit.functions())

    def test_row_is_read(self):
        row = self.read_rows(ALLOC)['cuMemAllocPitch_v2']
        effect = row.objects[0]
        self.assertEqual((effect.verb, effect.type, effect.parameter, effect.in_context),
                         ('creates', 'device-memory', 0, True))
        self.assertEqual(effect.places, {'bytes': (1, 3)})
        self.assertEqual((row.work.word, row.facts['waits'], row.source), ('-', 'no', '94,129'))

    def test_broken_row_is_reported_with_its_line(self):
        for row, column, text, message in BROKEN:
            with self.subTest(message):
                with self.assertRaisesRegex(registry.RegistryError, r'table\.tsv:2: .*' + message):
                    self.read_rows((*row[:column], text, *row[column + 1:]))

    def test_rows_are_in_the_order_of_the_functions(self):
        message = r'table\.tsv:3: cuEventQuery: the rows'
        with self.assertRaisesRegex(registry.RegistryError, message):
            self.read_rows(ROW, ROW)

    def test_function_without_a_row_is_unknown_in_everything(self):
        counts = effects_table.count_unknown({}, ['cuNewFunction'])
        self.assertEqual(set(counts.values()), {1})

    def test_released_functions_have_rows_and_no_more_unknown_facts(self):
        rows, table = read()
        twins = {row.twin for row in rows}
        released = [row.symbol for row in rows[:max(ORDERS)]
                    if row.symbol not in twins]
        self.assertEqual([symbol for symbol in released if symbol not in table], [])
        self.assertEqual(effects_table.count_unknown(table, released), UNKNOWN,
                         'lower the numbers; they never rise')

    def test_effects_name_handles_and_addresses(self):
        """A row must not contradict the type of a parameter."""
        rows, table = read()
        kinds = {row.type: row.kind for row in registry.read_types(toolkit.table('types'))}
        for row in rows:
            for effect in (table[row.symbol].objects or ()) if row.symbol in table else ():
                if (effect.parameter is None or effect.type in effects_table.MEMORY
                        or effect.verb == 'takes'):  # which names a struct
                    continue
                parameter = row.parameters[effect.parameter]
                with self.subTest(row.symbol):
                    if effect.type not in ('memory', 'global'):
                        self.assertIn(kinds.get(parameter.base_type), ('handle', 'integer'))
                    if effect.verb in ('creates', 'returns', 'lists', 'creates-or-retains'):
                        self.assertTrue(parameter.type.endswith('*'))

    def test_statements_that_a_row_cites_name_its_function(self):
        rows, table = read()
        with open(STATEMENTS, encoding='utf-8') as file:
            statements = dict(STATEMENT.findall(file.read()))
        for row in rows:
            if row.symbol not in table or table[row.symbol].source == 'reference':
                continue
            name = re.compile(r'\b(cu)?%s(_v\d+)?\b' % row.base[2:])
            for number in table[row.symbol].source.split(','):
                with self.subTest('%s: %s' % (row.symbol, number)):
                    self.assertRegex(statements[number], name)

    def test_states_are_those_that_a_gpu_shows(self):
        rows, table = read()
        # states.c passed the default stream to these functions; the statements are about created
        # streams.
        streams = {row.symbol for row in rows
                   if any(parameter.type == 'CUstream' for parameter in row.parameters)}
        measured = 0
        with open(RESULTS, encoding='ascii') as file:
            for line in file:
                if line.startswith('#'):
                    continue
                symbol, *states = line.split()
                if symbol not in table:
                    continue
                for state in states:
                    name, codes = state.split('=')
                    is_of_default_stream = name in ('callback', 'capture') and symbol in streams
                    if MISSING in codes.split(',') or is_of_default_stream:
                        continue
                    self.compare(symbol, name, codes.split(','), table[symbol].facts[name])
                    measured += 1
        self.assertGreater(measured, 2000)

    def test_arguments_that_are_wrong_before_init_are_wrong_in_other_states(self):
        """The mock relies on this: a function with init=arguments checks them in every state."""
        _, table = read()
        measured = 0
        with open(RESULTS, encoding='ascii') as file:
            for line in file:
                symbol, *states = line.split()
                codes = dict(state.split('=') for state in states if '=' in state)
                code = codes.get('init', '').split(',')[-1]
                if (code not in ARGUMENTS or symbol not in table
                        or table[symbol].facts['init'] != 'arguments'):
                    continue
                with self.subTest(symbol):
                    self.assertEqual([codes[name] for name in ('callback', 'sticky', 'fork')],
                                     3 * [code])
                measured += 1
        self.assertGreater(measured, 50)

    def compare(self, symbol, name, codes, value):
        """Compare with a value: a measured refusal proves that the function is refused in this
        state, and 0 proves that it is not.
        """
        refused = {'init': NOT_INITIALIZED, 'callback': NOT_PERMITTED, 'sticky': ILLEGAL_ADDRESS,
                   'fork': NOT_INITIALIZED, 'capture': UNSUPPORTED}[name]
        with self.subTest('%s: %s=%s, measured %s' % (symbol, name, value, codes)):
            if refused in codes:
                self.assertIn(value, ('unsafe', 'refused') if name == 'capture'
                              else ('no', 'arguments'))
            elif name != 'capture' and '0' in codes:
                self.assertEqual(value, 'yes')
            if name == 'init' and refused in codes:
                self.assertEqual(value == 'arguments', any(code in ARGUMENTS for code in codes))


if __name__ == '__main__':
    toolkit.main()
