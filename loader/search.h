/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_LOADER_SEARCH_H
#define CUSHIM_LOADER_SEARCH_H

#include <stdbool.h>

#include <cushim/report.h>

/* What a look at the dynamic linker's search came to. */
enum cushim__look {
    CUSHIM__LOOK_ASK,    /* the linker is to be asked: it finds a file, or knows more than a look */
    CUSHIM__LOOK_REFUSE, /* it would take a file that must not be opened */
    CUSHIM__LOOK_NONE,   /* there is none, for certain: it need not be asked */
};

/*
 * Look at the file that the dynamic linker's search would come upon, as cushim__elf_check() looks
 * at one that is named: the search maps a truncated file too, and waits at a pipe. And the search
 * is long where there is nothing: glibc's tries dozens of subfolders that no system has.
 *
 * The candidate's outcome and message are written unless the linker is to be asked. A library for
 * another architecture is passed over by the linker as well; it is noted in `passed_over`, whose
 * path is empty otherwise.
 */
enum cushim__look cushim__search_look(struct cushim_candidate *candidate,
                                      struct cushim_candidate *passed_over);

/* Give a candidate of the search the outcome of a file that it leads to, and name the file. */
void cushim__search_adopt(struct cushim_candidate *candidate, const struct cushim_candidate *file);

#endif
