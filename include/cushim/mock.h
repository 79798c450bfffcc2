/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The mock driver: a simulated CUDA driver with the semantics of the real one, for machines without
 * a GPU.
 *
 * Link with `libcushim-mock` (pkg-config `cushim-mock`, Meson dependency `cushim-mock`). Create a
 * mock, then let the program reach it in one of two ways: cushim_mock_install() makes its table
 * the one that cushim_driver() answers; cushim_mock_symbol() as the resolver of cushim_load()
 * exercises loading, versions and missing symbols too. Programs that cannot be relinked run on the
 * shared library of the mock: `cushim run -- PROGRAM`.
 *
 * What the mock does not implement answers CUDA_ERROR_NOT_SUPPORTED and is logged by name; see
 * docs/mock.md. A handle that was destroyed or never existed answers CUDA_ERROR_INVALID_HANDLE and
 * is a violation, which cushim_mock_destroy() reports.
 *
 * One mock exists at a time in a process: the functions of a driver have no parameter that could
 * tell two apart.
 */
#ifndef CUSHIM_MOCK_H
#define CUSHIM_MOCK_H

#include <stddef.h>
#include <stdint.h>

#include <cushim/api.h>
#include <cushim/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A mock driver. */
struct cushim_mock;

/** How to create a mock. Zero and NULL mean the defaults. */
struct cushim_mock_options {
    /** sizeof(struct cushim_mock_options). */
    size_t size;
    /** Settings, lines of `key = value` as in docs/mock.md; borrowed for the call. NULL: none. */
    const char *settings;
    /** File of settings, read before `settings`; borrowed for the call. NULL: none. */
    const char *file;
    /** Receives why the settings were refused, with file, line and column. NULL: nowhere. */
    char *message;
    /** Size of `message` in bytes. */
    size_t message_size;
};

/** What a mock has come to. */
struct cushim_mock_state {
    /** sizeof(struct cushim_mock_state), set by the caller. */
    size_t size;
    /** The virtual clock, in nanoseconds since the mock was created. */
    uint64_t now_ns;
    /** Operations that are queued or under way. */
    size_t pending;
    /** Operations executed so far. */
    uint64_t executed;
    /** Calls into the mock so far. */
    uint64_t calls;
    /** Violations so far: uses of handles that were destroyed or never existed, and the like. */
    size_t violations;
    /** Contexts, streams, events, modules and graphs that the program created and not destroyed. */
    size_t handles;
    /** Device and page-locked host allocations that are not freed. */
    size_t allocations;
    /** Device memory in use, in bytes. */
    size_t memory_bytes;
    /** Races found so far: see cushim/mock_race.h. */
    size_t races;
};

/**
 * Create a mock driver.
 *
 * @param options  Borrowed for the call; NULL: the defaults.
 * @param mock     Receives the mock, owned by the caller; untouched on failure.
 *
 * @return CUDA_SUCCESS                 The mock exists; no program reaches it yet.
 * @return CUDA_ERROR_INVALID_VALUE     `mock` is NULL, `options` has a bad size, or a setting is
 *                                      refused: `options->message` says which and why.
 * @return CUDA_ERROR_FILE_NOT_FOUND    `options->file` cannot be read.
 * @return CUDA_ERROR_OUT_OF_MEMORY     Memory ran out.
 * @return CUDA_ERROR_ALREADY_ACQUIRED  There is a mock in this process.
 *
 * Thread safety: any thread.
 * Context: needs none.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_mock_create(const struct cushim_mock_options *options,
                                       struct cushim_mock **mock);

/**
 * Destroy a mock, with whatever the program left in it. Queued work is dropped, host functions
 * under way are waited for. An installed table is put back.
 *
 * @param mock  NULL is a no-op. No call into it may be under way.
 *
 * @return CUDA_SUCCESS              The mock is gone.
 * @return CUDA_ERROR_ILLEGAL_STATE  The mock is gone, and it had seen violations: assert on this in
 *                                   the teardown of a test, and read them before with
 *                                   cushim_mock_violation().
 *
 * Thread safety: one thread, once.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_mock_destroy(struct cushim_mock *mock);

/**
 * The mock of this process; NULL: there is none. For programs that run on the shared library of the
 * mock, where nobody else tells them. Any thread.
 */
CUSHIM_API struct cushim_mock *cushim_mock_current(void);

/**
 * The mock's table: every slot is filled. What a driver of the mock's version lacks answers
 * CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER. Valid until the mock is destroyed. Any thread.
 */
CUSHIM_API const struct cushim_table *cushim_mock_table(const struct cushim_mock *mock);

/**
 * Make the mock's table the one that cushim_driver() answers. cushim_mock_destroy() undoes it.
 *
 * @return CUDA_SUCCESS              The table is current.
 * @return CUDA_ERROR_INVALID_VALUE  `mock` is NULL.
 * @return any other code            cushim_table_install()'s, unchanged.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_mock_install(struct cushim_mock *mock);

/**
 * Find a symbol of the mock by its exported name: a cushim_resolver. What the driver of the
 * mock's version does not export is not found.
 *
 * @param symbol  Exported name, as `cuEventElapsedTime_v2`; borrowed for the call.
 * @param mock    The mock.
 * @return        The function, or NULL.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API cushim_function cushim_mock_symbol(const char *symbol, void *mock);

/**
 * Read the state of a mock. Bytes of `state` beyond what this library knows are left alone.
 *
 * @return CUDA_SUCCESS              `state` is filled.
 * @return CUDA_ERROR_INVALID_VALUE  An argument is NULL or `state->size` is too small.
 *
 * Thread safety: any thread.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_mock_state_get(struct cushim_mock *mock,
                                          struct cushim_mock_state *state);

/**
 * The text of a violation, in the order in which they were seen; NULL if there are fewer. Valid
 * until the mock is destroyed. The first 64 are kept, all are counted. Any thread.
 */
CUSHIM_API const char *cushim_mock_violation(struct cushim_mock *mock, size_t index);

/**
 * Where the mock's log goes: a line for each function that it refuses, at the first call of it, one
 * for each function of a superseded ABI (table.h), likewise, and one for each violation and each
 * race. On Linux also one when the system refuses to seal what
 * cuIpcGetMemHandle or cuIpcGetEventHandle is to share.
 *
 * @param mock  The mock.
 * @param log   Receives a line without a newline, valid for the call; it must not call into the
 *              mock. NULL: nowhere (the default).
 * @param data  Passed on to `log`.
 *
 * Thread safety: any thread; `log` is called by one thread at a time.
 * Since: 0.1.
 */
CUSHIM_API void cushim_mock_log_set(struct cushim_mock *mock,
                                    void (*log)(void *data, const char *line), void *data);

/**
 * One line that says that this is a mock, its version and its configuration. A driver that exports
 * this symbol is a mock; the real one does not. Valid until the same thread calls it again. Any
 * thread.
 */
CUSHIM_API const char *cushim_mock_identity(void);

#ifdef __cplusplus
}
#endif

#endif
