#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which object files can read the environment.

    environment_names_test.py FILE...

A file is a static library. Each object that refers to the environment is listed here with the names
that it uses; a new entry needs a reason.
"""

import os
import re
import shutil
import subprocess
import sys
import unittest

NM = shutil.which(os.environ.get('NM', 'nm'))

ENVIRONMENT = re.compile(r'^(?:__)?(?:(?:secure_)?getenv\w*|environ|_environ|putenv|setenv|unsetenv'
                         r'|clearenv)$')

READERS = {
    # getenv only to say that a variable is set, in a process that ignores it.
    'loader_system_posix.c.o': {'secure_getenv', 'getenv'},
    '.._base_system_posix.c.o': {'secure_getenv'},  # the mock's
}


def readers(library):
    """Return the objects of a library that refer to the environment, with the names that they use.
    """
    found = {}
    out = subprocess.run([NM, '-A', '-u', library], check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True).stdout
    for line in out.splitlines():
        place, _, name = line.partition(' U ')
        name = name.strip().partition('@')[0]
        if ENVIRONMENT.match(name):
            found.setdefault(re.split('[:/]', place.strip(' :'))[-1], set()).add(name)
    return found


class Names(unittest.TestCase):

    def test_only_these_objects_read_it(self):
        seen = {}
        for library in LIBRARIES:
            for name, names in readers(library).items():
                with self.subTest('%s of %s' % (name, library)):
                    self.assertEqual(names, READERS.get(name, set()))
                seen[name] = names
        print('%d libraries, %d objects that read the environment: %s'
              % (len(LIBRARIES), len(seen), ', '.join(sorted(seen))))
        self.assertGreaterEqual(len(seen), 2, 'the objects were not found')


if __name__ == '__main__':
    LIBRARIES = sys.argv[1:]
    if not NM:
        print('skipped: there is no nm')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
