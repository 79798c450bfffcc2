# SPDX-License-Identifier: Apache-2.0
"""One kernel for each form of an instruction: opcode, types and modifiers."""

import itertools

# Kinds of registers: the declared type, and the types of loads and stores.
REGISTERS = {
    "i8": ("b16", "b16"), "i16": ("b16", "b16"), "i32": ("b32", "b32"), "i64": ("b64", "b64"),
    "f16": ("b16", "b16"), "bf16": ("b16", "b16"), "f32": ("f32", "f32"), "f64": ("f64", "f64"),
    "f16x2": ("b32", "b32"), "bf16x2": ("b32", "b32"), "i16x2": ("b32", "b32"),
    "i8x4": ("b32", "b32"), "e4m3x2": ("b16", "b16"), "e5m2x2": ("b16", "b16"),
    "count": ("b32", "b32"), "pred": ("pred", ""), "warp": ("b32", "b32"),
    "b16": ("b16", "b16"), "b32": ("b32", "b32"), "b64": ("b64", "b64"), "p": ("pred", ""),
}
BYTES = {"b16": 2, "b32": 4, "b64": 8, "f32": 4, "f64": 8, "f16": 2, "bf16": 2, "p": 1,
         "i16": 2, "i32": 4, "i64": 8, "f16x2": 4, "bf16x2": 4}

# For each PTX type: the kind of operands to try, and the kind of register for the result.
OPERANDS = {
    "b8": "i8", "u8": "i8", "s8": "i8", "b16": "i16", "u16": "i16", "s16": "i16", "b32": "i32",
    "u32": "i32", "s32": "i32", "b64": "i64", "u64": "i64", "s64": "i64", "f16": "f16",
    "bf16": "bf16", "f32": "f32", "f64": "f64", "f16x2": "f16x2", "bf16x2": "bf16x2",
    "u16x2": "i16x2", "s16x2": "i16x2", "e4m3x2": "e4m3x2", "e5m2x2": "e5m2x2", "pred": "pred",
}
WIDTH = {"b8": "b16", "u8": "b16", "s8": "b16", "b16": "b16", "u16": "b16", "s16": "b16",
         "b32": "b32", "u32": "b32", "s32": "b32", "b64": "b64", "u64": "b64", "s64": "b64",
         "f16": "b16", "bf16": "b16", "f32": "f32", "f64": "f64", "f16x2": "b32",
         "bf16x2": "b32", "u16x2": "b32", "s16x2": "b32", "pred": "p", "e4m3x2": "b16",
         "e5m2x2": "b16"}

INTEGERS = ["u16", "s16", "u32", "s32", "u64", "s64"]
ROUNDINGS = ["rn", "rz", "rm", "rp"]


class Form:
    """A kernel: its name, how results are compared, the operands of a thread, and the PTX."""

    def __init__(self, name, results, operands, body, kind="exact", count=1024, block=128,
                 before="", declare=""):
        self.name, self.results, self.operands = name, results, operands
        self.kind, self.count, self.block = kind, count, block
        self.body, self.before, self.declare = body, before, declare

    def header(self):
        return "%d %d %s %s %s %s" % (
            self.count, self.block, self.kind, ",".join(self.results) or "-",
            ",".join(self.operands) or "-", self.name)

    def text(self, entry):
        """The PTX: load the operands into %a0..., then the body, then store %d0... as results."""
        lines = [self.before.replace("ENTRY", entry)] if self.before else []
        lines += [".visible .entry %s(.param .u64 operands, .param .u64 results)" % entry, "{",
                  ".reg .b32 %id<5>;", ".reg .b64 %at<6>;", ".reg .b32 %w<8>;"]
        for index, kind in enumerate(self.operands):
            lines.append(".reg .%s %%a%d;" % (REGISTERS[kind][0], index))
        for index, kind in enumerate(self.results):
            lines.append(".reg .%s %%d%d;" % (REGISTERS[kind][0], index))
        if self.declare:
            lines.append(self.declare)
        lines += ["ld.param.u64 %at0, [operands];", "ld.param.u64 %at1, [results];",
                  "cvta.to.global.u64 %at0, %at0;", "cvta.to.global.u64 %at1, %at1;",
                  "mov.u32 %id0, %tid.x;", "mov.u32 %id1, %ctaid.x;", "mov.u32 %id2, %ntid.x;",
                  "mad.lo.u32 %id3, %id1, %id2, %id0;",
                  "mul.wide.u32 %%at2, %%id3, %d;" % (8 * len(self.operands)),
                  "add.u64 %at0, %at0, %at2;",
                  "mul.wide.u32 %%at3, %%id3, %d;" % (8 * len(self.results)),
                  "add.u64 %at1, %at1, %at3;"]
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
        lines += ["ret;", "}"]
        return "\n".join(lines) + "\n"


def plain(opcode, to, operands, kind="exact", **more):
    """d = opcode(a, b, c); the operands are PTX types or kinds of operands."""
    kinds = [OPERANDS.get(one, one) for one in operands]
    sources = ", ".join("%%a%d" % index for index in range(len(kinds)))
    return Form(opcode, [WIDTH[to]], kinds, "%s %%d0, %s;" % (opcode, sources), kind, **more)


def wider(kind):
    return {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}[kind]


def integer_forms():
    for t in INTEGERS:
        for opcode in ("add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"):
            yield plain("%s.%s" % (opcode, t), t, [t, t])
        for opcode in ("mad.lo", "mad.hi", "sad"):
            yield plain("%s.%s" % (opcode, t), t, [t, t, t])
        if t[0] == "s":
            yield plain("neg." + t, t, [t])
            yield plain("abs." + t, t, [t])
        if t[1:] != "64":
            yield plain("mul.wide." + t, wider(t), [t, t])
            yield plain("mad.wide." + t, wider(t), [t, t, wider(t)])
    for t in ("u32", "s32"):
        yield plain("mul24.lo." + t, t, [t, t])
    yield plain("mad.hi.sat.s32", "s32", ["s32"] * 3)
    yield plain("add.sat.s32", "s32", ["s32"] * 2)
    yield plain("sub.sat.s32", "s32", ["s32"] * 2)
    for t in ("u16x2", "s16x2"):
        for opcode in ("add", "min", "max"):
            yield plain("%s.%s" % (opcode, t), t, [t, t])
    for opcode in ("min", "max"):
        yield plain(opcode + ".relu.s16x2", "s16x2", ["s16x2"] * 2)
        yield plain(opcode + ".relu.s32", "s32", ["s32"] * 2)
    for a, b in itertools.product(("u32", "s32"), repeat=2):
        yield plain("dp4a.%s.%s" % (a, b), "b32", ["i8x4", "i8x4", "b32"])
        for half in ("lo", "hi"):
            yield plain("dp2a.%s.%s.%s" % (half, a, b), "b32", ["i16x2", "i8x4", "b32"])


