/* SPDX-License-Identifier: Apache-2.0 */
#include "src/check/check.h"

const struct cushim__check_module cushim__check_handles = {.started = NULL};
