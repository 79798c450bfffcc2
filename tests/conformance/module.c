/* SPDX-License-Identifier: Apache-2.0 */
#include "module.h"

#include "backend.h"
#include "begin.h"
#include "check.h"

const char module_image[1024] =
    ".version 6.0\n"
    ".target sm_50\n"
    ".address_size 64\n"
    ".visible .global .align 4 .b8 bytes[12];\n"
    ".visible .global .align 8 .u64 seven = 7;\n"
    ".visible .const .align 4 .u32 five = 5;\n"
    ".global .align 4 .u32 hidden = 3;\n"
    ".visible .entry plain()\n{\n    ret;\n}\n"
    ".visible .entry many(.param .u8 a, .param .u64 b, .param .u16 c,\n"
    "    .param .align 16 .b8 d[24], .param .u32 e)\n{\n    ret;\n}\n"
    ".visible .entry take(.param .u64 p, .param .u32 v)\n{\n    ret;\n}\n"
    ".visible .entry shared()\n{\n"
    "    .shared .align 4 .b8 s[1024];\n"
    "    .reg .u32 %v;\n"
    "    mov.u32 %v, 1;\n"
    "    st.shared.u32 [s], %v;\n"
    "    bar.sync 0;\n"
    "    ret;\n}\n"
    ".visible .entry bounded() .maxntid 64, 1, 1\n{\n    ret;\n}\n"
    ".visible .entry cushim_nothing()\n{\n    ret;\n}\n";

CUmodule begin_module(void)
{
    CUmodule module = NULL;

    begin_context();
    MUST(cu->ModuleLoadData(&module, module_image));
    return module;
}

CUfunction begin_function(CUmodule module, const char *name)
{
    CUfunction function = NULL;

    MUST(cu->ModuleGetFunction(&function, module, name));
    return function;
}
