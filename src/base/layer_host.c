/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/layer_host.h"

const struct cushim__layer_host *cushim__layer_host;
_Thread_local struct cushim__caller cushim__caller;
_Thread_local bool cushim__in_kernel;
void (*cushim__fault_of_operation)(struct cushim__operation_fault *fault, const char *kind,
                                   int device);
