/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/mock_interface.h"

const struct cushim__layer_host *cushim__layer_host;
_Thread_local struct cushim__caller cushim__caller;
_Thread_local bool cushim__in_kernel;
void (*cushim__fault_of_operation)(struct cushim__operation_fault *fault, const char *kind,
                                   int device);
void (*cushim__operation_submitted)(uint64_t number);
void (*cushim__operation_ended)(uint64_t number, uint64_t began_ns, uint64_t ended_ns);
