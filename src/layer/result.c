/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/result.h"

#include "loader/results.h"

void cushim__result_add(struct cushim__text *text, CUresult code)
{
    for (size_t i = 0; i < CUSHIM__RESULT_COUNT; i++) {
        if (cushim__results[i].number == (unsigned)code) {
            cushim__text_add(text, cushim__results[i].name);
            return;
        }
    }
    cushim__text_format(text, "%d", (int)code);
}
