/* SPDX-License-Identifier: Apache-2.0 */
/* Detector of who else could put another file in the place of the driver's library. */
#ifndef CUSHIM_TOOL_DETECT_OWNER_H
#define CUSHIM_TOOL_DETECT_OWNER_H

#include "src/tool/system_info.h"

/* Somebody who is neither root nor this user can replace the library, or a part of its path. */
bool detect_foreign_writer(const struct system_info *info, struct evidence *evidence);

#endif
