/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_LOADER_LOG_H
#define CUSHIM_LOADER_LOG_H

/* Write one line to the program's log (cushim/log.h); printf-like. */
#if defined(__GNUC__)
__attribute__((format(__printf__, 1, 2)))
#endif
void cushim__log(const char *format, ...);

/* In a forked child: forget the threads of the parent that were logging; none of them is here. */
void cushim__log_after_fork(void);

#endif
