#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fuzz cushim with libFuzzer: build the targets, run them, and keep their findings.

    fuzz.py build                       build the targets with clang, in build-fuzz
    fuzz.py run --seconds 60 --jobs 2   run them, and print a table
    fuzz.py minimize                    add new inputs that cover more to the corpus
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / 'build-fuzz'
# Each kernel of these texts is an input for `kernel`, in addition to the corpus.
TEXTS = ROOT / 'tests' / 'kernel' / 'real' / 'ptx'

# The maximum length of libFuzzer's inputs for each target, in bytes.
LONGEST = {
    'calls': 700,
    'image': 4096,
    'kernel': 12500,
    'settings': 800,
    'trace': 7000,
}

# Additional libFuzzer options for a target. Programs of calls are long from the start, and the
# comparisons during the creation of a mock are no useful guidance.
OPTIONS = {
    'calls': ['-len_control=0'],
    'image': ['-use_value_profile=1'],
    'settings': ['-use_value_profile=1'],
}

# Sanitizers check each allocation, and an adversarial input may request much memory, which it is
# denied.
SANITIZERS = {
    'ASAN_OPTIONS': 'allocator_may_return_null=1:max_allocation_size_mb=2048:quarantine_size_mb=16',
    'UBSAN_OPTIONS': 'print_stacktrace=1',
}
LIMITS = ['-timeout=60', '-rss_limit_mb=3000', '-malloc_limit_mb=100000']
KINDS = {'crash': 'crashes', 'leak': 'leaks', 'timeout': 'timeouts', 'oom': 'memory'}
ESCAPES = {b'n': b'\n', b'r': b'\r', b't': b'\t', b'0': b'\0', b'\\': b'\\'}
# An input whose row would be longer gets a file of its own.
LONGEST_ROW = 100
COLUMNS = ['target', 'seconds', 'executions', 'per_second', 'edges', 'features', 'corpus_before',
           'corpus_after', 'crashes', 'leaks', 'timeouts', 'memory']


def call(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, **options)


def configure(folder, arguments, link_arguments, *options):
    """Set up a build folder with clang; an existing folder is not changed."""
    if not (folder / 'build.ninja').exists():
        call('meson', 'setup', folder, ROOT, '-Ddefault_library=static', '-Db_lundef=false',
             '-Dc_args=' + arguments, '-Dc_link_args=' + link_arguments, *options,
             env={**os.environ, 'CC': 'clang'}, stdout=subprocess.DEVNULL)


def build(arguments):
    sanitizers = '-fsanitize=address,undefined'
    configure(BUILD, f'-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all '
              '-fno-omit-frame-pointer -gline-tables-only', sanitizers, '-Dfuzzers=enabled')
    call('ninja', '-C', BUILD, *[f'tests/fuzz/fuzz-{name}' for name in chosen(arguments)])


def chosen(arguments):
    names = arguments.targets.split(',') if arguments.targets else sorted(LONGEST)
    unknown = [name for name in names if name not in LONGEST]
    if unknown:
        sys.exit(f'fuzz.py: there is no target {", ".join(unknown)}; there are '
                 f'{", ".join(sorted(LONGEST))}')
    return names


class Place:
    """The paths of a run's programs, corpora and findings."""

    def __init__(self):
        self.programs = BUILD / 'tests' / 'fuzz'
        self.corpus = HERE / 'corpus'
        self.words = HERE / 'words'
        self.work = BUILD / 'work'

    def program(self, name):
        path = self.programs / f'fuzz-{name}'
        if not path.exists():
            sys.exit(f'fuzz.py: {path} is not there: build first, with clang')
        return path

    def found(self, name):
        folder = self.work / name / 'corpus'
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def seeds(self, name):
        return self.work / name / 'seeds'

    def unpack(self, name):
        """Make the folder of seeds, with a file for each input of the corpus."""
        shutil.rmtree(self.seeds(name), ignore_errors=True)
        self.seeds(name).mkdir(parents=True)
        for path in (self.corpus / name).iterdir():
            if path.name != 'rows':
                shutil.copy(path, self.seeds(name))
                continue
            for number, row in enumerate(path.read_text(encoding='ascii').splitlines(), 1):
                if row and not row.startswith('#'):
                    (self.seeds(name) / f'row-{number}').write_bytes(bytes_of(row))
        for path in sorted(TEXTS.glob('*.ptx')) if name == 'kernel' else []:
            for number, text in enumerate(kernels_of(path.read_text(encoding='ascii')), 1):
                if len(text) <= LONGEST[name]:
                    (self.seeds(name) / f'{path.stem}-{number}').write_text(text, encoding='ascii')

    def artifacts(self, name):
        folder = self.work / name / 'artifacts'
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def dictionary(self, name):
        path = self.words / f'{name}.dict'
        return [f'-dict={path}'] if path.exists() else []


def kernels_of(text):
    """Yield each kernel of a PTX text, with the declarations before it."""
    head, part, depth = '', '', 0
    for line in text.splitlines(keepends=True):
        part += line
        depth += line.count('{') - line.count('}')
        if depth > 0 or not re.match(r'\.(version|target|address_size|file) |.*[;}]$', line):
            continue
        if '.entry' in part:
            yield head + part
        elif not part.startswith('.section'):
            head += part
        part = ''


def bytes_of(row):
    """Return the bytes of a corpus row: see replay.c."""
    return re.sub(rb'\\(x[0-9a-f]{2}|[nrt0\\])',
                  lambda found: ESCAPES.get(found[1]) or bytes.fromhex(found[1][1:].decode()),
                  row.encode('ascii'))


