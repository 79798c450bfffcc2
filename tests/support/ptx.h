/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for tests, as PTX for a GPU. A mock knows them by their names. */
#ifndef CUSHIM_TESTS_SUPPORT_PTX_H
#define CUSHIM_TESTS_SUPPORT_PTX_H

/* The directives at the beginning of a module. */
#define PTX_HEAD      \
    ".version 6.0\n"  \
    ".target sm_50\n" \
    ".address_size 64\n"

/* A kernel that runs for this many nanoseconds. */
#define PTX_SPIN                                       \
    ".visible .entry cushim_spin(.param .u64 ns)\n{\n" \
    "    .reg .u64 %most, %start, %now, %took;\n"      \
    "    .reg .pred %early;\n"                         \
    "    ld.param.u64 %most, [ns];\n"                  \
    "    mov.u64 %start, %globaltimer;\n"              \
    "again:\n"                                         \
    "    mov.u64 %now, %globaltimer;\n"                \
    "    sub.u64 %took, %now, %start;\n"               \
    "    setp.lt.u64 %early, %took, %most;\n"          \
    "    @%early bra again;\n"                         \
    "    ret;\n}\n"

/* A kernel that writes to an unmapped address. */
#define PTX_FAULT                             \
    ".visible .entry cushim_fault()\n{\n"     \
    "    .reg .u64 %address;\n"               \
    "    .reg .u32 %value;\n"                 \
    "    mov.u64 %address, 16;\n"             \
    "    mov.u32 %value, 1;\n"                \
    "    st.global.u32 [%address], %value;\n" \
    "    ret;\n}\n"

#endif