def carry_forms():
    for t in ("u32", "s32", "u64", "s64"):
        kind, to = OPERANDS[t], WIDTH[t]
        zero = "mov.b%s %%d2, 0;" % t[1:]
        for first, next_, name in (("add.cc", "addc", "add"), ("sub.cc", "subc", "sub")):
            yield Form("%s.%s, %s.cc, %s" % (first, t, next_, next_), [to] * 3, [kind] * 4,
                       "%s.%s %%d0, %%a0, %%a2;\n%s.cc.%s %%d1, %%a1, %%a3;\n%s\n%s.%s %%d2, "
                       "%%d2, %%d2;" % (first, t, next_, t, zero, next_, t))
        yield Form("mad.lo.cc.%s, madc.hi.cc, addc" % t, [to] * 3, [kind] * 4,
                   "mad.lo.cc.%s %%d0, %%a0, %%a1, %%a2;\nmadc.hi.cc.%s %%d1, %%a0, %%a1, %%a3;\n"
                   "%s\naddc.%s %%d2, %%d2, %%d2;" % (t, t, zero, t))
        yield Form("mad.hi.cc.%s, madc.lo" % t, [to] * 2, [kind] * 4,
                   "mad.hi.cc.%s %%d0, %%a0, %%a1, %%a2;\nmadc.lo.%s %%d1, %%a0, %%a1, %%a3;"
                   % (t, t))
        yield Form("add.cc.%s, subc" % t, [to] * 2, [kind] * 4,
                   "add.cc.%s %%d0, %%a0, %%a1;\nsubc.%s %%d1, %%a2, %%a3;" % (t, t))
        yield Form("sub.cc.%s, addc.cc, subc" % t, [to] * 3, [kind] * 4,
                   "sub.cc.%s %%d0, %%a0, %%a1;\naddc.cc.%s %%d1, %%a2, %%a3;\n"
                   "subc.%s %%d2, %%a0, %%a3;" % (t, t, t))
        yield Form("sub.cc.%s, addc" % t, [to] * 2, [kind] * 4,
                   "sub.cc.%s %%d0, %%a0, %%a1;\naddc.%s %%d1, %%a2, %%a3;" % (t, t))


def bit_forms():
    for opcode in ("and", "or", "xor"):
        for t in ("b16", "b32", "b64", "pred"):
            yield plain("%s.%s" % (opcode, t), t, [t, t])
    for t in ("b16", "b32", "b64"):
        yield plain("not." + t, t, [t])
        yield plain("cnot." + t, t, [t])
        yield plain("shl." + t, t, [t, "count"])
    yield plain("not.pred", "pred", ["pred"])
    for t in ("b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64"):
        yield plain("shr." + t, t, [t, "count"])
    for side, mode in itertools.product("lr", ("wrap", "clamp")):
        yield plain("shf.%s.%s.b32" % (side, mode), "b32", ["b32", "b32", "count"])
    for opcode in ("popc", "clz"):
        yield plain(opcode + ".b32", "b32", ["b32"])
        yield plain(opcode + ".b64", "b32", ["b64"])
    for t in ("u32", "s32", "u64", "s64"):
        yield plain("bfind." + t, "b32", [t])
        yield plain("bfind.shiftamt." + t, "b32", [t])
        yield plain("bfe." + t, t, [t, "count", "count"], count=2048)
    for t in ("b32", "b64"):
        yield plain("brev." + t, t, [t])
        yield plain("bfi." + t, t, [t, t, "count", "count"], count=2048)
    yield plain("fns.b32", "b32", ["b32", "count", "count"], count=2048)
    for mode in ("clamp", "wrap"):
        yield plain("bmsk.%s.b32" % mode, "b32", ["count", "count"])
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        yield plain("prmt.b32" + mode, "b32", ["b32"] * 3)
    for t in ("u32", "s32", "b32", "f32"):
        yield plain("slct.%s.s32" % t, t, [t, t, "s32"], count=512)
    for t in INTEGERS + ["b16", "b32", "b64", "f32", "f64"]:
        yield plain("selp." + t, t, [t, t, "pred"], count=256)
    for table in range(256):
        yield Form("lop3.b32 0x%02x" % table, ["b32"], ["i32"] * 3,
                   "lop3.b32 %%d0, %%a0, %%a1, %%a2, 0x%02x;" % table, count=128)


def float_forms():
    for rounding, flush, saturate in itertools.product([""] + ROUNDINGS, ("", ".ftz"),
                                                       ("", ".sat")):
        tail = (rounding and "." + rounding) + flush + saturate + ".f32"
        for opcode in ("add", "sub", "mul"):
            yield plain(opcode + tail, "f32", ["f32"] * 2, count=2048)
        if rounding:
            yield plain("fma" + tail, "f32", ["f32"] * 3, count=4096)
            yield plain("mad" + tail, "f32", ["f32"] * 3, count=512)
    for rounding, flush in itertools.product(ROUNDINGS, ("", ".ftz")):
        tail = "." + rounding + flush + ".f32"
        yield plain("div" + tail, "f32", ["f32"] * 2, count=4096)
        yield plain("rcp" + tail, "f32", ["f32"], count=2048)
        yield plain("sqrt" + tail, "f32", ["f32"], count=2048)
    for flush in ("", ".ftz"):
        for opcode in ("neg", "abs"):
            yield plain(opcode + flush + ".f32", "f32", ["f32"])
        for opcode, nan, sign in itertools.product(("min", "max"), ("", ".NaN"),
                                                   ("", ".xorsign.abs")):
            yield plain(opcode + flush + nan + sign + ".f32", "f32", ["f32"] * 2)
    for t in ("f32", "f64"):
        yield plain("copysign." + t, t, [t, t])
        for word in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            yield plain("testp.%s.%s" % (word, t), "pred", [t])
    for rounding in [""] + ROUNDINGS:
        tail = (rounding and "." + rounding) + ".f64"
        for opcode in ("add", "sub", "mul"):
            yield plain(opcode + tail, "f64", ["f64"] * 2, count=2048)
        if rounding:
            yield plain("fma" + tail, "f64", ["f64"] * 3, count=4096)
            yield plain("mad" + tail, "f64", ["f64"] * 3, count=512)
            yield plain("div" + tail, "f64", ["f64"] * 2, count=4096)
            yield plain("rcp" + tail, "f64", ["f64"], count=2048)
            yield plain("sqrt" + tail, "f64", ["f64"], count=2048)
    for opcode in ("neg", "abs"):
        yield plain(opcode + ".f64", "f64", ["f64"])
    for opcode in ("min", "max"):
        yield plain(opcode + ".f64", "f64", ["f64"] * 2)


