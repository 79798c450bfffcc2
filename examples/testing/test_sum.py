# SPDX-License-Identifier: Apache-2.0
"""Tests in pytest of a program that uses the driver, here sum.c: it runs on the mock, unmodified.

    cc sum.c -I/usr/local/cuda/include -ldl -o sum
    pytest test_sum.py --junitxml=report.xml

Compiled with -DWITH_BUG, the program ignores an error.
"""
import subprocess

# The exit status if the mock has found misuse, or a fault that never occurred.
FOUND = 99


def run_on_mock(*program, faults=()):
    options = [word for fault in faults for word in ('--fault', fault)]
    result = subprocess.run(
        ['cushim', 'run', '--quiet', '--error-exitcode', str(FOUND), *options, '--', *program],
        capture_output=True, text=True, check=False, timeout=60)
    assert result.returncode != FOUND, result.stderr
    return result


def test_sum_is_printed():
    result = run_on_mock('./sum')
    assert (result.returncode, result.stdout) == (0, 'sum 499500\n')


def test_program_fails_where_memory_runs_out():
    result = run_on_mock('./sum', faults=['cuMemAlloc:nth=2 => return(OUT_OF_MEMORY)'])
    assert (result.returncode, result.stdout) == (1, '')
