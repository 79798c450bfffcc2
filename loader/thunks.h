/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slots without a driver, as machine code. Each slot has two instructions, which put its number
 * into a register and jump to a tail that all slots share. As C functions they would be a third of
 * a plugin, most of it tables for unwinding; here one entry of these tables describes all slots.
 *
 * A thunk is entered with the arguments of its slot, whatever they are. The thunks of the lazy-load
 * table pass them on unchanged: the tail keeps every register that may carry an argument, asks
 * cushim__lazy_target() where the call goes, and jumps there, so that no frame of cushim is between
 * the caller and the driver. The stack can be unwound meanwhile. The thunks of missing symbols
 * ignore the arguments, which the caller removes on both architectures.
 *
 * On other systems, or with -DCUSHIM__THUNKS=0, lazy.c and missing.c have one C function per slot.
 */
#ifndef CUSHIM_LOADER_THUNKS_H
#define CUSHIM_LOADER_THUNKS_H

#ifndef CUSHIM__THUNKS
#if defined(__GNUC__) && defined(__ELF__) && defined(__LP64__) && \
    (defined(__x86_64__) || defined(__aarch64__))
#define CUSHIM__THUNKS 1
#else
#define CUSHIM__THUNKS 0
#endif
#endif

#if CUSHIM__THUNKS

/* If indirect branches may only land on a landing mark, each thunk begins with one. */
#if defined(__x86_64__)
#define CUSHIM__OBJECT "@object"
#define CUSHIM__CODE "@function"
#if defined(__CET__) && __CET__ & 1
#define CUSHIM__LANDING "endbr64\n"
#define CUSHIM__THUNK_BYTES 14
#else
#define CUSHIM__LANDING ""
#define CUSHIM__THUNK_BYTES 10
#endif
#else
#define CUSHIM__OBJECT "%object"
#define CUSHIM__CODE "%function"
#if defined(__ARM_FEATURE_BTI_DEFAULT)
#define CUSHIM__LANDING "hint #34\n" /* bti c */
#define CUSHIM__THUNK_BYTES 12
#else
#define CUSHIM__LANDING ""
#define CUSHIM__THUNK_BYTES 8
#endif
/* If return addresses are signed, the one that the tail keeps on the stack is signed too. */
#if defined(__ARM_FEATURE_PAC_DEFAULT) && __ARM_FEATURE_PAC_DEFAULT & 2
#define CUSHIM__SIGN ".cfi_b_key_frame\nhint #27\n.cfi_negate_ra_state\n" /* pacibsp */
#define CUSHIM__CHECK "hint #31\n.cfi_negate_ra_state\n"                  /* autibsp */
#elif defined(__ARM_FEATURE_PAC_DEFAULT)
#define CUSHIM__SIGN "hint #25\n.cfi_negate_ra_state\n"  /* paciasp */
#define CUSHIM__CHECK "hint #29\n.cfi_negate_ra_state\n" /* autiasp */
#else
#define CUSHIM__SIGN ""
#define CUSHIM__CHECK ""
#endif
#endif

/* Put the slot's number into a register, then jump; the jump has one size wherever it leads. */
#if defined(__x86_64__)
#define CUSHIM__THUNK(number, tail) "movl $.Lslot, " number "\n.byte 0xe9\n.long " tail " - . - 4\n"
#define CUSHIM__LAZY_NUMBER "%eax"
#define CUSHIM__MISSING_NUMBER "%edi"
#else
#define CUSHIM__THUNK(number, tail) "mov " number ", .Lslot\nb " tail "\n"
#define CUSHIM__LAZY_NUMBER "w16"
#define CUSHIM__MISSING_NUMBER "w0"
#endif

/* clang-format off: it cannot lay out literals between macros. */
#define CUSHIM__TEXT(number) CUSHIM__TEXT_(number)
#define CUSHIM__TEXT_(number) #number

/* Begin and end a hidden symbol. */
#define CUSHIM__BEGIN(section, name, kind) \
    ".pushsection " section "\n"           \
    ".balign 16\n"                         \
    ".globl " name "\n"                    \
    ".hidden " name "\n"                   \
    ".type " name ", " kind "\n"           \
    "" name ":\n"
#define CUSHIM__END(name)            \
    ".size " name ", . - " name "\n" \
    ".popsection\n"

/* Repeat `line` `count` times; .Lslot is the number of the slot. */
#define CUSHIM__FOR_EACH_SLOT(count, line) \
    ".set .Lslot, 0\n"                     \
    ".rept " #count "\n"                   \
    "" line "\n"                           \
    ".set .Lslot, .Lslot + 1\n"            \
    ".endr\n"

/* `count` thunks in a row. */
#define CUSHIM__THUNKS_OF(count, name, number, tail)                                             \
    __asm__(CUSHIM__BEGIN(".text", name, CUSHIM__CODE) ".cfi_startproc\n" CUSHIM__FOR_EACH_SLOT( \
        count, CUSHIM__LANDING CUSHIM__THUNK(number, tail)) ".cfi_endproc\n" CUSHIM__END(name))

