/* SPDX-License-Identifier: Apache-2.0 */
/* PTX text, word by word. */
#ifndef CUSHIM_MOCK_IMAGE_PTX_H
#define CUSHIM_MOCK_IMAGE_PTX_H

#include "src/mock/image/reading.h"

/*
 * A word: a run of letters, digits and `_ $ % .`, a quoted text, or one other character. At the end
 * of the text it is empty.
 */
struct cushim__ptx_word {
    const char *start;
    size_t length;
};

struct cushim__ptx {
    struct cushim__reading *reading;
    const char *at, *end;
    struct cushim__ptx_word word; /* the current one */
    unsigned line;                /* in which it stands, from 1 */
    unsigned version;             /* as 60 for 6.0 */
    unsigned target;              /* as 50 for sm_50 */
};

/* Go on to the next word. */
void cushim__ptx_next(struct cushim__ptx *ptx);
bool cushim__ptx_is(const struct cushim__ptx *ptx, const char *word);

/* If this is the current word, go on; otherwise false. */
bool cushim__ptx_skip(struct cushim__ptx *ptx, const char *word);
bool cushim__ptx_ended(const struct cushim__ptx *ptx);

/* Skip to behind the end of the line, of a statement (`;`), or of what this brace opens. */
void cushim__ptx_skip_line(struct cushim__ptx *ptx);
bool cushim__ptx_skip_statement(struct cushim__ptx *ptx);
bool cushim__ptx_skip_block(struct cushim__ptx *ptx);

/* The current word as an integer or as a name, and go on. False: it is none. */
bool cushim__ptx_integer(struct cushim__ptx *ptx, uint64_t *value);
bool cushim__ptx_name(struct cushim__ptx *ptx, struct cushim__ptx_word *name);

/* INVALID_PTX, with the line in the message. */
CUresult cushim__ptx_refuse(struct cushim__ptx *ptx, const char *expected);

/* What variables and parameters have in common: `.align 16 .v2 .b8`, then a name and dimensions. */
struct cushim__ptx_declaration {
    struct cushim__ptx_word name;
    char type[12];       /* as `.u32` */
    size_t scalar_bytes; /* of one number of a vector */
    size_t element_bytes, alignment;
    size_t dimensions[8];
    unsigned dimension_count;
    bool unsized; /* the first dimension is empty */
    size_t bytes; /* 0 if unsized */
};

/* The part before the name, then the name and its dimensions. */
CUresult cushim__ptx_declared_type(struct cushim__ptx *ptx,
                                   struct cushim__ptx_declaration *declaration);
CUresult cushim__ptx_declared_name(struct cushim__ptx *ptx,
                                   struct cushim__ptx_declaration *declaration);

/* How a name is to other texts. Without a word of it, it is of its text alone. */
enum cushim__ptx_linkage {
    CUSHIM__PTX_LOCAL,
    CUSHIM__PTX_VISIBLE,
    CUSHIM__PTX_WEAK,
    CUSHIM__PTX_EXTERN,
};

/* `.global` and `.const` variables, behind that word. */
CUresult cushim__ptx_variables(struct cushim__ptx *ptx, bool constant,
                               enum cushim__ptx_linkage linkage);

/* An initial value, behind the `=`. */
CUresult cushim__ptx_initial(struct cushim__ptx *ptx, struct cushim__ptx_declaration *declaration,
                             struct cushim__image_global *global);

#endif
