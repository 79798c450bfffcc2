# SPDX-License-Identifier: Apache-2.0
"""Random programs: straight-line code, branches and loops, shared memory with barriers, and atomic
operations whose order does not matter. Each thread returns hashes of its registers.

The programs use only instructions with one exact result. NaN payloads do not enter the hash,
because a compiler may fold negations and swap operands.
"""

import re

import forms

MASK = (1 << 64) - 1


class Random:
    """SplitMix64, so that all versions of Python produce the same numbers."""

    def __init__(self, seed):
        self.state = seed
        for _ in range(3):  # otherwise neighbouring seeds would give shifted sequences
            self.state = (self.below(1 << 40) * 0xbf58476d1ce4e5b9 + seed) & MASK

    def below(self, limit):
        self.state = (self.state + 0x9e3779b97f4a7c15) & MASK
        value = self.state
        value = ((value ^ value >> 30) * 0xbf58476d1ce4e5b9) & MASK
        value = ((value ^ value >> 27) * 0x94d049bb133111eb) & MASK
        return ((value ^ value >> 31) >> 16) % limit

    def pick(self, sequence):
        return sequence[self.below(len(sequence))]


# Registers: a letter, their number, their declaration, and the operands that initialise them.
CLASSES = {"h": (3, "u16", "i16"), "r": (6, "b32", "i32"), "l": (4, "s64", "i64"),
           "f": (4, "f32", "f32"), "d": (3, "f64", "f64"), "g": (2, "f16", "f16"),
           "x": (2, "b32", "f16x2"), "p": (3, "pred", None)}

# `opcode destination sources`. c is a small count. k is a count below 32, because the compiler of
# driver 580 takes constant fields of bfe and bfi modulo 32. # is a 32-bit constant.
TEMPLATES = [entry.split() for entry in re.split("[|\n]", forms.TEXTS["straight"]) if entry]

# A 64-bit word of a register in the place of %r; all NaNs are equal.
WORDS = {
    "h": "cvt.u64.u16 %word, %r;",
    "r": "cvt.u64.u32 %word, %r;",
    "l": "mov.b64 %word, %r;",
    "p": "selp.u64 %word, 1, 0, %r;",
    "f": "testp.notanumber.f32 %pl, %r;\nmov.b32 %t0, %r;\nselp.b32 %t0, 0x7fffffff, %t0, %pl;\n"
         "cvt.u64.u32 %word, %t0;",
    "d": "testp.notanumber.f64 %pl, %r;\nmov.b64 %word, %r;\n"
         "selp.b64 %word, 0x7fffffffffffffff, %word, %pl;",
    "g": "setp.nan.f16 %pl, %r, %r;\nselp.b16 %b0, 0x7fff, %r, %pl;\ncvt.u64.u16 %word, %b0;",
    "x": "mov.b32 {%b0, %b1}, %r;\nsetp.nan.f16 %pl, %b0, %b0;\nselp.b16 %b0, 0x7fff, %b0, %pl;\n"
         "setp.nan.f16 %pl, %b1, %b1;\nselp.b16 %b1, 0x7fff, %b1, %pl;\nmov.b32 %t0, {%b0, %b1};\n"
         "cvt.u64.u32 %word, %t0;",
}


