# SPDX-License-Identifier: Apache-2.0
"""For tests: a table over the mock's whose slots make each call again for each thing that it lacks.

What a slot does between two attempts, and which of them there are, is in tests/out_of_memory/retry.h:
this is the loop, with what the function writes to where its type says so.
"""

from mock import answers
from prototypes import EVERY_SLOT, HEAD, Spelling, arguments, function, table, wrap

INCLUDES = '''#include "tests/out_of_memory/retry.h"
'''

# Whose size a compiler does not know.
SIZELESS = ('void', 'char')


def outputs(row, spelling):
    """The parameters that lead to something of a known size which the function may write."""
    return [p for p in row.parameters
            if p.type.endswith('*') and 'const' not in p.type
            and (p.type.count('*') > 1 or p.base_type not in SIZELESS)
            and not (p.type.count('*') == 1 and p.base_type.startswith('struct '))
            and p.base_type not in spelling.newer]


def retried(index, row, spelling):
    lines = ['    struct retry retry;',
             '    CUresult answer;\n',
             '    retry_begin(&retry, %du);' % index]
    lines += ['    retry_output(&retry, %s, sizeof *%s);' % (p.name, p.name)
              for p in outputs(row, spelling)]
    lines += ['    do {', '        retry_attempt(&retry);',
              wrap('answer = retry_next->%s(%s);' % (row.slot, arguments(row)), 12, '        '),
              '    } while (retry_again(&retry, answer));',
              '    return answer;']
    return lines


def handed_on(row):
    return [wrap('return retry_next->%s(%s);' % (row.slot, arguments(row)), 8, '    ')]


def emit_retries(rows, types, implementations):
    spelling = Spelling(types)
    lines = [HEAD + '/* Each call, again and again. */', INCLUDES, EVERY_SLOT]
    for index, (row, answer) in enumerate(zip(rows, answers(rows, implementations))):
        lines += function('retry', row, spelling, retried(index, row, spelling)
                          if answer.implementation else handed_on(row))
    return '\n'.join(lines) + '\n' + table('retry', rows, 'retry_table')
