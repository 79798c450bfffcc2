/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The implemented instructions. `opcodes` prints the rows of the tables. `opcodes STATEMENTS`
 * prints each statement of a file, preceded by whether a kernel with it is executed or refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/ptx/ptx.h"

static const char head[] =
    ".version 8.8\n.target sm_90a\n.address_size 64\n"
    ".global .texref texture;\n.func callee() { ret; }\n"
    ".visible .entry k(.param .u64 parameter)\n{\n"
    ".reg .pred p<8>; .reg .b16 h<8>; .reg .b32 r<64>; .reg .b64 d<16>; .reg .f32 f<64>;\n"
    ".reg .f64 g<8>;\n.shared .align 16 .b8 s[256]; .local .align 16 .b8 l[64];\n";

/* An error in the statement itself is an error of the list. */
static int try_statement(const char *statement)
{
    static const struct ptx_target newest = {.version = 999, .architecture = 999};
    struct ptx_module *module = cushim__ptx_create(&newest);
    struct ptx_error error;
    char text[4096];

    snprintf(text, sizeof text, "%s%s\nlabel:\nret;\n}\n", head, statement);
    if (!module || !cushim__ptx_add(module, text, strlen(text), &error) ||
        !cushim__ptx_link(module, &error)) {
        fprintf(stderr, "%s: %s\n", statement, module ? error.text : "out of memory");
        return 1;
    }
    printf("%s %s\n", module->kernels[0].refused ? "refused" : "executed", statement);
    cushim__ptx_release(module);
    return 0;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    char line[512];
    int wrong = 0;

    for (size_t i = 0; argc == 1 && cushim__ptx_opcode(i); i++)
        printf("%s\n", cushim__ptx_opcode(i));
    if (argc > 1 && !file) {
        perror(argv[1]);
        return 2;
    }
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0' && line[0] != '#')
            wrong |= try_statement(line);
    }
    if (file)
        fclose(file);
    return wrong;
}