class Program:
    """The text of one program, to which statements are added."""

    def __init__(self, random):
        self.random = random
        self.lines = []
        self.labels = 0
        self.depth = 0

    def register(self, letter):
        return "%%%s%d" % (letter, self.random.below(CLASSES[letter][0]))

    def operand(self, letter):
        if letter == "c":
            return str(self.random.below(34))
        if letter == "k":
            return str(self.random.below(34) & 31)
        if letter == "#":
            return str(self.random.pick([1, 2, 3, 7, 31, 255, 65535, 0x7fffffff, 0xdeadbeef,
                                         self.random.below(1 << 32)]))
        return self.register(letter)

    def label(self):
        self.labels += 1
        return "L%d" % self.labels

    def emit(self, line):
        self.lines.append(line)

    def instruction(self):
        choice = self.random.below(24)
        guard = ""
        if self.random.below(8) == 0:
            guard = "@%s%s " % (self.random.pick(["", "!"]), self.register("p"))
        if choice == 0:  # a carry out, and a carry in
            self.emit("add.cc.u32 %s, %s, %s;" % tuple(self.register("r") for _ in range(3)))
            self.emit("addc.u32 %s, %s, %s;" % tuple(self.register("r") for _ in range(3)))
        elif choice == 1:
            self.emit("%slop3.b32 %s, %s, %s, %s, %d;" % (
                (guard,) + tuple(self.register("r") for _ in range(4))
                + (self.random.below(256),)))
        elif choice == 2:
            self.emit("mov.b64 %s, {%s, %s};" % (self.register("l"), self.register("r"),
                                                 self.register("r")))
        elif choice == 3:
            low = self.random.below(3)
            self.emit("mov.b64 {%%r%d, %%r%d}, %s;" % (low, low + 1, self.register("l")))
        else:
            opcode, to, sources = self.random.pick(TEMPLATES)
            operands = [self.register(to)] + [self.operand(s) for s in sources]
            if opcode.split(".")[0] in ("testp", "set"):
                # The compiler of driver 580 applies the guard to only a part of these instructions:
                # testp runs in every lane, and set.f32 converts the previous register value to a
                # float.
                guard = ""
            if opcode == "abs.s32":
                # A compiler assumes that the result is not negative, which is wrong for the least
                # number.
                self.emit("shr.s32 %%t6, %s, 1;" % operands[1])
                operands[1] = "%t6"
            if opcode == "cvt.sat.s16.s32":
                # The compiler of driver 580 combines neg.s32 with this instruction and negates
                # without wrapping: the least number becomes 32767 instead of -32768.
                self.emit("shr.s32 %%t6, %s, 1;" % operands[1])
                operands[1] = "%t6"
            if opcode == "shr.s16":
                # On driver 580, 16-bit shifts by a result of cnot differ from the PTX manual.
                self.emit("xor.b32 %%t6, %s, 5;" % operands[2])
                operands[2] = "%t6"
            if opcode.split(".")[0] in ("div", "rem") and opcode[-3] in "us":
                # The code that a compiler makes for a division by zero depends on the surrounding
                # code.
                bits = opcode[-2:]
                divisor = {"16": "%b0", "32": "%t6", "64": "%u3"}[bits]
                self.emit("or.b%s %s, %s, 1;" % (bits, divisor, operands[2]))
                operands[2] = divisor
            self.emit("%s%s %s;" % (guard, opcode, ", ".join(operands)))

    def straight(self, count):
        for _ in range(count):
            self.instruction()

    # --- branches ---

    def condition(self):
        """Make a predicate that usually differs between threads."""
        opcode = self.random.pick(["lt.s32", "gt.s32", "lo.u32", "ne.u32"])
        predicate = self.register("p")
        if self.random.below(3) == 0:
            self.emit("and.b32 %%t0, %s, %d;" % (self.register("r"), 1 << self.random.below(12)))
            self.emit("setp.ne.u32 %s, %%t0, 0;" % predicate)
        elif self.random.below(4) == 0:
            self.emit("setp.lt.f32 %s, %s, %s;" % (predicate, self.register("f"),
                                                   self.register("f")))
        else:
            self.emit("setp.%s %s, %s, %s;" % (opcode, predicate, self.register("r"),
                                               self.register("r")))
        return self.random.pick(["@", "@!"]) + predicate

    def block(self, level):
        """Emit statements, which may be split further."""
        for _ in range(1 + self.random.below(3)):
            choice = self.random.below(8) if level else 0
            if choice < 2:
                self.straight(1 + self.random.below(6))
            elif choice < 5:
                self.branch(level - 1)
            elif choice < 7:
                self.loop(level - 1)
            else:
                self.table(level - 1)

    def branch(self, level):
        other, end = self.label(), self.label()
        self.emit("%s bra %s;" % (self.condition(), other))
        self.block(level)
        if self.random.below(2):
            self.emit("bra%s %s;" % ("", end))
            self.emit(other + ":")
            self.block(level)
            self.emit(end + ":")
        else:
            self.emit(other + ":")

    def loop(self, level):
        again, end = self.label(), self.label()
        counter = "%%n%d" % self.depth
        self.depth += 1
        self.emit("and.b32 %s, %s, %d;" % (counter, self.register("r"),
                                           self.random.pick([1, 3, 7])))
        self.emit(again + ":")
        self.block(level)
        if self.random.below(3) == 0:
            self.emit("%s bra %s;" % (self.condition(), end))
            self.straight(2)
        self.emit("sub.s32 %s, %s, 1;" % (counter, counter))
        self.emit("setp.ge.s32 %%pl, %s, 0;" % counter)
        self.emit("@%%pl bra %s;" % again)
        self.emit(end + ":")
        self.depth -= 1

    def table(self, level):
        labels = [self.label() for _ in range(4)]
        end, table = self.label(), self.label()
        self.emit("and.b32 %%t0, %s, 3;" % self.register("r"))
        self.emit("%s: .branchtargets %s;" % (table, ", ".join(labels)))
        self.emit("brx.idx %%t0, %s;" % table)
        for label in labels:
            self.emit(label + ":")
            self.straight(1 + self.random.below(3))
            if self.random.below(4):
                self.emit("bra %s;" % end)
        self.emit(end + ":")

    def unstructured(self, blocks):
        """Emit blocks that end with a branch to any other block; fuel limits the number of backward
        branches.
        """
        labels = [self.label() for _ in range(blocks)]
        end = self.label()
        self.emit("mov.u32 %%fuel, %d;" % (10 + self.random.below(30)))
        for index, label in enumerate(labels):
            self.emit(label + ":")
            self.emit("sub.s32 %fuel, %fuel, 1;")
            self.emit("setp.lt.s32 %pl, %fuel, 0;")
            self.emit("@%%pl bra %s;" % end)
            self.straight(1 + self.random.below(5))
            for _ in range(1 + self.random.below(2)):
                self.emit("%s bra %s;" % (self.condition(), self.random.pick(labels)))
            if self.random.below(6) == 0 and index + 1 < blocks:
                self.emit("bra %s;" % self.random.pick(labels[index + 1:] + [end]))
        self.emit(end + ":")

    def call(self):
        self.emit("{\n.param .b32 one;\n.param .b64 two;\n.param .b32 back;\n"
                  "st.param.b32 [one], %s;\nst.param.b64 [two], %s;\n"
                  "call.uni (back), ENTRY_callee, (one, two);\nld.param.b32 %s, [back];\n}"
                  % (self.register("r"), self.register("l"), self.register("r")))

    # --- operations of several threads ---

    def exchange(self):
        """Emit an exchange through shared memory, between two barriers."""
        value = self.register("r")
        self.emit("mad.lo.u32 %t1, %id0, 4, ENTRY_room_at;".replace("ENTRY_room_at", "%t7"))
        self.emit("st.shared.u32 [%%t1], %s;" % value)
        self.emit("bar.sync 0;")
        kind = self.random.below(4)
        if kind == 0:  # of another thread
            self.emit("mad.lo.u32 %%t2, %%id0, %d, %d;" % (2 * self.random.below(64) + 1,
                                                        self.random.below(128)))
            self.emit("and.b32 %t2, %t2, 127;\nmad.lo.u32 %t2, %t2, 4, %t7;")
            self.emit("ld.shared.u32 %s, [%%t2];" % self.register("r"))
        elif kind == 1:  # by a variable
            self.emit("and.b32 %%t2, %s, 127;\nmad.lo.u32 %%t2, %%t2, 4, %%t7;"
                      % self.register("r"))
            self.emit("ld.shared.u32 %s, [%%t2];" % self.register("r"))
        elif kind == 2:  # a tree of sums
            for step in (64, 32, 16, 8, 4, 2, 1):
                self.emit("setp.lt.u32 %%pl, %%id0, %d;" % step)
                self.emit("@%%pl ld.shared.u32 %%t2, [%%t1+%d];" % (4 * step))
                self.emit("@%pl ld.shared.u32 %t3, [%t1];\n@%pl add.u32 %t3, %t3, %t2;\n"
                          "@%pl st.shared.u32 [%t1], %t3;\nbar.sync 0;")
            self.emit("ld.shared.u32 %s, [%%t7];" % self.register("r"))
        else:  # a scan within the warp, then over the last lanes of the warps
            for step in (1, 2, 4, 8, 16):
                self.emit("shfl.sync.up.b32 %%t2|%%pl, %s, %d, 0, 0xffffffff;" % (value, step))
                self.emit("@%%pl add.u32 %s, %s, %%t2;" % (value, value))
            self.emit("mov.u32 %t2, %laneid;\nsetp.eq.u32 %pl, %t2, 31;\nshr.u32 %t2, %id0, 5;\n"
                      "mad.lo.u32 %t2, %t2, 4, %t7;")
            self.emit("@%%pl st.shared.u32 [%%t2+512], %s;" % value)
            self.emit("bar.sync 0;")
            self.emit("ld.shared.u32 %%t3, [%%t7+%d];" % (512 + 4 * self.random.below(4)))
            self.emit("xor.b32 %s, %s, %%t3;" % (value, value))
        self.emit("bar.sync 0;")

    def warp(self):
        """Emit operations of a whole warp; all lanes take part."""
        to, value = self.register("r"), self.register("r")
        self.emit(self.random.pick([
            "shfl.sync.bfly.b32 %s, %s, %d, 31, 0xffffffff;" % (to, value,
                                                                self.random.below(32)),
            "shfl.sync.idx.b32 %s, %s, %d, 31, 0xffffffff;" % (to, value, self.random.below(32)),
            "vote.sync.ballot.b32 %s, %s, 0xffffffff;" % (to, self.register("p")),
            "vote.sync.any.pred %s, %s, 0xffffffff;" % (self.register("p"), self.register("p")),
            "redux.sync.add.u32 %s, %s, 0xffffffff;" % (to, value),
            "redux.sync.max.s32 %s, %s, 0xffffffff;" % (to, value),
            "match.any.sync.b32 %s, %s, 0xffffffff;" % (to, value),
        ]))

    def count_together(self):
        """Emit atomic operations whose order does not matter, after which all threads read."""
        operation, initial = self.random.pick([
            ("add.u32", "0"), ("min.s32", "0x7fffffff"), ("max.u32", "0"), ("or.b32", "0"),
            ("xor.b32", "0"), ("and.b32", "0xffffffff"), ("min.u32", "0xffffffff"),
            ("max.s32", "0x80000000"), ("inc.u32", "5")])
        space = self.random.pick(["shared", "shared", "global"])
        place = "%t2" if space == "shared" else "%u0"
        bins = self.random.pick([1, 7, 31])
        value = self.register("r") if operation != "inc.u32" else "0xfffffff0"

        def locate(index):
            if space == "shared":
                self.emit("mad.lo.u32 %%t2, %s, 4, %%t7;" % index)
            else:
                self.emit("mad.wide.u32 %%u0, %s, 4, %%u1;" % index)

        locate("%id0")
        self.emit("mov.u32 %%t3, %s;" % initial)
        self.emit("st.%s.u32 [%s], %%t3;" % (space, place))
        self.emit("bar.sync 0;")
        if self.random.below(2):
            self.emit("and.b32 %%t4, %s, %d;" % (self.register("r"), bins))
        else:
            self.emit("and.b32 %%t4, %%id0, %d;" % bins)
        locate("%t4")
        guard = self.random.pick(["", "@%s " % self.register("p")])
        if self.random.below(2):
            self.emit("%sred.%s.%s [%s], %s;" % (guard, space, operation, place, value))
        else:
            self.emit("%satom.%s.%s %%t5, [%s], %s;" % (guard, space, operation, place, value))
        self.emit("bar.sync 0;")
        self.emit("and.b32 %%t4, %s, %d;" % (self.register("r"), bins))
        locate("%t4")
        self.emit("ld.%s.u32 %s, [%s];" % (space, self.register("r"), place))
        self.emit("bar.sync 0;")

    # --- the whole program ---

    def hash(self):
        """Hash all registers: integers and predicates into the first result, floats and doubles
        into the second, halves into the third. All NaNs are equal.
        """
        lines = ["mov.u64 %hash, 0xcbf29ce484222325;"]
        results = {"h": 0, "r": 0, "l": 0, "p": 0, "f": 1, "d": 1, "g": 2, "x": 2}
        order = sorted(CLASSES.items(), key=lambda item: results[item[0]])
        for place, (letter, (count, _, _)) in enumerate(order):
            for index in range(count):
                lines.append(WORDS[letter].replace("%r", "%%%s%d" % (letter, index)))
                lines.append("xor.b64 %hash, %hash, %word;\n"
                             "mul.lo.u64 %hash, %hash, 0x100000001b3;\n"
                             "shr.u64 %word, %hash, 29;\nxor.b64 %hash, %hash, %word;")
            if place + 1 == len(order) or results[order[place + 1][0]] != results[letter]:
                lines.append("mov.b64 %%result%d, %%hash;" % results[letter])
        return "\n".join(lines)


