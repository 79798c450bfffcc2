/* SPDX-License-Identifier: Apache-2.0 */
/* What a report that is shown to others has beside the report on the driver, and what it hides. */
#ifndef CUSHIM_LOADER_SHARE_H
#define CUSHIM_LOADER_SHARE_H

#include <stddef.h>

/*
 * The variables of the environment that are shown, one text behind the other, and an empty one:
 * others may hold secrets.
 */
extern const char cushim__shared_variables[];

/* A fact about the system. */
struct cushim__fact {
    const char *name;
    char value[256];
};

enum { CUSHIM__FACTS = 8 };

/* Read the facts from the system's files; returns how many there are. facts_posix.c, facts_windows.c */
int cushim__facts(struct cushim__fact facts[CUSHIM__FACTS]);

/* The length of a UUID at a place of a text, after GPU- or MIG-; 0 if there is none. */
size_t cushim__uuid_length(const char *at);

/*
 * The length of a user's name at a place of a text, as a part of a path: of the user of this
 * process, or of the owner of a home folder; 0 if there is none.
 */
size_t cushim__user_length(const char *text, const char *at);

#endif
