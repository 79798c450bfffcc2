# SPDX-License-Identifier: Apache-2.0
"""One kernel for each form of an instruction: opcode, types and modifiers. forms.txt has them."""

import itertools
import pathlib
import re

# Kinds of registers: the declared type, and the type of loads and stores.
REGISTERS = {
    "i8": ("b16", "b16"), "i16": ("b16", "b16"), "i32": ("b32", "b32"), "i64": ("b64", "b64"),
    "f16": ("b16", "b16"), "bf16": ("b16", "b16"), "f32": ("f32", "f32"), "f64": ("f64", "f64"),
    "f16x2": ("b32", "b32"), "bf16x2": ("b32", "b32"), "i16x2": ("b32", "b32"),
    "i8x4": ("b32", "b32"), "e4m3x2": ("b16", "b16"), "e5m2x2": ("b16", "b16"),
    "count": ("b32", "b32"), "pred": ("pred", ""), "warp": ("b32", "b32"),
    "b16": ("b16", "b16"), "b32": ("b32", "b32"), "b64": ("b64", "b64"), "p": ("pred", ""),
}

# Where a kernel begins: each thread finds its operands and its results.
START = """{
.reg .b32 %%id<5>;
.reg .b64 %%at<6>;
.reg .b32 %%w<8>;
%s
ld.param.u64 %%at0, [operands];
ld.param.u64 %%at1, [results];
cvta.to.global.u64 %%at0, %%at0;
cvta.to.global.u64 %%at1, %%at1;
mov.u32 %%id0, %%tid.x;
mov.u32 %%id1, %%ctaid.x;
mov.u32 %%id2, %%ntid.x;
mad.lo.u32 %%id3, %%id1, %%id2, %%id0;
mul.wide.u32 %%at2, %%id3, %d;
add.u64 %%at0, %%at0, %%at2;
mul.wide.u32 %%at3, %%id3, %d;
add.u64 %%at1, %%at1, %%at3;"""


class Form:
    """A kernel: its name, how results are compared, the operands of a thread, and the PTX."""

    def __init__(self, name, results, operands, body, kind="exact", count=1024, block=128,
                 before="", declare=""):
        self.name, self.results, self.operands = name, results, operands
        self.kind, self.count, self.block = kind, int(count), int(block)
        self.body, self.before, self.declare = body, before, declare

    def header(self):
        return "%d %d %s %s %s %s" % (
            self.count, self.block, self.kind, ",".join(self.results) or "-",
            ",".join(self.operands) or "-", self.name)

    def text(self, entry):
        """The PTX: load the operands into %a0..., then the body, then store %d0... as results."""
        declared = [".reg .%s %%%s%d;" % (REGISTERS[kind][0], letter, index)
                    for letter, kinds in (("a", self.operands), ("d", self.results))
                    for index, kind in enumerate(kinds)]
        lines = [self.before.replace("ENTRY", entry)] if self.before else []
        lines.append(".visible .entry %s(.param .u64 operands, .param .u64 results)" % entry)
        lines.append(START % ("\n".join(declared + ([self.declare] if self.declare else [])),
                              8 * len(self.operands), 8 * len(self.results)))
        for index, kind in enumerate(self.operands):
            if kind == "pred":
                lines += ["ld.global.u32 %%w0, [%%at0+%d];" % (8 * index),
                          "setp.ne.u32 %%a%d, %%w0, 0;" % index]
            else:
                lines.append("ld.global.%s %%a%d, [%%at0+%d];"
                             % (REGISTERS[kind][1], index, 8 * index))
        lines.append(self.body.replace("ENTRY", entry))
        for index, kind in enumerate(self.results):
            if kind == "p":
                lines += ["selp.u32 %%w1, 1, 0, %%d%d;" % index,
                          "st.global.u8 [%%at1+%d], %%w1;" % (8 * index)]
            else:
                lines.append("st.global.%s [%%at1+%d], %%d%d;"
                             % (REGISTERS[kind][1], 8 * index, index))
        return "\n".join(lines + ["ret;", "}"]) + "\n"


def signature(text):
    """Return the results, the operands and the options of RESULTS = OPERANDS OPTION=VALUE..."""
    results, operands = re.split(r" ?= ?", text, maxsplit=1)
    words = operands.split()
    options = dict(word.split("=") for word in words if "=" in word)
    for name in {"before", "declare"} & set(options):
        options[name] = "".join(TEXTS[one] for one in options[name].split("+"))
    if "declare" in options:
        options["declare"] = options["declare"].rstrip("\n")
    return results.split(), [word for word in words if "=" not in word], options


def listed(lines):
    """Instructions with one signature; what follows the opcode is that of the second column."""
    head, *more = lines[0][2:].split(" | ")
    results, operands, options = signature(head)
    ending, form = (more + ["", ""])[:2]
    form = form or ", ".join(["%d0", *("%%a%d" % index for index in range(len(operands)))])
    for opcode in " ".join(lines[1:]).split():
        yield Form(opcode + (ending and " " + ending), results, operands,
                   "%s %s;" % (opcode, form), **options)


def written(lines):
    """Kernels with a body, once for each choice of the lines `for NAMES: VALUES, VALUES...`.

    The values may be a text, with a choice in each line. `-` is an empty value.
    """
    choices = []
    while lines[0].startswith("for "):
        names, values = lines.pop(0)[4:].split(": ", 1)
        rows = TEXTS[values].splitlines() if values in TEXTS else values.split(", ")
        choices.append([list(zip(names.split(), row.split())) for row in rows])
    for chosen in itertools.product(*choices):
        values = {name: value if value != "-" else "" for choice in chosen
                  for name, value in choice}
        filled = re.sub(r"\$([A-Z]+)", lambda found: values[found[1]], "\n".join(lines))
        for form in re.split(r"\n(?=\S)", filled):
            head, *body = form.split("\n")
            name, _, kinds = head.rpartition(" : ")
            results, operands, options = signature(kinds)
            yield Form(name, results, operands, "\n".join(line.strip() for line in body if line),
                       **options)


def blocks():
    path = pathlib.Path(__file__).with_name("forms.txt")
    for block in re.split(r"\n\n+", path.read_text(encoding="ascii").strip()):
        lines = [line for line in block.split("\n") if not line.startswith("#")]
        if lines:
            yield lines


TEXTS = {lines[0][5:]: "".join(line.strip() + "\n" for line in lines[1:])
         for lines in blocks() if lines[0].startswith("text ")}


def forms():
    for lines in blocks():
        if lines[0].startswith(": "):
            yield from listed(lines)
        elif not lines[0].startswith("text "):
            yield from written(lines)
