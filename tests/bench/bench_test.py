#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each reason in RESULTS.md is of a row that can miss a goal.

    bench_test.py RESULTS.md
"""

import sys
import unittest

sys.dont_write_bytecode = True
import rows  # noqa: E402
import table  # noqa: E402


class Pages(unittest.TestCase):
    def test_each_reason_is_of_a_row_with_a_goal(self):
        goals = {found.name for found in rows.rows() if found.goal}
        for part, reasons in rows.REASONS.items():
            self.assertTrue(table.has_part(RESULTS, part))
            self.assertLessEqual(set(reasons), goals)


if __name__ == '__main__':
    RESULTS = sys.argv[1]
    unittest.main(argv=sys.argv[:1], verbosity=2)
