/* SPDX-License-Identifier: Apache-2.0 */
#include "slot_child.h"

#include <cushim/mock.h>

int slot_child(slot_call call, size_t slot, const char *state)
{
    const int answer = call(slot, state);

    cushim_mock_destroy(cushim_mock_current());
    return answer;
}
