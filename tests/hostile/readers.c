/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/hostile/readers.h"

#include <stddef.h>

int main(int argc, char **argv)
{
    static const struct reader *const readers[] = {&reader_elf, &reader_cache, &reader_mapped,
                                                   NULL};

    return reader_main(readers, argc, argv);
}
