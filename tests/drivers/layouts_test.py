#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""In every layout of a system, cushim loads the file that dlopen("libcuda.so.1") loads.

    layouts_test.py environment|mounts PROGRAM RPATH RUNPATH PLUGIN AUDITOR DRIVER

The first kind of layouts consists of files of the test and of environment variables. The second
kind changes /etc and the system's folders, for processes in a mount namespace only.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, RPATH, RUNPATH, PLUGIN, AUDITOR, DRIVER = map(os.path.abspath, sys.argv[2:8])
NAME = 'libcuda.so.1'
CACHE = '/etc/ld.so.cache'
CLEAN = {name: value for name, value in os.environ.items()
         if not name.startswith(('CUSHIM_', 'LD_', 'GLIBC_'))}
CLEAN['PATH'] = os.environ['PATH'] + ':/usr/sbin:/sbin' # for ldconfig
with open(DRIVER, 'rb') as driver:
    GOOD = driver.read()
TRUNCATED = GOOD[:len(GOOD) // 3]

# The dynamic linker always searches the folder of the C library.
with open('/proc/self/maps', encoding='utf-8', errors='replace') as maps:
    SYSTEM = re.search(r'(/\S*)/libc[.-]\S*so', maps.read()).group(1)
with open('/proc/cpuinfo', encoding='utf-8', errors='replace') as processors:
    HAS_LEVELS = (platform.machine() == 'x86_64' and ' sse4_2 ' in processors.read()
                  and int(os.confstr('CS_GNU_LIBC_VERSION').split('.')[1]) >= 33)


def wrong_architecture(width, machine):
    """The driver with a header for another processor."""
    data = bytearray(GOOD)
    data[4] = width
    data[18:20] = machine.to_bytes(2, sys.byteorder)
    return bytes(data)


def interpreter(path):
    """The path of the dynamic linker in a program."""
    with open(path, 'rb') as file:
        return re.search(rb'/[ -~]*/ld[-.][ -~]+', file.read()).group().decode()


class Layout(unittest.TestCase):
    """A folder with files, and what dlopen() and cushim find there."""

    def setUp(self):
        self.root = os.path.realpath(tempfile.mkdtemp(prefix='cushim-layouts-'))
        self.addCleanup(shutil.rmtree, self.root)
        self.commands = []

    def path(self, *parts):
        return os.path.join(self.root, *parts)

    def put(self, name, content=GOOD):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as file:
            file.write(content)
        os.chmod(path, 0o755)
        return path

    def put_copy(self, name, source):
        with open(source, 'rb') as file:
            return self.put(name, file.read())

    def find(self, how, command, environment):
        """Return the output of the program, or why it found nothing."""
        # env(1) sets the variables, so that they do not affect the shell and its commands.
        command = ['env', *('%s=%s' % pair for pair in environment.items()), *command, how]
        if self.commands:
            command = [*NAMESPACE, 'sh', '-ec', '\n'.join(self.commands) + '\nexec "$@"', 'sh',
                       *command]
        done = subprocess.run(command, cwd=self.root, env=CLEAN, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              check=False, universal_newlines=True)
        return done.stdout.strip() or 'nothing (exit status %d): %s' % (done.returncode,
                                                                       done.stderr.strip())

    def check(self, expected, *arguments, command=(PROGRAM,), **environment):
        """Both must load the file `expected`. If dlopen() does not, the layout is not the intended
        one.
        """
        command = [*command, *arguments]
        self.assertEqual(expected, self.find('dlopen', command, environment), 'dlopen')
        self.assertEqual(expected, self.find('cushim', command, environment), 'cushim')


class Environment(Layout):
    """Layouts of the test's own files."""

    @unittest.skipUnless(HAS_LEVELS, 'a processor or a C library without glibc-hwcaps')
    def test_bad_file_in_unsearched_hwcaps_folder_is_ignored(self):
        good = self.put('path/' + NAME)
        self.put('path/glibc-hwcaps/x86-64-v4/' + NAME, TRUNCATED)
        # As on a processor without the AVX-512 instructions of that level.
        self.check(good, LD_LIBRARY_PATH=self.path('path'),
                   command=[interpreter(PROGRAM), '--glibc-hwcaps-mask', 'x86-64-v2', PROGRAM])

    @unittest.skipUnless(HAS_LEVELS, 'a processor or a C library without glibc-hwcaps')
    def test_driver_in_searched_hwcaps_folder_is_loaded(self):
        good = self.put('path/glibc-hwcaps/x86-64-v2/' + NAME)
        self.put('path/' + NAME, TRUNCATED)
        self.check(good, LD_LIBRARY_PATH=self.path('path'))

    def test_search_that_an_auditor_redirects_is_followed(self):
        good = self.put('audited/driver.so')
        self.put('path/' + NAME, TRUNCATED)
        self.check(good, LD_LIBRARY_PATH=self.path('path'), LD_AUDIT=AUDITOR, LAYOUTS_AUDITED=good)

    def test_program_rpath_precedes_library_path(self):
        program = self.put_copy('program', RPATH)
        good = self.put('near/' + NAME)
        self.put('path/' + NAME)
        self.check(good, command=[program], LD_LIBRARY_PATH=self.path('path'))

    def test_program_runpath_follows_library_path(self):
        program = self.put_copy('program', RUNPATH)
        near = self.put('near/' + NAME)
        good = self.put('path/' + NAME)
        self.check(near, command=[program], LD_LIBRARY_PATH=self.path('nowhere'))
        self.check(good, command=[program], LD_LIBRARY_PATH=self.path('path'))

    def test_runpath_of_plugin_with_cushim_inside_is_searched(self):
        plugin = self.put_copy('plugins/plugin.so', PLUGIN)
        good = self.put('plugins/near/' + NAME)
        self.check(good, 'plugin', plugin)

    def test_plugin_in_dlmopen_namespace_does_not_see_driver_of_program(self):
        other = self.put('other/' + NAME)
        good = self.put('path/' + NAME)
        self.check(good, 'open', other, 'namespace', PLUGIN, LD_LIBRARY_PATH=self.path('path'))

    def test_preloaded_driver_precedes_search(self):
        good = self.put('preloaded/driver.so')
        self.put('path/' + NAME)
        self.check(good, LD_PRELOAD=good, LD_LIBRARY_PATH=self.path('path'))

    def test_driver_opened_by_another_path_precedes_search(self):
        good = self.put('opened/driver.so')
        self.put('path/' + NAME)
        self.check(good, 'open', good, LD_LIBRARY_PATH=self.path('path'))

    def test_relative_library_path_is_searched(self):
        good = self.put('relative/' + NAME)
        self.check(good, LD_LIBRARY_PATH='nowhere::./relative')

    def test_files_for_other_processors_are_skipped(self):
        self.put('i386/' + NAME, wrong_architecture(1, 3))
        self.put('s390/' + NAME, wrong_architecture(2, 22))
        good = self.put('path/' + NAME)
        self.check(good, LD_LIBRARY_PATH=':'.join(map(self.path, ('i386', 's390', 'path'))))

    def test_symbolic_links_are_followed_and_a_broken_one_is_skipped(self):
        good = self.put('packages/580/driver')
        os.makedirs(self.path('broken'))
        os.symlink('nowhere', self.path('broken', NAME))
        os.makedirs(self.path('links'))
        os.symlink(self.path('links'), self.path('path'))
        os.symlink('libcuda.so', self.path('links', NAME))
        os.symlink('../packages/580/driver', self.path('links', 'libcuda.so'))
        self.check(good, LD_LIBRARY_PATH='%s:%s' % (self.path('broken'), self.path('path')))


class Mounts(Layout):
    """Layouts of the system's folders and of the dynamic linker's cache."""

    def mount_over(self, folder, name='', source=None):
        """Put a writable layer over a folder of the system, with a file in it if one is given."""
        layer = self.path('layer-%d' % len(self.commands))
        os.makedirs(layer)
        self.commands += ['mount -t tmpfs none ' + layer, 'mkdir %s/upper %s/work' % (layer, layer)]
        if source:
            self.commands += ['mkdir -p %s/upper/%s' % (layer, os.path.dirname(name)),
                              'cp %s %s/upper/%s' % (source, layer, name)]
        self.commands.append('mount -t overlay none %s -o lowerdir=%s,upperdir=%s,workdir=%s'
                             % (folder, folder, layer + '/upper', layer + '/work'))

    def mount_cache(self, *folders):
        """Make the dynamic linker's cache contain the drivers of these folders, in this order."""
        self.put('conf', ''.join(self.path(folder) + '\n' for folder in folders).encode())
        # ldconfig also writes a file to /var/cache, for its next run.
        subprocess.run([*NAMESPACE, 'sh', '-ec', 'mount -t tmpfs none /var/cache\nexec "$@"', 'sh',
                        'ldconfig', '-X', '-C', self.path('cache'), '-f', self.path('conf')],
                       env=CLEAN, check=True)
        self.commands.append('mount --bind %s %s' % (self.path('cache'), CACHE))

    def test_empty_file_in_system_folder_is_ignored_behind_cache_entry(self):
        good = self.put('driver/' + NAME)
        self.mount_cache('driver')
        self.mount_over(SYSTEM, NAME, self.put('empty', b''))
        self.check(good)

    def test_bad_second_cache_entry_is_ignored(self):
        good = self.put('first/' + NAME)
        self.put('second/' + NAME)
        self.mount_cache('first', 'second')
        self.put('second/' + NAME, TRUNCATED)
        self.check(good)

    def test_bad_cache_entry_is_ignored_behind_library_path_below_usr_lib(self):
        self.put('cached/' + NAME)
        self.mount_cache('cached')
        self.put('cached/' + NAME, TRUNCATED)
        self.mount_over('/usr/lib', 'vendor/' + NAME, DRIVER)
        self.check('/usr/lib/vendor/' + NAME, LD_LIBRARY_PATH='/usr/lib/vendor')

    def test_driver_mounted_into_container_without_cache_is_loaded(self):
        self.mount_over('/etc')
        self.commands.append('rm -f ' + CACHE)
        self.mount_over(SYSTEM, NAME, self.put('empty', b''))
        self.commands.append('mount --bind %s %s/%s' % (DRIVER, SYSTEM, NAME))
        self.check(SYSTEM + '/' + NAME)


def find_namespace():
    """Return the command that gives a process a mount namespace, or None and the reason."""
    test = 'mount -t tmpfs none /mnt; mkdir /mnt/u /mnt/w; test -e %s; command -v ldconfig; ' \
        'mount -t overlay none -o lowerdir=/etc,upperdir=/mnt/u,workdir=/mnt/w /etc' % CACHE
    why = ''
    for namespace in (['unshare', '-m'], ['unshare', '-Urm']):
        done = subprocess.run(['env', *namespace, 'sh', '-ec', test], check=False,
                              env=CLEAN, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              universal_newlines=True)
        if done.returncode == 0:
            return namespace, ''
        why += '%s: %s' % (' '.join(namespace), done.stdout)
    return None, why


if __name__ == '__main__':
    if sys.argv[1] == 'mounts':
        NAMESPACE, reason = find_namespace()
        if not NAMESPACE:
            print('skipped: this process cannot have a mount namespace: ' + reason)
            sys.exit(77)
    unittest.main(argv=[sys.argv[0], sys.argv[1].capitalize()], verbosity=2)
