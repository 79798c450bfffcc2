/* SPDX-License-Identifier: Apache-2.0 */
/* The versions of CUDA that the mock driver can have, and that rules of faults may name. */
#ifndef CUSHIM_SRC_DRIVER_API_VERSIONS_H
#define CUSHIM_SRC_DRIVER_API_VERSIONS_H

#include "loader/versions.h"

#define CUSHIM__OLDEST_VERSION 10000
#define CUSHIM__VERSION_RANGE "from 10.0 to " CUSHIM__NEWEST_VERSION_TEXT

#endif
