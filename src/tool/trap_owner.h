/* SPDX-License-Identifier: Apache-2.0 */
/* Detector of who else could put another file in the place of the driver's library. */
#ifndef CUSHIM_TOOL_TRAP_OWNER_H
#define CUSHIM_TOOL_TRAP_OWNER_H

#include "src/tool/trap_scene.h"

/* Somebody who is neither root nor this user can replace the library, or a part of its path. */
bool trap_sees_foreign_writer(const struct trap_scene *scene, struct trap_evidence *evidence);

#endif