def row_of(data):
    letters = {byte[0]: '\\' + letter.decode() for letter, byte in ESCAPES.items()}
    row = ''.join(letters.get(byte) or (chr(byte) if 32 <= byte < 127 else f'\\x{byte:02x}')
                  for byte in data)
    return '\\x23' + row[1:] if row.startswith('#') else row


def count_files(*folders):
    return len({path.name for folder in folders if folder.is_dir() for path in folder.iterdir()})


def work(place, name, number, seconds, runs_most=50):
    """Run one process after the other until the time is over; a process ends early if it crashes.
    """
    result = {'executions': 0, 'edges': 0, 'features': 0, 'busy': 0.0}
    end = time.monotonic() + seconds
    log = place.work / name / f'log-{number}'
    with open(log, 'w', encoding='utf-8', errors='replace') as output:
        for _ in range(runs_most):
            left = int(end - time.monotonic())
            if left < 1:
                break
            began = time.monotonic()
            subprocess.run(
                [place.program(name), f'-max_total_time={left}', f'-max_len={LONGEST[name]}',
                 '-print_final_stats=1', '-reload=20', *OPTIONS.get(name, []), *LIMITS,
                 f'-artifact_prefix={place.artifacts(name)}/', *place.dictionary(name),
                 place.found(name), place.seeds(name)],
                env={**os.environ, **SANITIZERS}, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=output, cwd=place.work / name, check=False)
            result['busy'] += time.monotonic() - began
    text = log.read_text(encoding='utf-8', errors='replace')
    result['executions'] = sum(
        map(int, re.findall(r'stat::number_of_executed_units: *(\d+)', text)))
    for key, mark in (('edges', 'cov'), ('features', 'ft')):
        result[key] = max(map(int, re.findall(rf'\b{mark}: (\d+)', text)), default=0)
    return result


def rows_of(place, names, results, before):
    for name in names:
        mine = [result for owner, result in results if owner == name]
        busy = max((result['busy'] for result in mine), default=0)
        executions = sum(result['executions'] for result in mine)
        artifacts = [path.name for path in place.artifacts(name).iterdir()]
        row = {
            'target': name,
            'seconds': round(busy),
            'executions': executions,
            'per_second': round(executions / busy) if busy else 0,
            'edges': max((result['edges'] for result in mine), default=0),
            'features': max((result['features'] for result in mine), default=0),
            'corpus_before': before[name],
            'corpus_after': count_files(place.seeds(name), place.found(name)),
        }
        for kind, column in KINDS.items():
            row[column] = sum(artifact.startswith(kind + '-') for artifact in artifacts)
        yield row


def table(rows):
    cells = [COLUMNS] + [[str(row[column]) for column in COLUMNS] for row in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(COLUMNS))]
    for line in cells:
        print('  '.join(cell.ljust(width) if i == 0 else cell.rjust(width)
                        for i, (cell, width) in enumerate(zip(line, widths))))


def run(arguments):
    place, names = Place(), chosen(arguments)
    for name in names:
        place.program(name)
        place.unpack(name)
        if not arguments.keep:
            shutil.rmtree(place.artifacts(name))
    before = {name: count_files(place.seeds(name), place.found(name)) for name in names}
    each = max(1, arguments.jobs // len(names))
    with concurrent.futures.ThreadPoolExecutor(max_workers=arguments.jobs) as pool:
        jobs = [(name, pool.submit(work, place, name, number, arguments.seconds))
                for number in range(each) for name in names]
        results = [(name, job.result()) for name, job in jobs]
    rows = list(rows_of(place, names, results, before))
    if arguments.json:
        print(json.dumps(rows, indent=2))
    else:
        table(rows)
        for name in names:
            for path in sorted(place.artifacts(name).iterdir()):
                print(path)
    return any(row[column] for row in rows for column in KINDS.values())


def minimize(arguments):
    """Add the shortest new inputs to the corpus that cover more than it."""
    place = Place()
    for name in chosen(arguments):
        place.unpack(name)
        before = count_files(place.seeds(name))
        call(place.program(name), '-merge=1', f'-max_len={LONGEST[name]}', *LIMITS,
             place.seeds(name), place.found(name), env={**os.environ, **SANITIZERS},
             cwd=place.work / name, stderr=subprocess.DEVNULL)
        added = [path for path in place.seeds(name).iterdir()
                 if re.fullmatch('[0-9a-f]{40}', path.name)]
        added = sorted(added, key=lambda path: path.stat().st_size)[:arguments.most]
        for path in added:
            row = row_of(path.read_bytes())
            if len(row) > LONGEST_ROW:
                shutil.copy(path, place.corpus / name)
            elif row:
                with open(place.corpus / name / 'rows', 'a', encoding='ascii') as rows:
                    rows.write(row + '\n')
        print(f'{name}: {before} inputs before, {before + len(added)} after')


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('command', choices=['build', 'run', 'minimize'])
    parser.add_argument('--targets', help='only these targets, separated by commas')
    parser.add_argument('--seconds', type=int, default=60, help='for each target (default: 60)')
    parser.add_argument('--jobs', type=int, default=1, help='processes at once (default: 1)')
    parser.add_argument('--most', type=int, default=10,
                        help='new inputs that minimize keeps for each target (default: 10)')
    parser.add_argument('--keep', action='store_true', help='keep the findings of the previous run')
    parser.add_argument('--json', action='store_true', help='print the table as JSON')
    arguments = parser.parse_args()
    commands = {'build': build, 'run': run, 'minimize': minimize}
    return 1 if commands[arguments.command](arguments) else 0


if __name__ == '__main__':
    sys.exit(main())
