/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/mock_interface.h"

const struct cushim__mock_callbacks *cushim__layer_mock;
void (*cushim__fault_of_operation)(struct cushim__operation_fault *fault, const char *kind,
                                   int device);
void (*cushim__operation_submitted)(uint64_t number);
void (*cushim__operation_ended)(uint64_t number, uint64_t began_ns, uint64_t ended_ns);

void cushim__layer_set_mock(const struct cushim__mock_callbacks *mock)
{
    __atomic_store_n(&cushim__layer_mock, mock, __ATOMIC_RELEASE);
}