def half_forms():
    for t in ("f16", "f16x2", "bf16", "bf16x2"):
        half = t.startswith("f16")
        flushes = ("", ".ftz") if half else ("",)
        for opcode in ("add", "sub", "mul"):
            for rounding, flush, saturate in itertools.product(
                    ("", ".rn"), flushes, ("", ".sat") if half else ("",)):
                yield plain(opcode + rounding + flush + saturate + "." + t, t, [t, t])
        for flush, end in itertools.product(flushes, ("", ".sat", ".relu")):
            if half or end != ".sat":
                yield plain("fma.rn" + flush + end + "." + t, t, [t] * 3, count=4096)
        for opcode, flush in itertools.product(("neg", "abs"), flushes):
            yield plain(opcode + flush + "." + t, t, [t])
        for opcode, flush, nan, sign in itertools.product(
                ("min", "max"), flushes, ("", ".NaN"), ("", ".xorsign.abs")):
            yield plain(opcode + flush + nan + sign + "." + t, t, [t, t])


def approximate_forms():
    """Approximate results are stored as they are, and compared in units of the last place."""
    for flush in ("", ".ftz"):
        for opcode in ("rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos"):
            yield plain("%s.approx%s.f32" % (opcode, flush), "f32", ["f32"], "f32", count=4096)
        for opcode in ("approx", "full"):
            yield plain("div.%s%s.f32" % (opcode, flush), "f32", ["f32"] * 2, "f32", count=4096)
    yield plain("tanh.approx.f32", "f32", ["f32"], "f32")
    yield plain("rcp.approx.ftz.f64", "f64", ["f64"], "f64")
    yield plain("rsqrt.approx.f64", "f64", ["f64"], "f64")
    yield plain("rsqrt.approx.ftz.f64", "f64", ["f64"], "f64")
    for t in ("f16", "f16x2"):
        yield plain("ex2.approx." + t, t, [t], t)
        yield plain("tanh.approx." + t, t, [t], t)
    for t in ("bf16", "bf16x2"):
        yield plain("ex2.approx.ftz." + t, t, [t], t)
        yield plain("tanh.approx." + t, t, [t], t)


def convert(text, to, source, register=None, kinds=None):
    """cvt; source and destination registers may be wider than their types."""
    width = register or WIDTH[to]
    name = text if not register else "%s in %s" % (text, register)
    return Form(name, [width], [kinds or OPERANDS[source]], text + " %d0, %a0;", count=1024)


def convert_forms():
    whole = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
    bits = {t: int(t[1:]) for t in whole}
    for to, source, saturate in itertools.product(whole, whole, ("", ".sat")):
        if saturate and (to[0] == "s" or source[0] == "u") and bits[to] >= bits[source] + (
                to[0] != source[0]):
            continue
        text = "cvt%s.%s.%s" % (saturate, to, source)
        yield convert(text, to, source)
        for register in ("b32", "b64"):
            if bits[to] < int(register[1:]) and not (bits[to] == 8 and register == "b16"):
                yield convert(text, to, source, register)
        if bits[source] < 32 and bits[to] > 8:
            form = convert(text, to, source, kinds="i32")
            form.name += " from b32"
            yield form
    for to, source, rounding in itertools.product(("f16", "bf16", "f32", "f64"), whole, ROUNDINGS):
        if to == "bf16" and bits[source] == 8:
            continue
        for saturate in ("", ".sat") if to != "bf16" else ("",):
            yield convert("cvt.%s%s.%s.%s" % (rounding, saturate, to, source), to, source)
            if to == "f32" and rounding in ("rn", "rz"):
                yield convert("cvt.%s.ftz%s.%s.%s" % (rounding, saturate, to, source), to, source)
    for to, source, rounding in itertools.product(whole, ("f16", "bf16", "f32", "f64"), ROUNDINGS):
        if source == "bf16" and bits[to] == 8:
            continue
        for flush, saturate in itertools.product(("", ".ftz") if source == "f32" else ("",),
                                                 ("", ".sat") if source != "bf16" else ("",)):
            yield convert("cvt.%si%s%s.%s.%s" % (rounding, flush, saturate, to, source),
                          to, source)
    order = {"f16": 0, "bf16": 0, "f32": 1, "f64": 2}
    for to, source in itertools.product(order, order):
        flushes = ("", ".ftz") if "f32" in (to, source) and "bf16" not in (to, source) else ("",)
        for flush, saturate in itertools.product(flushes, ("", ".sat")):
            tail = "%s%s.%s.%s" % (flush, saturate, to, source)
            if "bf16" in (to, source) and saturate:
                continue
            if to == source:
                if to != "bf16":
                    for rounding in ROUNDINGS:
                        yield convert("cvt.%si%s" % (rounding, tail), to, source)
                    yield convert("cvt" + tail, to, source)
            elif order[to] > order[source]:
                yield convert("cvt" + tail, to, source)
            else:
                for rounding in ROUNDINGS:
                    yield convert("cvt.%s%s" % (rounding, tail), to, source)
    for to in ("f16", "bf16"):
        for rounding, relu in itertools.product(("rn", "rz"), ("", ".relu")):
            if relu:
                yield convert("cvt.%s%s.%s.f32" % (rounding, relu, to), to, "f32")
            yield plain("cvt.%s%s.%sx2.f32" % (rounding, relu, to), to + "x2", ["f32", "f32"],
                        count=2048)
    for small, relu in itertools.product(("e4m3x2", "e5m2x2"), ("", ".relu")):
        yield plain("cvt.rn.satfinite%s.%s.f32" % (relu, small), small, ["f32", "f32"],
                    count=2048)
        yield plain("cvt.rn.satfinite%s.%s.f16x2" % (relu, small), small, ["f16x2"])
        yield plain("cvt.rn%s.f16x2.%s" % (relu, small), "f16x2", [small])


