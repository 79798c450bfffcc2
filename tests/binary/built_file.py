# SPDX-License-Identifier: Apache-2.0
"""The files that were built, and claims about each of them."""

import os
import shutil
import unittest

READELF = shutil.which(os.environ.get('READELF', 'readelf'))


def base(path):
    return os.path.basename(path)


def is_library(path):
    """What a plugin may have inside; the mock is for tests."""
    return base(path).startswith('libcushim.so')


def is_mock(path):
    return base(path).startswith('libcushim-mock.so')


def is_command(path):
    return base(path) == 'cushim'


class Claims(unittest.TestCase):
    """About `paths`; the library is among them unless only a static one was built."""

    paths = []

    def each(self, judge, of=lambda path: True):
        paths = [path for path in self.paths if of(path)]
        if not paths:
            self.skipTest('no such file was built')
        for path in paths:
            with self.subTest(base(path)):
                judge(path)
