/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/core/call.h"

#include "loader/symbols.h"

_Thread_local struct mock_call cushim__mock_call;

const char *cushim__mock_call_name(void)
{
    return cushim__mock_call.mock ? cushim__slot_name(cushim__mock_call.slot) : "";
}