/* What a thunk of the lazy-load table jumps to. */
#if defined(__x86_64__)
/* The tables for unwinding number the registers: rbp is 6. */
#define CUSHIM__LAZY_TAIL        \
    "pushq %rbp\n"               \
    ".cfi_def_cfa_offset 16\n"   \
    ".cfi_offset 6, -16\n"       \
    "movq %rsp, %rbp\n"          \
    ".cfi_def_cfa_register 6\n"  \
    "subq $176, %rsp\n"          \
    "movq %rdi, 0(%rsp)\n"       \
    "movq %rsi, 8(%rsp)\n"       \
    "movq %rdx, 16(%rsp)\n"      \
    "movq %rcx, 24(%rsp)\n"      \
    "movq %r8, 32(%rsp)\n"       \
    "movq %r9, 40(%rsp)\n"       \
    "movaps %xmm0, 48(%rsp)\n"   \
    "movaps %xmm1, 64(%rsp)\n"   \
    "movaps %xmm2, 80(%rsp)\n"   \
    "movaps %xmm3, 96(%rsp)\n"   \
    "movaps %xmm4, 112(%rsp)\n"  \
    "movaps %xmm5, 128(%rsp)\n"  \
    "movaps %xmm6, 144(%rsp)\n"  \
    "movaps %xmm7, 160(%rsp)\n"  \
    "movl %eax, %edi\n"          \
    "call cushim__lazy_target\n" \
    "movq %rax, %r11\n"          \
    "movq 0(%rsp), %rdi\n"       \
    "movq 8(%rsp), %rsi\n"       \
    "movq 16(%rsp), %rdx\n"      \
    "movq 24(%rsp), %rcx\n"      \
    "movq 32(%rsp), %r8\n"       \
    "movq 40(%rsp), %r9\n"       \
    "movaps 48(%rsp), %xmm0\n"   \
    "movaps 64(%rsp), %xmm1\n"   \
    "movaps 80(%rsp), %xmm2\n"   \
    "movaps 96(%rsp), %xmm3\n"   \
    "movaps 112(%rsp), %xmm4\n"  \
    "movaps 128(%rsp), %xmm5\n"  \
    "movaps 144(%rsp), %xmm6\n"  \
    "movaps 160(%rsp), %xmm7\n"  \
    "leave\n"                    \
    ".cfi_def_cfa 7, 8\n"        \
    "jmpq *%r11\n"
#else
/* In the tables for unwinding, x29 and x30 have their own numbers, and sp is 31. */
#define CUSHIM__LAZY_TAIL          \
    CUSHIM__SIGN                   \
    "stp x29, x30, [sp, #-224]!\n" \
    ".cfi_def_cfa_offset 224\n"    \
    ".cfi_offset 29, -224\n"       \
    ".cfi_offset 30, -216\n"       \
    "mov x29, sp\n"                \
    "stp x0, x1, [sp, #16]\n"      \
    "stp x2, x3, [sp, #32]\n"      \
    "stp x4, x5, [sp, #48]\n"      \
    "stp x6, x7, [sp, #64]\n"      \
    "str x8, [sp, #80]\n"          \
    "stp q0, q1, [sp, #96]\n"      \
    "stp q2, q3, [sp, #128]\n"     \
    "stp q4, q5, [sp, #160]\n"     \
    "stp q6, q7, [sp, #192]\n"     \
    "mov w0, w16\n"                \
    "bl cushim__lazy_target\n"     \
    "mov x16, x0\n"                \
    "ldp x0, x1, [sp, #16]\n"      \
    "ldp x2, x3, [sp, #32]\n"      \
    "ldp x4, x5, [sp, #48]\n"      \
    "ldp x6, x7, [sp, #64]\n"      \
    "ldr x8, [sp, #80]\n"          \
    "ldp q0, q1, [sp, #96]\n"      \
    "ldp q2, q3, [sp, #128]\n"     \
    "ldp q4, q5, [sp, #160]\n"     \
    "ldp q6, q7, [sp, #192]\n"     \
    "ldp x29, x30, [sp], #224\n"   \
    ".cfi_restore 29\n"            \
    ".cfi_restore 30\n"            \
    ".cfi_def_cfa_offset 0\n" CUSHIM__CHECK "br x16\n"
#endif

/* The lazy-load table of `count` slots: its tail, its thunks, and the table of their addresses. */
#define CUSHIM__LAZY_THUNKS(count)                                                             \
    __asm__(".hidden cushim__lazy_target\n" CUSHIM__BEGIN(                                     \
        ".text", "cushim__lazy_tail",                                                          \
        CUSHIM__CODE) ".cfi_startproc\n" CUSHIM__LAZY_TAIL                                     \
                      ".cfi_endproc\n" CUSHIM__END("cushim__lazy_tail"));                      \
    CUSHIM__THUNKS_OF(count, "cushim__lazy_thunks", CUSHIM__LAZY_NUMBER, "cushim__lazy_tail"); \
    __asm__(CUSHIM__BEGIN(                                                                     \
        ".data.rel.ro, \"aw\"", "cushim__lazy_table",                                          \
        CUSHIM__OBJECT) ".quad 8 * (" #count                                                   \
                        " + 1)\n" CUSHIM__FOR_EACH_SLOT(                                       \
                            count, ".quad cushim__lazy_thunks + .Lslot * " CUSHIM__TEXT(       \
                                       CUSHIM__THUNK_BYTES)) CUSHIM__END("cushim__lazy_table"))

/* The thunks for missing symbols of `count` slots. */
#define CUSHIM__MISSING_THUNKS(count)   \
    __asm__(".hidden cushim__missing"); \
    CUSHIM__THUNKS_OF(count, "cushim__missing_thunks", CUSHIM__MISSING_NUMBER, "cushim__missing")

/* clang-format on */

#endif

#endif
