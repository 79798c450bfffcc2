/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * All of cushim. The headers of single nouns may be included one by one instead.
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
