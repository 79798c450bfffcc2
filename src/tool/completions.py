#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completions of the command for bash, zsh and fish, made of the man page as its help is.

    completions.py docs/cushim.1 cushim.bash _cushim cushim.fish
"""

import sys

sys.dont_write_bytecode = True

from manual import read  # noqa: E402

# What a value is, by its name in the man page: files, folders, or nothing that a shell knows.
KINDS = {'FILE': 'file', 'PATH': 'file', 'FOLDER': 'folder'}


def first_sentence(text):
    """Each sentence begins on a line of its own."""
    last = next(number for number, line in enumerate(text) if line.endswith('.'))
    return ' '.join(text[:last + 1]).rstrip('.')


class Option:
    def __init__(self, term, text):
        names, _, self.value = term.replace(', ', ',').partition(' ')
        self.names = names.split(',')
        self.about = first_sentence(text)
        self.kind = KINDS.get(self.value, 'other') if self.value else None
        # Such as on|off.
        self.words = self.value.split('|') if '|' in self.value else []
        self.is_repeated = any('given often' in line for line in text)


def options_of(sections, heading):
    return [Option(term, text) for term, text in sections[heading]]


class Page:
    """What the man page knows of commands and options."""

    def __init__(self, sections):
        self.commands = [(term, first_sentence(text)) for term, text in sections['COMMANDS']]
        self.own = options_of(sections, 'OPTIONS')
        self.options = {name: options_of(sections, 'OPTIONS OF ' + name.upper())
                        for name, _ in self.commands if name != 'help'}

    def flags(self, command):
        return [name for option in self.options[command] if not option.value
                for name in option.names]


def bash(page):
    names = [name for name, _ in page.commands]
    flags = [name for option in page.own for name in option.names]
    lines = [BASH_HEAD % (' '.join(names + flags), ' | '.join(page.flags('run')))]
    for command, options in page.options.items():
        lines.append('    %s) options=%r ;;' % (command, ' '.join(o.names[-1] for o in options)))
    lines.append('    help) words=%r ;;' % ' '.join(names[:-1] + ['all']))
    lines += ['    esac', '    case $command:$previous in']
    actions = {'file': '_cushim_files -f "$word"', 'folder': '_cushim_files -d "$word"',
               'other': ':'}
    lines += ['    %s:%s) mapfile -t COMPREPLY < <(compgen -W %r -- "$word"); return ;;'
              % (command, option.names[-1], ' '.join(option.words)) for command,
              options in page.options.items() for option in options if option.words]
    for kind, action in actions.items():
        lines += ['    %s:%s) %s; return ;;' % (command, option.names[-1], action) for command,
                  options in page.options.items() for option in options
                  if option.kind == kind and not option.words]
    return '\n'.join(lines + [BASH_END])


BASH_HEAD = r'''# Completion of cushim(1) for bash. Generated from docs/cushim.1.
_cushim_files()
{
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}

_cushim()
{
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} options='' words='' at
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W '%s' -- "$word")
        return
    fi
    # bash takes --option=value apart at the sign.
    if [[ $word == = ]]; then
        word=''
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [[ $command == run ]]; then
        # The program begins behind the options, and its words are its own.
        for ((at = 2; at < COMP_CWORD; at++)); do
            case ${COMP_WORDS[at]} in
            --) ((at++)) && break ;;
            %s) ;;
            -*)
                [[ ${COMP_WORDS[at + 1]} == = ]] || ((at++))
                while [[ ${COMP_WORDS[at + 1]} == [=:] ]]; do ((at += 2)); done
                ;;
            *) break ;;
            esac
        done
        if ((at < COMP_CWORD)) || [[ $at -eq $COMP_CWORD && $word != -* ]]; then
            if declare -F _command_offset >/dev/null; then
                _command_offset "$at"
            elif ((at == COMP_CWORD)); then
                _cushim_files -c "$word"
            else
                _cushim_files -f "$word"
            fi
            return
        fi
    fi
    case $command in'''

BASH_END = r'''    esac
    if [[ $command == symbolize && $word != -* ]]; then
        _cushim_files -f "$word"
    else
        mapfile -t COMPREPLY < <(compgen -W "$options$words" -- "$word")
    fi
}
complete -F _cushim cushim
'''


def zsh_text(text):
    """For a description in brackets, between single quotes."""
    for character in '\\[]:':
        text = text.replace(character, '\\' + character)
    return text.replace("'", "'\\''")


def zsh_option(option):
    actions = {'file': '_files', 'folder': '_files -/', 'other': ' '}
    action = '(%s)' % ' '.join(option.words) if option.words else actions.get(option.kind)
    value = ':%s:%s' % (option.value, action) if option.value else ''
    star, sign = '*' if option.is_repeated else '', '=' if option.value else ''
    return ["'%s%s%s[%s]%s'" % (star, name, sign, zsh_text(option.about), value)
            for name in option.names]


def zsh(page):
    lines = [ZSH_HEAD]
    lines += ["        '%s:%s'" % (name, zsh_text(about)) for name, about in page.commands]
    lines.append('    )\n    _arguments -C \\')
    lines += ['        %s \\' % words.replace("'", "'(- *)", 1)
              for option in page.own for words in zsh_option(option)]
    lines += ["        '1:command:->command' '*:: :->words' && return",
              '    case $state in', '    command) _describe -t commands command choices ;;',
              '    words)', '        case $words[1] in']
    rest = {'run': "'(-):program: _command_names -e' '*::argument: _normal'",
            'symbolize': "'*:FILE:_files'"}
    for command, options in page.options.items():
        words = [word for option in options for word in zsh_option(option)]
        words += [rest[command]] if command in rest else []
        lines.append('        %s)\n            _arguments -S %s ;;'
                     % (command, ' \\\n                '.join(words)))
    lines.append("        help) _arguments '1:command:(%s all)' ;;"
                 % ' '.join(name for name, _ in page.commands[:-1]))
    return '\n'.join(lines + ['        esac ;;', '    esac', '}', '', '_cushim "$@"', ''])


ZSH_HEAD = '''#compdef cushim
# Completion of cushim(1) for zsh. Generated from docs/cushim.1.
_cushim() {
    local curcontext=$curcontext state line
    local -a choices=('''


def fish_text(text):
    return "'%s'" % text.replace('\\', '\\\\').replace("'", "\\'")


def fish_option(option, condition):
    names = ' '.join(('-l ' if name.startswith('--') else '-s ') + name.lstrip('-')
                     for name in option.names)
    kinds = {None: '', 'file': ' -r -F', 'folder': " -x -a '(__fish_complete_directories)'",
             'other': ' -x'}
    values = ' -x -a %s' % fish_text(' '.join(option.words)) if option.words else kinds[option.kind]
    return 'complete -c cushim -n %s %s%s -d %s' % (
        fish_text(condition), names, values, fish_text(option.about))


def fish(page):
    lines = [FISH_HEAD % ' '.join(page.flags('run'))]
    lines += ['complete -c cushim -n __fish_use_subcommand -a %s -d %s' % (name, fish_text(about))
              for name, about in page.commands]
    lines += [fish_option(option, '__fish_use_subcommand') for option in page.own]
    for command, options in page.options.items():
        lines.append('')
        lines += [fish_option(option, '__cushim_command ' + command) for option in options]
    return '\n'.join(lines + [FISH_END % ' '.join(name for name, _ in page.commands[:-1])])


FISH_HEAD = '''# Completion of cushim(1) for fish. Generated from docs/cushim.1.
function __cushim_command -d 'Whether the command is this one, and its own words are completed'
    set -l words (commandline -opc)
    set -q words[2]; and test $words[2] = $argv[1]; or return 1
    test $argv[1] != run; or not __cushim_program >/dev/null
end

function __cushim_program -d 'Print the words from the program on that cushim run starts'
    set -l words (commandline -opc)
    test "$words[2]" = run; or return 1
    set words $words[3..-1]
    while set -q words[1]
        switch $words[1]
            case --
                string join \\n -- $words[2..-1]
                return 0
            case %s '--*=*'
                set -e words[1]
            case '-*'
                set -e words[1]
                set -e words[1]
            case '*'
                printf '%%s\\n' $words
                return 0
        end
    end
    return 1
end

function __cushim_complete_program -d 'Complete the words of the program'
    complete -C (string join ' ' -- (string escape -- (__cushim_program)) (commandline -ct))
end

complete -c cushim -f'''

FISH_END = '''
complete -c cushim -n __cushim_program -a '(__cushim_complete_program)'
complete -c cushim -n '__cushim_command run' -a '(__fish_complete_command)'
complete -c cushim -n '__cushim_command symbolize' -F
complete -c cushim -n '__cushim_command help' -a '%s all'
'''


def main(source, *outputs):
    with open(source, encoding='ascii') as file:
        page = Page(read(file.read().splitlines()))
    for output, make in zip(outputs, (bash, zsh, fish)):
        with open(output, 'w', encoding='ascii') as file:
            file.write(make(page))


if __name__ == '__main__':
    main(*sys.argv[1:])
