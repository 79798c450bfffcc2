/* SPDX-License-Identifier: Apache-2.0 */
/* PTX text, word by word. */
#ifndef CUSHIM_MOCK_IMAGE_PTX_H
#define CUSHIM_MOCK_IMAGE_PTX_H

#include "src/mock/image/reading.h"

/*
 * A word: a run of letters, digits and `_ $ % .`, a quoted text, or one other character. At the end
 * of the text it is empty.
 */
struct mock_ptx_word {
    const char *start;
    size_t length;
};

struct mock_ptx {
    struct mock_reading *reading;
    const char *at, *end;
    struct mock_ptx_word word; /* the current one */
    unsigned line;             /* in which it stands, from 1 */
    unsigned version;          /* as 60 for 6.0 */
    unsigned target;           /* as 50 for sm_50 */
};

/* Go on to the next word. */
void cushim__mock_ptx_next(struct mock_ptx *ptx);
bool cushim__mock_ptx_is(const struct mock_ptx *ptx, const char *word);

/* If this is the current word, go on; otherwise false. */
bool cushim__mock_ptx_skip(struct mock_ptx *ptx, const char *word);
bool cushim__mock_ptx_ended(const struct mock_ptx *ptx);

/* Skip past the end of the line, of a statement (`;`), or of what this brace opens. */
bool cushim__mock_ptx_skip_statement(struct mock_ptx *ptx);

/* The current word as an integer or as a name, and go on. False: it is none. */
bool cushim__mock_ptx_integer(struct mock_ptx *ptx, uint64_t *value);
bool cushim__mock_ptx_name(struct mock_ptx *ptx, struct mock_ptx_word *name);

/* INVALID_PTX, with the line in the message. */
CUresult cushim__mock_ptx_refuse(struct mock_ptx *ptx, const char *expected);

/* What variables and parameters have in common: `.align 16 .v2 .b8`, then a name and dimensions. */
struct mock_ptx_declaration {
    struct mock_ptx_word name;
    char type[12];       /* as `.u32` */
    size_t scalar_bytes; /* of one number of a vector */
    size_t element_bytes, alignment;
    size_t dimensions[8];
    unsigned dimension_count;
    bool unsized; /* the first dimension is empty */
    size_t bytes; /* 0 if unsized */
};

/* The part before the name, then the name and its dimensions. */
CUresult cushim__mock_ptx_declared_type(struct mock_ptx *ptx,
                                        struct mock_ptx_declaration *declaration);
CUresult cushim__mock_ptx_declared_name(struct mock_ptx *ptx,
                                        struct mock_ptx_declaration *declaration);

/* How a name is to other texts. Without a word of it, it is of its text alone. */
enum mock_ptx_linkage {
    MOCK_PTX_LOCAL,
    MOCK_PTX_VISIBLE,
    MOCK_PTX_WEAK,
    MOCK_PTX_EXTERN,
};

/* `.global` and `.const` variables, after that word. */
CUresult cushim__mock_ptx_variables(struct mock_ptx *ptx, bool constant,
                                    enum mock_ptx_linkage linkage);

/* An initial value, after the `=`. */
CUresult cushim__mock_ptx_initial(struct mock_ptx *ptx, struct mock_ptx_declaration *declaration,
                                  struct mock_image_global *global);

#endif
