/* SPDX-License-Identifier: Apache-2.0 */
/* A strict JSON parser: RFC 8259, in valid UTF-8, with nothing but blanks after the value. */
#ifndef CUSHIM_TESTS_FUZZ_JSON_CHECK_H
#define CUSHIM_TESTS_FUZZ_JSON_CHECK_H

#include <stdbool.h>

/* Whether the text is one JSON value. */
bool json_is_valid(const char *text);

/* Whether the text is UTF-8, without overlong forms and surrogates. */
bool utf8_is_valid(const char *text);

#endif