ORDERED = ["eq", "ne", "lt", "le", "gt", "ge"]
UNORDERED = ["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]


def compare_forms():
    def comparisons(t):
        if t[0] == "b" and t[1] != "f":
            return ["eq", "ne"]
        if t[0] == "u":
            return ORDERED + ["lo", "ls", "hi", "hs"]
        return ORDERED + (UNORDERED if "f" in t else [])

    for t in INTEGERS + ["b16", "b32", "b64", "f32", "f64", "f16", "bf16"]:
        for comparison in comparisons(t):
            for flush in ("", ".ftz") if t in ("f32", "f16") else ("",):
                yield plain("setp.%s%s.%s" % (comparison, flush, t), "pred", [t, t])
        for logic in ("and", "or", "xor"):
            for comparison, third in (("ne", "!%a2"), ("eq", "%a2")):
                text, kinds = "setp.%s.%s.%s" % (comparison, logic, t), [OPERANDS[t]] * 2 + ["pred"]
                if t in ("f16", "bf16"):
                    yield Form(text, ["p"], kinds, text + " %d0, %a0, %a1, " + third + ";")
                else:
                    yield Form(text + " p|q", ["p", "p"], kinds,
                               text + " %d0|%d1, %a0, %a1, " + third + ";")
    for t in ("f16x2", "bf16x2"):
        for comparison in ORDERED + UNORDERED:
            yield Form("setp.%s.%s p|q" % (comparison, t), ["p", "p"], [t, t],
                       "setp.%s.%s %%d0|%%d1, %%a0, %%a1;" % (comparison, t))
    for to in ("u32", "s32", "f32"):
        for t in INTEGERS + ["b16", "b32", "b64", "f32", "f64"]:
            for comparison in comparisons(t):
                yield plain("set.%s.%s.%s" % (comparison, to, t), to, [t, t], count=256)
                if t == "f32":
                    yield plain("set.%s.ftz.%s.f32" % (comparison, to), to, [t, t], count=256)
            yield Form("set.eq.xor.%s.%s" % (to, t), [WIDTH[to]], [OPERANDS[t]] * 2 + ["pred"],
                       "set.eq.xor.%s.%s %%d0, %%a0, %%a1, %%a2;" % (to, t), count=256)
    for to, t in (("u16", "f16"), ("s16", "f16"), ("u32", "f16"), ("f16", "f16"),
                  ("f16x2", "f16x2"), ("u32", "bf16"), ("bf16", "bf16"), ("bf16x2", "bf16x2"),
                  ("u16", "bf16")):
        for comparison in ("eq", "lt", "geu", "nan"):
            yield plain("set.%s.%s.%s" % (comparison, to, t), to, [t, t], count=512)


def move_forms():
    yield Form("mov.b32 {b16, b16}", ["b32"], ["i16", "i16"], "mov.b32 %d0, {%a0, %a1};")
    yield Form("mov.b64 {b32, b32}", ["b64"], ["i32", "i32"], "mov.b64 %d0, {%a0, %a1};")
    yield Form("mov.b64 {b16 x 4}", ["b64"], ["i16"] * 4, "mov.b64 %d0, {%a0, %a1, %a2, %a3};")
    yield Form("mov {b16, b16}, b32", ["b16", "b16"], ["i32"], "mov.b32 {%d0, %d1}, %a0;")
    yield Form("mov {b32, b32}, b64", ["b32", "b32"], ["i64"], "mov.b64 {%d0, %d1}, %a0;")
    yield Form("mov {b16 x 4}, b64", ["b16"] * 4, ["i64"], "mov.b64 {%d0, %d1, %d2, %d3}, %a0;")
    yield Form("mov {_, b32}, b64", ["b32"], ["i64"], "mov.b64 {_, %d0}, %a0;")
    for t, constants in (("u32", ("7", "-1", "0xffffffff", "0x80000000U", "017", "0b101")),
                         ("s64", ("-9223372036854775808", "0x7fffffffffffffff", "4294967296")),
                         ("f32", ("0f3f800000", "0fff800000", "1.5", "0d3ff4000000000000",
                                  "1e10", "-0.1", "0f00000001")),
                         ("f64", ("0d3ff0000000000000", "0.1", "-1e300", "0f3fc00000"))):
        opcode = {"u32": "add.u32", "s64": "add.s64", "f32": "mul.rn.f32", "f64": "mul.rn.f64"}[t]
        for constant in constants:
            yield Form("%s by %s" % (opcode, constant), [WIDTH[t]], [OPERANDS[t]],
                       "%s %%d0, %%a0, %s;" % (opcode, constant), count=256)
            yield Form("mov.%s %s" % (t, constant), [WIDTH[t]], [],
                       "mov.%s %%d0, %s;" % (t, constant), count=32, block=32)
    for register in ("tid.x", "ntid.x", "ctaid.x", "nctaid.x", "laneid", "tid.y", "ntid.z",
                     "ctaid.z", "lanemask_eq", "lanemask_le", "lanemask_lt", "lanemask_ge",
                     "lanemask_gt"):
        yield Form("mov.u32 %" + register, ["b32"], [], "mov.u32 %%d0, %%%s;" % register,
                   count=192, block=96)


def memory_forms():
    types = ["u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32", "u64", "s64", "b64",
             "f32", "f64"]
    room = ".shared .align 16 .b8 ENTRY_room[4096];\n"
    for t in types:
        bits = int(t[1:])
        wide = ["b32", "b64"] if bits <= 16 else ["b64"] if bits == 32 and t[0] != "f" else []
        for register in [WIDTH[t]] + wide:
            yield Form("ld.global.%s into %s" % (t, register), [register], ["i64"],
                       "ld.global.%s %%d0, [%%at0];" % t, count=256)
            yield Form("st.global.%s, ld from %s" % (t, register), ["b64"], ["i64"] if register ==
                       "b64" else ["f32" if register == "f32" else "f64" if register == "f64"
                                   else "i32" if register == "b32" else "i16"],
                       "mov.b64 %%d0, 0x5555555555555555;\nst.global.b64 [%%at1], %%d0;\n"
                       "st.global.%s [%%at1], %%a0;\nld.global.b64 %%d0, [%%at1];" % t,
                       count=256)
            yield Form("ld.shared.%s into %s" % (t, register), [register], ["i64"],
                       "mov.u32 %%w2, ENTRY_room;\nmad.lo.u32 %%w2, %%id0, 8, %%w2;\n"
                       "st.shared.b64 [%%w2], %%a0;\nld.shared.%s %%d0, [%%w2];" % t,
                       count=256, before=room)
            yield Form("ld.local.%s into %s" % (t, register), [register], ["i64", "count"],
                       "and.b32 %%w2, %%a1, 7;\nshl.b32 %%w2, %%w2, 3;\nmov.u32 %%w3, kept;\n"
                       "add.u32 %%w3, %%w3, %%w2;\nst.local.b64 [%%w3], %%a0;\n"
                       "ld.local.%s %%d0, [%%w3];" % t,
                       count=256, declare=".local .align 8 .b8 kept[64];")
    for count, t in itertools.product((2, 4), ("u8", "s16", "u32", "f32", "b64")):
        if count * int(t[1:]) > 128:
            continue
        register = WIDTH[t]
        parts = ", ".join("%%d%d" % i for i in range(count))
        yield Form("ld.global.v%d.%s" % (count, t), [register] * count, ["i64", "i64"],
                   "ld.global.v%d.%s {%s}, [%%at0];" % (count, t, parts), count=256)
        yield Form("ld.shared.v%d.%s" % (count, t), [register] * count, ["i64", "i64"],
                   "mov.u32 %%w2, ENTRY_room;\nmad.lo.u32 %%w2, %%id0, 16, %%w2;\n"
                   "st.shared.v2.b64 [%%w2], {%%a0, %%a1};\nld.shared.v%d.%s {%s}, [%%w2];"
                   % (count, t, parts), count=256, before=room)
    yield Form("ld.const", ["b32"], ["count"],
               "and.b32 %w2, %a0, 7;\nmov.u64 %at4, ENTRY_table;\n"
               "mad.wide.u32 %at4, %w2, 4, %at4;\nld.const.u32 %d0, [%at4];", count=256,
               before=".const .align 4 .u32 ENTRY_table[8] = {1, 2, 3, 0xffffffff, 5, 6, 7, 8};\n")
    yield Form("ld.global of a table with initial values", ["b32", "b64"], ["count"],
               "and.b32 %w2, %a0, 7;\nmov.u64 %at4, ENTRY_table;\n"
               "mad.wide.u32 %at4, %w2, 4, %at4;\nld.global.u32 %d0, [%at4];\n"
               "and.b32 %w2, %a0, 1;\nmov.u64 %at4, ENTRY_wide;\n"
               "mad.wide.u32 %at4, %w2, 8, %at4;\nld.global.u64 %d1, [%at4];", count=256,
               before=".global .align 4 .b8 ENTRY_table[32] = {1, 2, 3, 255, 5, 6, 7, 8, 9};\n"
                      ".global .f64 ENTRY_wide[2] = {0.1, 0dbff0000000000000};\n")
    for space, address in (("shared", "ENTRY_room"), ("local", "kept"), ("global", None),
                           ("const", "ENTRY_table")):
        body = "cvta.%s.u64 %%at4, %%at4;" % space
        body = ("mov.u64 %%at4, %s;\n" % address if address else "mov.u64 %at4, %at1;\n") + body
        for asked in ("global", "shared", "local", "const"):
            yield Form("isspacep.%s of %s" % (asked, space), ["p"], [],
                       body + "\nisspacep.%s %%d0, %%at4;" % asked, count=32, block=32,
                       before=room + ".const .align 4 .u32 ENTRY_table[2] = {1, 2};\n",
                       declare=".local .align 8 .b8 kept[64];")
        if space in ("shared", "local"):
            yield Form("ld and st, generic, of " + space, ["b64", "b32"], ["i64"],
                       body + "\nmul.wide.u32 %%at5, %%id0, %d;\nadd.u64 %%at4, %%at4, %%at5;\n"
                       "st.u64 [%%at4], %%a0;\nld.u64 %%d0, [%%at4];\nld.s8 %%d1, [%%at4+1];"
                       % (8 if space == "shared" else 0), count=256, before=room,
                       declare=".local .align 8 .b8 kept[64];")


def atomic_forms():
    """Each thread has its own address, so the results are the old and the new value."""
    kinds = [("add", t) for t in ("u32", "s32", "u64", "f32", "f64")]
    kinds += [(o, t) for o in ("min", "max") for t in ("u32", "s32", "u64", "s64")]
    kinds += [(o, "u32") for o in ("inc", "dec")]
    kinds += [(o, t) for o in ("and", "or", "xor", "exch") for t in ("b32", "b64")]
    kinds += [("cas", t) for t in ("b16", "b32", "b64")]
    kinds += [("add.noftz", t) for t in ("f16", "f16x2", "bf16", "bf16x2")]
    for (operation, t), space in itertools.product(kinds, ("global", "shared", "")):
        kind, width = OPERANDS[t], WIDTH[t]
        store = REGISTERS[width][1]
        dot = space and "." + space
        place, into = "%at1", ""
        operands = [kind] * (3 if operation == "cas" else 2)
        sources = ", ".join("%%a%d" % i for i in range(1, len(operands)))
        if space == "shared":
            place = "%w2"
            into = "mov.u32 %w2, ENTRY_room;\nmad.lo.u32 %w2, %id0, 8, %w2;\n"
        body = into + "st%s.%s [%s], %%a0;\n" % (dot, store, place)
        rest = {"before": ".shared .align 16 .b8 ENTRY_room[1024];\n"} if space == "shared" else {}
        yield Form("atom%s.%s.%s" % (dot, operation, t), [width, width], operands,
                   body + "atom%s.%s.%s %%d1, [%s], %s;\nld%s.%s %%d0, [%s];"
                   % (dot, operation, t, place, sources, dot, store, place), **rest)
        if operation not in ("exch", "cas"):
            yield Form("red%s.%s.%s" % (dot, operation, t), [width], operands,
                       body + "red%s.%s.%s [%s], %s;\nld%s.%s %%d0, [%s];"
                       % (dot, operation, t, place, sources, dot, store, place), **rest)


def warp_forms():
    for mode in ("up", "down", "bfly", "idx"):
        yield Form("shfl.sync.%s.b32" % mode, ["b32", "p"], ["i32", "warp", "warp"],
                   "shfl.sync.%s.b32 %%d0|%%d1, %%a0, %%a1, %%a2, 0xffffffff;" % mode, count=4096)
        clamp = "0x1000" if mode == "up" else "0x100f"
        yield Form("shfl.sync.%s.b32 of half a warp" % mode, ["b32", "p"], ["i32", "warp"],
                   "mov.b32 %%d0, 77;\nsetp.eq.u32 %%d1, %%d0, 0;\nmov.u32 %%w2, %%laneid;\n"
                   ".reg .pred %%half;\nsetp.lt.u32 %%half, %%w2, 16;\n"
                   "@%%half shfl.sync.%s.b32 %%d0|%%d1, %%a0, %%a1, %s, 0xffff;" % (mode, clamp))
    for mode in ("all", "any", "uni"):
        yield Form("vote.sync.%s.pred" % mode, ["p"], ["pred"],
                   "vote.sync.%s.pred %%d0, %%a0, 0xffffffff;" % mode)
        yield Form("vote.sync.%s.pred of a part" % mode, ["p"], ["i32"],
                   ".reg .pred %%in, %%x;\nmov.u32 %%w2, %%lanemask_eq;\n"
                   "and.b32 %%w2, %%w2, 0x00f00f01;\nsetp.ne.u32 %%in, %%w2, 0;\n"
                   "setp.gt.s32 %%x, %%a0, 0;\nsetp.ne.u32 %%d0, 0, 0;\n"
                   "@%%in vote.sync.%s.pred %%d0, !%%x, 0x00f00f01;" % mode)
    yield Form("vote.sync.ballot.b32", ["b32"], ["pred"],
               "vote.sync.ballot.b32 %d0, %a0, 0xffffffff;")
    few = "and.b32 %%d0, %%a0, 3;\ncvt.u%s.u32 %%x, %%d0;\n"
    for bits in ("32", "64"):
        declare = ".reg .b%s %%x;" % bits
        start = few % bits if bits == "64" else "and.b32 %x, %a0, 3;\n"
        yield Form("match.any.sync.b" + bits, ["b32"], ["i32"],
                   start.replace("%%", "%") + "match.any.sync.b%s %%d0, %%x, 0xffffffff;" % bits,
                   declare=declare)
        for shift in (1, 5):
            same = ("shr.u32 %%w2, %%id3, 5;\nand.b32 %%w2, %%w2, %d;\nmul.lo.u32 %%w3, %%a0, %%w2;"
                    "\nand.b32 %%w3, %%w3, 1;\ncvt.u%s.u32 %%x, %%w3;\n" % (shift, bits))
            if bits == "32":
                same = same.replace("cvt.u32.u32", "mov.u32")
            yield Form("match.all.sync.b%s by %d" % (bits, shift), ["b32", "p"], ["i32"],
                       same + "match.all.sync.b%s %%d0|%%d1, %%x, 0xffffffff;" % bits,
                       declare=declare)
    for operation, t in [(o, t) for o in ("add", "min", "max") for t in ("u32", "s32")] + [
            (o, "b32") for o in ("and", "or", "xor")]:
        yield Form("redux.sync.%s.%s" % (operation, t), ["b32"], ["i32"],
                   "redux.sync.%s.%s %%d0, %%a0, 0xffffffff;" % (operation, t))
        yield Form("redux.sync.%s.%s of a part" % (operation, t), ["b32"], ["i32"],
                   ".reg .pred %%in;\nmov.u32 %%w2, %%lanemask_eq;\n"
                   "and.b32 %%w2, %%w2, 0x8421ff00;\nsetp.ne.u32 %%in, %%w2, 0;\nmov.b32 %%d0, 5;\n"
                   "@%%in redux.sync.%s.%s %%d0, %%a0, 0x8421ff00;" % (operation, t))
    yield Form("elect.sync", ["b32", "p"], [], "elect.sync %d0|%d1, 0xffffffff;", count=128)
    yield Form("activemask", ["b32"], [], "activemask.b32 %d0;", count=128)
    for operation in ("and", "or"):
        yield Form("barrier.red.%s" % operation, ["p"], ["pred"],
                   "barrier.cta.red.%s.pred %%d0, 0, %%a0;" % operation)
        yield Form("bar.red.%s" % operation, ["p"], ["pred"],
                   "bar.red.%s.pred %%d0, 0, %%a0;" % operation)
    yield Form("bar.red.popc", ["b32"], ["pred"], "bar.red.popc.u32 %d0, 1, %a0;")
    yield Form("bar.red.popc of !p", ["b32"], ["pred"], "bar.red.popc.u32 %d0, 1, 128, !%a0;")


def together_forms():
    """Calls, barriers of some threads, and locks, which need threads to make progress
    independently.
    """
    callee = """.func (.param .b32 back) ENTRY_twice(.param .b32 one)
{
.reg .b32 %x;
ld.param.b32 %x, [one];
mad.lo.u32 %x, %x, 2, 1;
st.param.b32 [back], %x;
ret;
}
.func (.reg .b32 back) ENTRY_square(.reg .b32 one)
{
mul.lo.u32 back, one, one;
ret;
}
.func (.param .b32 back) ENTRY_sum(.param .b32 one)
{
.reg .b32 %x<3>;
.reg .pred %q;
ld.param.b32 %x0, [one];
mov.b32 %x1, 0;
setp.eq.u32 %q, %x0, 0;
@%q bra end;
sub.u32 %x1, %x0, 1;
{
.param .b32 less;
.param .b32 result;
st.param.b32 [less], %x1;
call (result), ENTRY_sum, (less);
ld.param.b32 %x1, [result];
}
mad.lo.u32 %x1, %x0, %x0, %x1;
end:
st.param.b32 [back], %x1;
ret;
}
.func (.param .b32 back) ENTRY_negate(.param .b32 one)
{
.reg .b32 %x;
ld.param.b32 %x, [one];
neg.s32 %x, %x;
st.param.b32 [back], %x;
ret;
}
"""
    call = ("{\n.param .b32 one;\n.param .b32 back;\nst.param.b32 [one], %s;\n%s\n"
            "ld.param.b32 %%d0, [back];\n}")
    yield Form("call of a function", ["b32"], ["i32"],
               call % ("%a0", "call.uni (back), ENTRY_twice, (one);"), before=callee)
    yield Form("call that recurs, as often as each lane wants", ["b32"], ["i32"],
               "and.b32 %w2, %a0, 15;\n" + call % ("%w2", "call (back), ENTRY_sum, (one);"),
               before=callee)
    yield Form("call by an address that differs between lanes", ["b32"], ["i32", "pred"],
               "mov.u64 %at4, ENTRY_twice;\nmov.u64 %at5, ENTRY_negate;\n"
               "selp.b64 %at4, %at4, %at5, %a1;\n"
               + call % ("%a0", "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                         "call (back), %at4, (one), proto;"), before=callee)
    room = ".shared .align 16 .b8 ENTRY_room[1024];\n"
    yield Form("bar.arrive and bar.sync of two halves", ["b32"], ["i32"],
               ".reg .pred %first;\nmov.u32 %w3, ENTRY_room;\nand.b32 %w2, %id0, 63;\n"
               "mad.lo.u32 %w3, %w2, 4, %w3;\nsetp.lt.u32 %first, %id0, 64;\nmov.b32 %d0, %a0;\n"
               "@%first bra give;\nbar.sync 3, 128;\nld.shared.u32 %d0, [%w3];\nbra end;\n"
               "give:\nst.shared.u32 [%w3], %a0;\nmembar.cta;\nbar.arrive 3, 128;\nend:",
               before=room)
    yield Form("a lock that lanes of a warp take in turn", ["b32"], [],
               ".reg .pred %mine, %zero;\nmov.u32 %w3, ENTRY_room;\n"
               "setp.eq.u32 %zero, %id0, 0;\nmov.b32 %w4, 0;\n"
               "@%zero st.shared.v2.u32 [%w3], {%w4, %w4};\nbar.sync 0;\n"
               "again:\natom.shared.cas.b32 %w4, [%w3], 0, 1;\nsetp.ne.u32 %mine, %w4, 0;\n"
               "@%mine bra again;\nmembar.cta;\nld.volatile.shared.u32 %w5, [%w3+4];\n"
               "add.u32 %w5, %w5, 3;\nst.volatile.shared.u32 [%w3+4], %w5;\nmembar.cta;\n"
               "atom.shared.exch.b32 %w4, [%w3], 0;\nbar.sync 0;\nld.shared.u32 %d0, [%w3+4];",
               before=room, count=256)
    yield Form("bar.warp.sync between halves of a warp", ["b32"], ["i32"],
               ".reg .pred %odd;\nmov.u32 %w3, ENTRY_room;\nmad.lo.u32 %w3, %id0, 4, %w3;\n"
               "and.b32 %w2, %id0, 1;\nsetp.ne.u32 %odd, %w2, 0;\n@%odd bra other;\n"
               "st.shared.u32 [%w3], %a0;\nbar.warp.sync 0xffffffff;\nmov.b32 %d0, 1;\nbra end;\n"
               "other:\nbar.warp.sync 0xffffffff;\nld.shared.u32 %d0, [%w3+-4];\nend:",
               before=room)
    for size in (4, 8, 16):
        yield Form("cp.async of %d bytes" % size, ["b64"] * (2 if size == 16 else 1),
                   ["i64", "i64"],
                   "mov.u32 %%w3, ENTRY_room;\nmad.lo.u32 %%w3, %%id0, 16, %%w3;\n"
                   "mov.b64 %%at4, 0;\nst.shared.b64 [%%w3], %%at4;\n"
                   "cp.async.%s.shared.global [%%w3], [%%at0], %d;\ncp.async.commit_group;\n"
                   "cp.async.wait_group 0;\nld.shared.b64 %%d0, [%%w3];\n%s"
                   % ("cg" if size == 16 else "ca", size,
                      "ld.shared.b64 %d1, [%w3+8];" if size == 16 else ""), count=256,
                   before=".shared .align 16 .b8 ENTRY_room[2048];\n")
    yield Form("cp.async with zeros behind", ["b64", "b64"], ["i64", "i64"],
               "mov.u32 %w3, ENTRY_room;\nmad.lo.u32 %w3, %id0, 16, %w3;\nand.b32 %w2, %id0, 15;\n"
               "cp.async.cg.shared.global [%w3], [%at0], 16, %w2;\ncp.async.wait_all;\n"
               "ld.shared.v2.b64 {%d0, %d1}, [%w3];", count=256,
               before=".shared .align 16 .b8 ENTRY_room[2048];\n")
    yield Form("ldu, prefetch and fences", ["b32"], ["i32"],
               "prefetch.global.L2 [%at0];\nldu.global.u32 %d0, [%at0];\nfence.acq_rel.gpu;\n"
               "fence.sc.cta;\nmembar.sys;\nnanosleep.u32 10;", count=128)
    yield Form("exit of some lanes", ["b32"], ["i32"],
               ".reg .pred %gone;\nst.global.u32 [%at1], 7;\nsetp.lt.s32 %gone, %a0, 0;\n"
               "@%gone exit;\nactivemask.b32 %d0;\nadd.u32 %d0, %d0, %a0;\n"
               "mov.b32 %d0, %a0;")
    yield Form("ret of some lanes, and brx.idx by lane", ["b32"], ["i32"],
               ".reg .pred %gone;\nst.global.u32 [%at1], 9;\nsetp.gt.s32 %gone, %a0, 0x70000000;\n"
               "@%gone ret;\nand.b32 %w2, %a0, 3;\nways: .branchtargets one, two, three, one;\n"
               "brx.idx %w2, ways;\none: mov.b32 %d0, 1;\nbra end;\ntwo: mov.b32 %d0, 2;\n"
               "three: mad.lo.u32 %d0, %a0, 3, 3;\nend:")


def packed_forms():
    """Several numbers in a word: what compilers make of CUDA's SIMD intrinsics."""
    unsigned, signed = "u32.u32.u32", "s32.s32.s32"
    sums = (unsigned, unsigned + ".sat", signed + ".sat")
    distances = (unsigned, unsigned + ".add", signed, signed + ".sat", signed + ".add")
    for count, kind in (("2", "i16x2"), ("4", "i8x4")):
        for opcode, types in (("vadd", sums), ("vsub", sums), ("vabsdiff", distances),
                              ("vavrg", (unsigned, signed)), ("vmin", (unsigned, signed)),
                              ("vmax", (unsigned, signed))):
            for one in types:
                yield plain("%s%s.%s" % (opcode, count, one), "b32", [kind, kind, "b32"])
        for t, comparison in [("u32", c) for c in ORDERED] + [("s32", c) for c in ORDERED[2:]]:
            yield plain("vset%s.%s.%s.%s" % (count, t, t, comparison), "b32", [kind, kind, "b32"])
    for opcode in ("vadd", "vsub"):
        yield plain(opcode + ".u32.u32.u32.add", "u32", ["u32"] * 3)
    for t in ("s8", "u8"):
        yield plain("cvt.pack.sat.%s.s32.b32" % t, "b32", ["s32", "s32", "b32"])
    for t in ("s16", "u16"):
        yield plain("cvt.pack.sat.%s.s32" % t, "b32", ["s32", "s32"])


def place_forms():
    """Results that replace an operand or a guard, operands that all lanes share, vectors."""
    for body in ("@%d0 setp.lt.f16x2 %d0|%d1, %a0, %a1;", "@%d0 setp.gt.f16x2 %d1|%d0, %a0, %a1;",
                 "setp.lt.and.f16x2 %d0|%d1, %a0, %a1, %d0;",
                 "@%d1 setp.lt.bf16x2 %d0|%d1, %a0, %a1;"):
        yield Form("replaced: " + body, ["p", "p"], ["f16x2", "f16x2", "pred"],
                   "mov.pred %d0, %a2;\nnot.pred %d1, %a2;\n" + body)
    yield Form("prmt.b32 with one selector", ["b32"] * 3, ["i32", "i32"],
               "prmt.b32 %d0, %a0, %a1, 0x2103;\nprmt.b32 %d1, %a0, %a1, 0x8fd6;\n"
               "prmt.b32 %a0, %a1, %a0, 0x7041;\nmov.b32 %d2, %a0;")
    yield Form("shf with one distance", ["b32"] * 3, ["i32", "i32"],
               "shf.l.wrap.b32 %d0, %a0, %a1, 7;\nshf.r.wrap.b32 %d1, %a0, %a1, 39;\n"
               "shf.l.wrap.b32 %d2, %a0, %a1, 32;")
    yield Form("mad.lo.cc.u32, madc.hi", ["b32", "b32"], ["i32"] * 4,
               "mad.lo.cc.u32 %d0, %a0, %a1, %a2;\nmadc.hi.u32 %d1, %a0, %a1, %a3;")
    yield Form("mov.b32 {b8 x 4}", ["b32"], ["i32", "i32"],
               ".reg .b8 %b, %c;\ncvt.u8.u32 %b, %a0;\ncvt.u8.u32 %c, %a1;\n"
               "mov.b32 %d0, {%b, %c, %c, %b};")
    yield Form("vector registers", ["b32", "b32"], ["i32", "i32"],
               ".reg .v2 .u32 %v;\nmov.v2.u32 %v, {%a1, %a0};\nshl.b32 %v.x, %v.x, 8;\n"
               "xor.b32 %d0, %v.x, %v.y;\nmov.b64 %at4, {%a0, %a1};\nmov.b64 {%v.x, %v.y}, %at4;\n"
               "sub.u32 %d1, %v.x, %v.y;")
    yield Form("mov.v2 exchanges", ["b32"], ["i32", "i32"],
               "mov.v2.u32 {%a1, %a0}, {%a0, %a1};\nsub.u32 %d0, %a0, %a1;")
    yield Form("ld.v4 without one element", ["b32"] * 4, ["i64"],
               "ld.global.nc.v4.u8 {%d0, %d1, _, %d3}, [%at0];\n"
               "ld.global.L1::no_allocate.L2::128B.u8 %d2, [%at0+2];", count=256)


def meeting_forms():
    """Lanes and threads that meet: masks, labels, barriers in memory, copies behind them."""
    yield Form("masks of lanes on different ways", ["b32"], ["i32"],
               ".reg .pred %even, %low;\nmov.u32 %w2, %laneid;\nand.b32 %w3, %w2, 1;\n"
               "setp.eq.u32 %even, %w3, 0;\n@%even bra even;\n"
               "shfl.sync.idx.b32 %d0, %a0, 3, 31, 0xaaaaaaaa;\nbra out_;\n"
               "even: setp.lt.u32 %low, %w2, 16;\n@%low bra low;\n"
               "redux.sync.add.u32 %d0, %a0, 0x55550000;\nbra out_;\n"
               "low: setp.lt.s32 %low, %a0, 0;\nvote.sync.ballot.b32 %d0, %low, 0x00005555;\n"
               "out_: bar.warp.sync 0xffffffff;")
    yield Form("labels belong to their blocks", ["b32"], ["pred"],
               ".reg .pred %p1;\nmov.b32 %d0, 0;\nmov.pred %p1, %a0;\n"
               "{ @%p1 bra skip; add.u32 %d0, %d0, 1; skip: }\n"
               "{ .reg .pred %p1; not.pred %p1, %a0; @%p1 bra skip;\n"
               "add.u32 %d0, %d0, 10; skip: { bra over; } }\nover:")
    yield Form("threads that have ended are not waited for", ["b32"], [],
               ".reg .pred %p1;\nst.global.u32 [%at1], 7;\nsetp.gt.u32 %p1, %id0, 40;\n"
               "@%p1 exit;\nbar.sync 0;\nvote.sync.ballot.b32 %d0, 1, -1;", count=128)
    barrier = ".shared .align 8 .b64 ENTRY_bar;\n.shared .align 4 .b32 ENTRY_data[64];\n"
    yield Form("mbarrier in phases", ["b32"], ["i32"],
               ".reg .pred %p1, %q;\n.reg .b64 %s;\nmov.u32 %w4, ENTRY_bar;\n"
               "setp.eq.u32 %p1, %id0, 0;\n@%p1 mbarrier.init.shared::cta.b64 [ENTRY_bar], 64;\n"
               "bar.sync 0;\nmov.u32 %w2, ENTRY_data;\nadd.u32 %w3, %id0, 33;\n"
               "and.b32 %w3, %w3, 63;\nmad.lo.u32 %w3, %w3, 4, %w2;\n"
               "mad.lo.u32 %w2, %id0, 4, %w2;\nmov.u32 %w5, 0;\nmov.u32 %d0, 0;\n"
               "round: mad.lo.u32 %w6, %w5, 100, %a0;\nst.shared.u32 [%w2], %w6;\n"
               "mbarrier.arrive.release.cta.shared.b64 %s, [%w4];\n"
               "wait: mbarrier.test_wait.shared.b64 %q, [ENTRY_bar], %s;\n@!%q bra wait;\n"
               "ld.shared.u32 %w7, [%w3];\nmad.lo.u32 %d0, %d0, 3, %w7;\n"
               "mbarrier.arrive.shared.b64 _, [ENTRY_bar];\n"
               "again: mbarrier.try_wait.parity.shared.b64 %q, [ENTRY_bar], 1;\n@!%q bra again;\n"
               "add.u32 %w5, %w5, 1;\nsetp.lt.u32 %p1, %w5, 3;\n@%p1 bra round;",
               count=128, block=64, before=barrier)
    arrive, test = "mbarrier.arrive.shared.b64 %s, [ENTRY_bar]%s;\n", (
        "mbarrier.test_wait.shared.b64 %%q, [ENTRY_bar], %%s%d;\nselp.u32 %%d%d, 1, 0, %%q;\n")
    yield Form("mbarrier counts arrivals", ["b32"] * 5, [],
               ".reg .pred %q;\n.reg .b64 %s<4>;\nmbarrier.init.shared.b64 [ENTRY_bar], 3;\n"
               + arrive % ("%s0", "") + "mbarrier.pending_count.b64 %d0, %s0;\n"
               + arrive % ("_", "") + test % (0, 1) + arrive % ("_", "") + test % (0, 2)
               + "mbarrier.arrive_drop.shared.b64 %s1, [ENTRY_bar];\n" + arrive % ("_", ", 2")
               + test % (1, 3) + arrive % ("%s2", "") + "mbarrier.pending_count.b64 %d4, %s2;",
               count=2, block=1, before=barrier)
    yield Form("cp.async may ignore its source", ["b64"] * 3, ["i64", "i64"],
               "mov.u32 %w3, ENTRY_room;\nmad.lo.u32 %w3, %id0, 32, %w3;\n"
               "createpolicy.fractional.L2::evict_first.b64 %at4, 1.0;\n"
               "st.shared.b64 [%w3], %at4;\ncp.async.ca.shared.global [%w3], [%at0], 8, 0;\n"
               "cp.async.ca.shared.global [%w3+8], [%at0+8], 8, 8;\n"
               "cp.async.cg.shared.global.L2::cache_hint [%w3+16], [%at0], 16, %at4;\n"
               "cp.async.wait_all;\nld.shared.v2.b64 {%d0, %d1}, [%w3];\n"
               "ld.shared.b64 %d2, [%w3+16];", count=256,
               before=".shared .align 16 .b8 ENTRY_room[4096];\n")


def forms():
    for group in (integer_forms, carry_forms, bit_forms, float_forms, half_forms,
                  approximate_forms, convert_forms, compare_forms, move_forms, memory_forms,
                  atomic_forms, warp_forms, together_forms, packed_forms, place_forms,
                  meeting_forms):
        yield from group()
