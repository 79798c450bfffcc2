#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who else can replace the library: on machines where somebody can, and where nobody can."""

import os
import shutil
import tempfile
import unittest

from harness import DONE, NO_DRIVER, ToolTest, fake
from machine import LIBRARY, NO_GPU, READY, STUB, LinkTo, Mode, DiagnosticTest

NAME = 'library-writable'
PATH = '/opt/driver/libcuda.so.1'
FILE = {PATH: LIBRARY}
USER = os.geteuid()
STRANGER = 4242

# Where the machine's root is another user's number.
MAPPED = {'/proc/self/uid_map': '         0       1000          1\n'}
UNMAPPED = {'/proc/self/uid_map': '         0          0 4294967295\n'}


class Owner(DiagnosticTest):

    def found(self, changes, *evidence, path=PATH, about=READY):
        self.assert_found(NAME, {**FILE, **changes}, {**about, 'library': path}, *evidence)

    def not_found(self, changes, path=PATH):
        self.assert_not_found(NAME, {**FILE, **changes}, {**READY, 'library': path})

    def test_nobody_else(self):
        self.not_found({})
        self.not_found({PATH: LIBRARY, '/opt/': Mode(0o700)})
        self.not_found({'/gone/': ''}, path='/gone/libcuda.so.1')

    def test_everybody(self):
        for about in READY, NO_GPU, STUB:
            self.found({PATH + '/': Mode(0o666)}, 'everybody may write %s (mode 0666)' % PATH,
                       about=about)
        for folder in '/', '/opt/', '/opt/driver/':
            self.found({folder: Mode(0o777)},
                       'everybody may write %s (mode 0777)' % (folder.rstrip('/') or '/'))
            self.found({folder: Mode(0o757)}, 'everybody')

    def test_sticky_folder_keeps_what_is_in_it(self):
        self.not_found({'/opt/': Mode(0o1777), '/opt/driver/': Mode(0o1777)})
        # The bit means nothing on a file.
        self.found({PATH + '/': Mode(0o1666)}, 'everybody')

    def test_links_and_what_they_lead_to(self):
        real = {'/real/lib/libcuda.so.535': LIBRARY, '/opt/driver/': ''}
        for target in '/real/lib/libcuda.so.535', '../../real/./lib/../lib//libcuda.so.535':
            link = {PATH: LinkTo(target), **real}
            self.not_found(link)
            self.found({**link, '/real/lib/': Mode(0o777)}, 'everybody may write /real/lib (')
            self.found({**link, '/real/lib/libcuda.so.535/': Mode(0o666)}, 'libcuda.so.535')
            self.found({**link, '/opt/driver/': Mode(0o777)}, 'everybody may write /opt/driver (')

    def test_folder_of_a_link_in_between(self):
        way = {'/opt/driver/': '', PATH: LinkTo('/between/libcuda.so'), '/real.so': LIBRARY,
               '/between/libcuda.so': LinkTo('/real.so')}
        self.not_found(way)
        self.found({**way, '/between/': Mode(0o777)}, 'everybody may write /between (')

    def test_link_to_itself_ends(self):
        self.not_found({'/loop': LinkTo('loop')}, path='/loop')

    def test_nothing_is_known_of_a_library_without_a_path(self):
        self.assert_not_found(NAME, {'/libcuda.so.1': LIBRARY, '/': Mode(0o777)},
                              {**STUB, 'library': ''})

    @unittest.skipUnless(USER == 0, 'only root can give files to others')
    def test_other_users_and_groups(self):
        for path in PATH, '/opt', '/opt/driver', '/':
            self.found({path.rstrip('/') + '/': Mode(0o755, STRANGER)},
                       '%s belongs to user %d' % (path, STRANGER))
            self.not_found({path.rstrip('/') + '/': Mode(0o755, 0, STRANGER)})
        self.found({'/opt/': Mode(0o775, 0, STRANGER)}, 'group 4242 may write /opt (mode 0775)')
        self.not_found({'/opt/': Mode(0o775, 0, 0)})
        self.not_found({'/opt/': Mode(0o1775, 0, STRANGER)})
        self.found({'/opt/': Mode(0o1777), '/opt/driver/': Mode(0o755, STRANGER)}, 'belongs to')
        self.found({'/l/libcuda.so.1': LinkTo(PATH), '/l/libcuda.so.1/': Mode(0, STRANGER)},
                   'belongs to user 4242', path='/l/libcuda.so.1')

    @unittest.skipUnless(USER == 0, 'only root can give files to others')
    def test_users_that_a_container_does_not_know(self):
        nobody = {'/opt/': Mode(0o775, 65534, 65534)}
        self.found({**UNMAPPED, **nobody}, 'belongs to user 65534')
        self.not_found({**MAPPED, **nobody})
        self.found({**MAPPED, '/opt/': Mode(0o755, STRANGER)}, 'belongs to user 4242')


class Command(ToolTest):

    def test_driver_and_what_is_none(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o777)
            driver = shutil.copy(fake(13000), folder)
            other = os.path.join(folder, 'no-driver')
            with open(other, 'w', encoding='ascii') as file:
                file.write('no library')
            for path, status in (driver, DONE), (other, NO_DRIVER):
                result = self.run_command('info', '--json', '--library', path)
                self.assert_status(result, status)
                [diagnostic] = [row for row in result.json()['diagnostics'] if row['name'] == NAME]
                self.assertEqual(diagnostic['evidence'],
                                 'everybody may write %s (mode 0777)' % folder)
                self.assertIn('\ndiagnostic  library-writable: Somebody who is neither root nor',
                              self.run_command('info', '--library', path).out)


if __name__ == '__main__':
    unittest.main()
