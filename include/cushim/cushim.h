/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * All of cushim. The headers of single nouns may be included one by one instead.
 */
#ifndef CUSHIM_CUSHIM_H
#define CUSHIM_CUSHIM_H

#include <cushim/context.h>
#include <cushim/context_scope.h>
#include <cushim/context_settings.h>
#include <cushim/device.h>
#include <cushim/driver.h>
#include <cushim/error.h>
#include <cushim/event.h>
#include <cushim/event_info.h>
#include <cushim/event_ipc.h>
#include <cushim/event_pool.h>
#include <cushim/event_time.h>
#include <cushim/log.h>
#include <cushim/primary_context.h>
#include <cushim/probe.h>
#include <cushim/report.h>
#include <cushim/stream.h>
#include <cushim/stream_attribute.h>
#include <cushim/stream_capture.h>
#include <cushim/stream_memory.h>
#include <cushim/stream_order.h>
#include <cushim/symbol.h>
#include <cushim/table.h>
#include <cushim/uuid.h>
#include <cushim/version.h>

#endif
