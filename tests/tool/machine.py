# SPDX-License-Identifier: Apache-2.0
"""A machine laid out below a folder, and the search for traps on it."""

import json
import os
import shutil
import stat
import subprocess
import tempfile

from harness import environment, fake

TRAPS = os.environ['CUSHIM_TRAPS']

DEVICE = object()   # a device's file that everybody may open
REFUSED = object()  # one that this process may not
LIBRARY = object()  # a library that this process could load

NOBODY = 65534


class LinkTo(str):
    """A link, by what it leads to."""


def refused_device():
    """A device's file of this machine that an ordinary user may not write."""
    for path in '/dev/console', '/dev/kmsg', '/dev/mem', '/dev/port':
        if os.path.exists(path) and not os.stat(path).st_mode & stat.S_IWOTH:
            return path
    raise FileNotFoundError('no device that is refused to a user')


class Machine:
    """Paths, and what each has: text, a LinkTo, DEVICE, REFUSED or LIBRARY. With / at the end it is
    a folder."""

    def __init__(self, paths):
        self.folder = tempfile.TemporaryDirectory()
        os.chmod(self.folder.name, 0o755)
        self.is_user = REFUSED in paths.values()
        for path, content in paths.items():
            self._put(self.folder.name + path, content)

    def _put(self, path, content):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if path.endswith('/'):
            return
        if isinstance(content, LinkTo):
            os.symlink(content, path)
        elif content is DEVICE:
            os.symlink('/dev/null', path)
        elif content is REFUSED:
            os.symlink(refused_device(), path)
        elif content is LIBRARY:
            shutil.copy(fake(13000), path)
        else:
            with open(path, 'wb') as file:
                file.write(content if isinstance(content, bytes) else content.encode())

    def _command(self):
        """The search as a user who is refused something: root never is."""
        if not self.is_user or os.geteuid() != 0:
            return [TRAPS], {}
        copy = os.path.join(self.folder.name, 'traps')
        shutil.copy(TRAPS, copy)
        return [copy], {'user': NOBODY, 'group': NOBODY, 'extra_groups': []}

    def traps(self, state, code=0, origin='search', outcome='not-found', library='', **variables):
        """The traps by name. Keywords are of the report, those in capitals of the environment."""
        hidden = ('LD_LIBRARY_PATH', 'NVIDIA_', 'KUBERNETES_', 'container')
        kept = {name: value for name, value in environment({}).items()
                if not name.startswith(hidden)}
        kept.update(variables)
        command, rights = self._command()
        run = subprocess.run([*command, self.folder.name, state, str(code), origin, outcome,
                              library], env=kept, stdout=subprocess.PIPE, timeout=60, check=True,
                             **rights)
        return {trap['name']: trap for trap in json.loads(run.stdout)['traps']}

    def close(self):
        self.folder.cleanup()
