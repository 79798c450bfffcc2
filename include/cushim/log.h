/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The log: messages that cushim cannot report by a return code.
 *
 * There are few: the first call of a symbol that the driver lacks, a question about a symbol that
 * does not exist, a stream's priority that the driver has clamped, a handle that could not be
 * destroyed, a current context that could not be restored after a call that had already failed. The
 * log is silent until the program asks for it; cushim itself writes to no file and no terminal.
 *
 * Unless a function says otherwise, any thread may call it; it needs no context and leaves the
 * current one alone; it calls no function of the driver. Since: 0.1.
 */
#ifndef CUSHIM_LOG_H
#define CUSHIM_LOG_H

#include <cushim/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A function that receives one message.
 *
 * cushim calls it on the thread that causes the message, inside a call of cushim. It must not call
 * cushim_log_set(), except in a child that it has forked, must not leave by longjmp() or an
 * exception, and should not call cushim or the driver. Several threads may call it at once.
 *
 * @param data     Pointer that was passed to cushim_log_set().
 * @param message  One line without its newline; borrowed for the call, never NULL.
 */
typedef void (*cushim_log_function)(void *data, const char *message);

/**
 * Receive cushim's messages from now on.
 *
 * cushim never calls a function with the data of another. When this call returns, the former
 * function is not running and will not be called again, so the program may free its data. The call
 * waits for a former function that is running, so do not hold a lock that it takes. In a forked
 * child, it does not wait for calls that began before the fork.
 *
 * @param function  Receives the messages; NULL: no messages, the state at program start.
 * @param data      Passed to `function`; NULL allowed. Borrowed until the next call.
 *
 * Thread safety: any thread; one of two concurrent calls takes effect.
 */
CUSHIM_API void cushim_log_set(cushim_log_function function, void *data);

#ifdef __cplusplus
}
#endif

#endif
