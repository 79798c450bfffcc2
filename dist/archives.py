#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the archives of a release: the same commit gives the same bytes, whoever runs this where.

usage: archives.py source SOURCE VERSION OUTPUT           cushim-VERSION: HEAD of the repository
       archives.py single SOURCE VERSION OUTPUT FILE...   cushim-single-VERSION: these files
       archives.py sums OUTPUT FILE...                    SHA-256 of each, as sha256sum writes it

Times are those of the commit; SOURCE_DATE_EPOCH replaces them in the single archive.
"""
import hashlib
import io
import lzma
import os
import shutil
import subprocess
import sys
import tarfile

# Where there is no repository: the first day that every format of archives knows.
EARLIEST = 315532800


def git(source, *arguments):
    return subprocess.run(['git', '-C', source, *arguments], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE).stdout


def is_repository(source):
    """Whether SOURCE is the top of one, not a folder in another project's; and git is there."""
    return bool(shutil.which('git')) and os.path.exists(os.path.join(source, '.git'))


def write(path, data):
    with open(path, 'wb') as file:
        file.write(lzma.compress(data, preset=9))


def write_source(source, version, output):
    if not is_repository(source):
        sys.exit('%s is not a repository, or there is no git: there is no archive of it' % source)
    if git(source, 'status', '--porcelain', '--untracked-files=no'):
        print('what is not committed is not in', os.path.basename(output), file=sys.stderr)
    # The mask is the user's otherwise.
    write(output, git(source, '-c', 'tar.umask=0022', 'archive', '--format=tar',
                      '--prefix=cushim-%s/' % version, 'HEAD'))


def commit_time(source):
    if 'SOURCE_DATE_EPOCH' in os.environ:
        return int(os.environ['SOURCE_DATE_EPOCH'])
    return int(git(source, 'log', '-1', '--format=%ct')) if is_repository(source) else EARLIEST


def write_single(source, version, output, *paths):
    time = commit_time(source)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode='w', format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(paths, key=os.path.basename):
            with open(path, 'rb') as file:
                data = file.read()
            member = tarfile.TarInfo('cushim-single-%s/%s' % (version, os.path.basename(path)))
            member.size, member.mtime, member.mode = len(data), time, 0o644
            member.uname = member.gname = 'root'
            archive.addfile(member, io.BytesIO(data))
    write(output, buffer.getvalue())


def write_sums(output, *paths):
    with open(output, 'w', encoding='ascii') as sums:
        for path in paths:
            with open(path, 'rb') as file:
                sums.write('%s  %s\n' % (hashlib.sha256(file.read()).hexdigest(),
                                         os.path.basename(path)))


def main(arguments):
    commands = {'source': (write_source, 3, 3), 'single': (write_single, 4, None),
                'sums': (write_sums, 2, None)}
    name, *rest = arguments or ['']
    write_it, least, most = commands.get(name, (None, 0, 0))
    if not write_it or len(rest) < least or (most and len(rest) > most):
        sys.exit(__doc__)
    write_it(*rest)
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
