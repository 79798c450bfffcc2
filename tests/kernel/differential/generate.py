#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the programs of the differential test: generate.py FILE [SEED]."""

import sys

import forms
import random_programs


def entry_of(name):
    """Return the name of a kernel in its module, as programs_read() builds it."""
    digest = 0xcbf29ce484222325
    for byte in name.encode("ascii"):
        digest = (digest ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return "k%012x" % (digest & 0xffffffffffff)


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    kernels = list(forms.forms()) + list(random_programs.programs(seed))
    entries = set()
    with open(sys.argv[1], "w", encoding="ascii", newline="\n") as file:
        file.write("programs %d %d\n" % (seed, len(kernels)))
        for kernel in kernels:
            entry = entry_of(kernel.name)
            assert entry not in entries, kernel.name
            entries.add(entry)
            text = kernel.text(entry)
            file.write("kernel %d %s\n%s" % (len(text), kernel.header(), text))


if __name__ == "__main__":
    main()
