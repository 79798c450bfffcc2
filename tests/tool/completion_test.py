#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completions of bash, zsh and fish: each shell completes words as when its user presses Tab.

    completion_test.py FOLDER SHELL

The options are compared with the command's own help, so none may be missing or unknown.
"""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import unittest

COMMANDS = 'info', 'probe', 'time', 'run', 'trace', 'check', 'profile', 'symbols', 'symbolize'
OWN = {*COMMANDS, 'help', '-h', '--help', '-V', '--version'}


def explained(command):
    """Return the options of a command, from its help."""
    out = subprocess.run([os.environ['CUSHIM_COMMAND'], 'help', command], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    return set(re.findall(r'^    (?:-h, )?(--[\w-]+)', out, re.MULTILINE))


class Completion(unittest.TestCase):
    """Tests for every shell. A shell's class has complete(), which takes words, the last of them
    unfinished, and returns the set of its completions.
    """

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='cushim-completion-')
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.mkdir(os.path.join(self.folder, 'zfolder'))
        for name in 'zfile.conf', 'z two words':
            with open(os.path.join(self.folder, name), 'w', encoding='ascii'):
                pass

    def run_shell(self, *command):
        environment = {'PATH': os.environ['PATH'], 'HOME': self.folder, 'TERM': 'dumb'}
        run = subprocess.run(command, cwd=self.folder, env=environment, check=False,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, timeout=300)
        self.assertEqual((run.returncode, run.stderr), (0, ''))
        return run.stdout

    def check(self, words, expected):
        with self.subTest(words=words):
            self.assertEqual(self.complete(*words), expected)

    def test_syntax(self):
        self.run_shell(SHELL, '-n', self.script)

    def test_commands(self):
        self.check(['ti'], {'time'})
        self.check(['pro'], {'probe', 'profile'})
        self.check(['help', 'pro'], {'probe', 'profile'})
        self.check(['help', 'al'], {'all'})

    def test_options_of_each_command(self):
        for command in COMMANDS:
            self.check([command, '--'], explained(command))
        self.check(['info', '--js'], {'--json'})
        self.check(['run', '--quiet', '--se'], {'--set'})

    def test_values(self):
        self.check(['info', '--library', 'zfi'], {'zfile.conf'})
        self.check(['run', '--library', 'z'], {'zfolder'})
        self.check(['time', '--repeat', 'z'], set())
        self.check(['check', '--level', 'w'], {'warning'})
        self.check(['trace', '--device-times', 'o'], {'on', 'off'})
        self.check(['symbolize', 'zfi'], {'zfile.conf'})

    def test_program_of_run(self):
        self.check(['run', 'readel'], {'readelf'})
        self.check(['run', '--quiet', '--', 'readel'], {'readelf'})
        self.check(['run', '--devices', '2', 'readel'], {'readelf'})
        self.check(['run', '--devices', '2', '--', 'cat', 'zfi'], {'zfile.conf'})


class Bash(Completion):
    """Calls the function as bash does, with and without the helpers of the package bash-completion.
    """
    script = 'cushim.bash'
    package = '/usr/share/bash-completion/bash_completion'
    load = ''

    def complete(self, *words):
        out = self.run_shell(
            SHELL, '-c', self.load + 'source "$1"; shift\n'
            'COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}\n'
            '_cushim cushim "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"\n'
            '((${#COMPREPLY[@]} == 0)) || printf "%s\\n" "${COMPREPLY[@]}"',
            'bash', self.script, 'cushim', *words)
        return set(line.rstrip() for line in out.splitlines())

    def test_everything_that_may_come_first(self):
        self.check([''], OWN)

    def test_value_behind_an_equals_sign(self):
        # bash splits words at the sign and at a colon.
        self.check(['info', '--library', '=', 'zfi'], {'zfile.conf'})
        self.check(['run', '--library', '=', 'z'], {'zfolder'})
        self.check(['run', '--library', '='], {'zfolder'})
        self.check(['run', '--set', 'mode', '=', 'auto', 'readel'], {'readelf'})
        self.check(['run', '--set', '=', 'mode', '=', 'auto', '--', 'readel'], {'readelf'})
        self.check(['run', '--fault', 'cuInit', ':', 'nth', '=', '1', '--qu'], {'--quiet'})

    def test_name_with_blanks_is_one(self):
        self.check(['symbolize', 'z '], {'z two words'})

    def test_it_is_registered(self):
        self.assertEqual(self.run_shell(SHELL, '-c', 'source "$1"; complete -p cushim', 'bash',
                                        self.script), 'complete -F _cushim cushim\n')


@unittest.skipUnless(os.path.exists(Bash.package), 'bash-completion is not installed')
class BashWithPackage(Bash):
    # The builtin fails outside of a completion.
    load = 'source %s 2>/dev/null || :\ncompopt() { :; }\n' % Bash.package

    def test_words_of_the_program_are_completed_by_its_own_function(self):
        mine = 'mine() { COMPREPLY=("own:$1:$COMP_CWORD"); }; complete -F mine mine\n'
        BashWithPackage.load += mine
        self.check(['run', '--devices', '2', '--', 'mine', '--x'], {'own:mine:1'})


class Fish(Completion):
    script = 'cushim.fish'

    def complete(self, *words):
        line = ' '.join(['cushim', *words])
        out = self.run_shell(SHELL, '-c', 'source %s; complete -C "%s"' % (self.script, line))
        return set(choice.split('\t')[0].rstrip('/') for choice in out.splitlines())

    def test_everything_that_may_come_first(self):
        self.assertEqual(self.complete(''), {*COMMANDS, 'help'})
        self.assertEqual(self.complete('--'), {'--help', '--version'})

    def test_options_of_the_program_are_its_own(self):
        self.check(['run', '--devices', '2', 'cushim', 'time', '--rep'], {'--repeat'})


class Zsh(Completion):
    """An interactive shell on a terminal, because Tab lists the candidates of an ambiguous word."""
    script = '_cushim'

    def complete(self, *words):
        answer = os.path.join(self.folder, 'answer')
        # compadd records its candidates; the widget completes, and then writes them to a file.
        setup = r'''
            fpath=(%s $fpath); autoload -Uz compinit; compinit -u -D; added=(); zmodload zsh/zutil
            compadd() {
                if [[ ${@[(I)-[OAD]]} -gt 0 ]]; then builtin compadd "$@"; return; fi
                local -a found; builtin compadd -O found "$@"; added+=($found)
                builtin compadd "$@"
            }
            note() { added=(); zle complete-word
                print -rl -- $added >answer.new; mv answer.new answer }
            zle -N note; zle -C complete-word complete-word _main_complete; bindkey '^X' note
            PS1= PS2= RPS1=; setopt no_beep; unsetopt list_ambiguous
            ''' % os.path.dirname(self.script)
        with open(os.path.join(self.folder, '.zshrc'), 'w', encoding='ascii') as file:
            file.write(setup)
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.execve(shutil.which(SHELL), ['zsh', '-d', '-i'],
                      {'PATH': os.environ['PATH'], 'HOME': self.folder, 'TERM': 'vt100'})
        try:
            os.write(terminal, (' '.join(['cushim', *words]) + '\x18').encode())
            # Read and discard the shell's output, as a terminal would.
            while not os.path.exists(answer):
                ready, _, _ = select.select([terminal], [], [], 0.05)
                if ready:
                    os.read(terminal, 4096)
            with open(answer, encoding='ascii') as file:
                return set(line.rstrip('/') for line in file.read().split('\n') if line)
        finally:
            os.kill(process, 9)
            os.waitpid(process, 0)
            os.close(terminal)
            if os.path.exists(answer):
                os.unlink(answer)


if __name__ == '__main__':
    FOLDER, SHELL = sys.argv[1:]
    if not shutil.which(SHELL):
        print('skipped: %s is not installed' % SHELL)
        sys.exit(77)
    CASES = {'bash': [Bash, BashWithPackage], 'zsh': [Zsh], 'fish': [Fish]}[SHELL]
    SUITE = unittest.TestSuite()
    for case in CASES:
        case.script = os.path.join(FOLDER, case.script)
        SUITE.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(case))
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(SUITE).wasSuccessful())