class RandomForm(forms.Form):
    """Initialise the registers from the operands; the result is their hash."""

    def __init__(self, name, program, count, block, before=""):
        operands, start = [], []
        for letter, (number, declared, kind) in CLASSES.items():
            for index in range(number):
                if kind:
                    start.append("mov.b%s %%%s%d, %%a%d;" % (declared[1:], letter, index,
                                                            len(operands)))
                    operands.append(kind)
                else:
                    start.append("setp.lt.s32 %%%s%d, %%r%d, 0;" % (letter, index, index))
        declare = [".reg .%s %%%s<%d>;" % (declared, letter, number)
                   for letter, (number, declared, _) in CLASSES.items() if letter != "d"]
        declare += [".reg .b32 %t<8>;", ".reg .b32 %n<8>;", ".reg .b32 %fuel;", ".reg .pred %pl;",
                    ".reg .b64 %hash, %word, %u<5>;", ".reg .b16 %b<2>;", ".reg .f64 %e<3>;"]
        body = "\n".join(start) + "\n" + "\n".join(program.lines) + "\n" + program.hash()
        # %d is the name of the result registers.
        for index in range(3):
            body = body.replace("%%d%d" % index, "%%e%d" % index)
        super().__init__(name, ["b64"] * 3, operands, body.replace("%result", "%d"), "exact", count,
                         block, before, "\n".join(declare))


