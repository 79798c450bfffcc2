/* SPDX-License-Identifier: Apache-2.0 */
/* The names that callers still use for parts of the interface to the operating system. */
#ifndef CUSHIM_LOADER_SYSTEM_H
#define CUSHIM_LOADER_SYSTEM_H

#include "loader/library.h"
#include "loader/table_pages.h"
#include "src/base/system.h"

#define cushim__process() cushim__system_process_id()
#define cushim__thread() cushim__system_thread_token()
#define cushim__pause(times) cushim__system_yield(times)
#define cushim__clock_ns() cushim__system_clock_ns()
#define cushim__sleep_ns(duration) cushim__system_sleep_ns(duration)
#define cushim__environment(name, buffer, size) cushim__system_variable(name, buffer, size)
#define cushim__ignores_environment(name) cushim__system_ignores_environment(name)
#define cushim__process_was_forked() cushim__system_process_was_forked()
#define cushim__path_is_absolute(path) cushim__system_path_is_absolute(path)
#define cushim__path_is_same_file(one, other) cushim__system_path_is_same_file(one, other)
#define cushim__map_pages(size) cushim__system_map_pages(size)
#define cushim__unmap_pages(memory, size) cushim__system_unmap_pages(memory, size)
#define cushim__disable_cancellation() cushim__system_disable_cancellation()
#define cushim__restore_cancellation(former) cushim__system_restore_cancellation(former)

#endif
