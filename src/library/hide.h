/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_MOCK_LIBRARY_HIDE_H
#define CUSHIM_MOCK_LIBRARY_HIDE_H

#include <stdbool.h>

/*
 * Take what came after a version out of this library's own symbols, so that no lookup finds it any
 * more: programs try names to learn what a driver has. False: the system does not let us.
 */
bool cushim__hide_later(int version);

#endif