def programs(seed):
    room = ".shared .align 16 .b8 ENTRY_room[1024];\n"
    for index in range(300):
        random = Random(seed * 1000003 + index)
        program = Program(random)
        program.straight(20 + random.below(41))
        yield RandomForm("straight %d" % index, program, 256, 128)
    for index in range(300):
        random = Random(seed * 2000003 + index)
        program = Program(random)
        kind = index % 3
        if kind == 0:
            program.block(3)
            program.block(2)
        elif kind == 1:
            program.unstructured(4 + random.below(8))
        else:
            program.block(2)
            program.call()
            program.unstructured(3 + random.below(4))
            program.loop(1)
            program.call()
        yield RandomForm("branches %d" % index, program, 256, 64,
                         forms.TEXTS["random_callee"] if kind == 2 else "")
    for index in range(150):
        random = Random(seed * 3000017 + index)
        program = Program(random)
        program.emit("mov.u32 %t7, ENTRY_room;")
        for _ in range(2 + random.below(4)):
            program.straight(3 + random.below(8))
            if random.below(2):
                program.branch(1)
            program.exchange()
            program.warp() if random.below(2) else None
        yield RandomForm("shared %d" % index, program, 512, 128, room)
    for index in range(150):
        random = Random(seed * 5000011 + index)
        program = Program(random)
        program.emit("mov.u32 %t7, ENTRY_room;\nmov.u64 %u1, ENTRY_bins;\n"
                     "mad.wide.u32 %u1, %id1, 512, %u1;")
        for _ in range(1 + random.below(4)):
            program.straight(3 + random.below(8))
            program.count_together()
        yield RandomForm("atomics %d" % index, program, 512, 128,
                         room + ".global .align 8 .b8 ENTRY_bins[2048];\n")
