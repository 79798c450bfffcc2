/* SPDX-License-Identifier: Apache-2.0 */
/* What is JSON: RFC 8259 to the letter, in valid UTF-8, and nothing behind it but blanks. */
#ifndef CUSHIM_TESTS_FUZZ_JSON_CHECK_H
#define CUSHIM_TESTS_FUZZ_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the text is one JSON value. */
bool json_is_valid(const char *text);

/* Whether the text is UTF-8, without overlong forms and surrogates. */
bool utf8_is_valid(const char *text);

/*
 * What the JSON string that `text` begins with stands for, in UTF-8, closed by NUL: `size` bytes
 * hold it. Returns what is behind the string; NULL: it is none.
 */
const char *json_decode(const char *text, char *decoded, size_t size);

#endif
