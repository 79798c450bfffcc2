/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * All headers of the library. You may include the headers of single objects instead.
 */
#ifndef CUSHIM_CUSHIM_H
#define CUSHIM_CUSHIM_H

#include <cushim/context.h>
#include <cushim/device.h>
#include <cushim/driver.h>
#include <cushim/error.h>
#include <cushim/event.h>
#include <cushim/event_pool.h>
#include <cushim/log.h>
#include <cushim/report.h>
#include <cushim/stream.h>
#include <cushim/table.h>
#include <cushim/version.h>

#endif
