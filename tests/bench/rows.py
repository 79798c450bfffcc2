# SPDX-License-Identifier: Apache-2.0
"""The rows of the table, by section: each comes from a generator of one of the files rows_*.py."""

import sys

sys.dont_write_bytecode = True
import rows_calls  # noqa: E402
import rows_load  # noqa: E402
import rows_mock  # noqa: E402
import rows_size  # noqa: E402

MAKERS = (
    rows_calls.route_rows,
    rows_calls.module_rows,
    rows_calls.gpu_rows,
    rows_load.load_rows,
    rows_load.absent_rows,
    rows_size.size_rows,
    rows_calls.thread_rows,
    rows_mock.mock_rows,
    rows_calls.layer_rows,
)


def rows():
    return sorted((row for make in MAKERS for row in make()), key=lambda row: row.section)
