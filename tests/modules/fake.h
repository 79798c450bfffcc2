/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small strict driver inside the test, in the place of the real one.
 *
 * Answers as docs/driver-semantics.md says, on two devices; what no statement covers it does not
 * have. Using a handle that was destroyed, destroying one twice and destroying one that belongs to
 * somebody else end the test program with a message. It counts calls, remembers their order, and
 * fails those that a test asks it to fail.
 *
 *   fake.c          the table, the failing and counting of calls, what is alive, the sweep
 *   fake_device.c   devices
 *   fake_context.c  contexts, the stack of each thread
 *   fake_primary.c  primary contexts
 *   fake_context_settings.c  what is asked of and done to a context
 *   fake_stream.c   streams and what they are like
 *   fake_work.c     what streams have to do: waits, host functions, memory operations
 *   fake_capture.c  capture, and the graphs that come of it
 *   fake_event.c    events, their times, sharing them
 *
 * Each file has a list of its functions; a function begins with fake_call(), and returns what that
 * answers unless it is CUDA_SUCCESS:
 *
 *     static CUresult CUDAAPI event_query(CUevent handle)
 *     {
 *         const CUresult code = fake_call("cuEventQuery");
 *         if (code)
 *             return code;
 *         ...
 *
 * One that destroys does its work first and returns the code at the end: a destroy that reports an
 * earlier error has destroyed even so.
 */
#ifndef CUSHIM_TESTS_MODULES_FAKE_H
#define CUSHIM_TESTS_MODULES_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/driver.h>

/* --- for tests: cmocka's fixtures --- */

/* Install the fake as the table of cushim_driver(), with nothing alive and no context current. */
int fake_setup(void **state);

/* fake_assert_clean(), then forget everything. */
int fake_teardown(void **state);

/*
 * Nothing that was created is left, and the calling thread's contexts are as fake_enter() left
 * them. Foreign handles do not count.
 */
void fake_assert_clean(void);

/* --- for tests: counting --- */

/* Calls of a function since fake_forget(); NULL: of all. */
unsigned fake_calls(const char *function);

/* Names of the calls since fake_forget() in their order, with one blank between them. */
const char *fake_order(void);

void fake_forget(void);

/*
 * Objects that cushim has created and not destroyed, those included that are gone with their
 * context.
 */
enum fake_kind { FAKE_CONTEXT, FAKE_PRIMARY, FAKE_STREAM, FAKE_EVENT, FAKE_GRAPH, FAKE_KINDS };
unsigned fake_live(enum fake_kind kind);

/* --- for tests: failing --- */

/*
 * From now on, let the `nth` (1, 2, ...) call of `function` (NULL: of all together) answer `code`.
 * Once, or it and all after it. There is one such order at a time.
 */
void fake_fail(const char *function, unsigned nth, CUresult code);
void fake_fail_from(const char *function, unsigned nth, CUresult code);
void fake_fail_no_more(void);

/* The function that the last order made fail; NULL if it has not come to that. */
const char *fake_failed(void);

/*
 * Let the driver not have a symbol, so that its slot answers 36, or its fallback takes over. Until
 * the test's end.
 */
void fake_lack(const char *symbol);

/*
 * Run `body` with its 1st, 2nd, ... driver call failing until it passes untouched, and that for
 * more than one code. The body returns the first code other than CUDA_SUCCESS that it saw, and has
 * released all it made. After each run: the code is the injected one, nothing is left alive,
 * and the thread's contexts are as they were. Calls of the functions in `unreported` (ends with
 * NULL; may be NULL) may fail without the body learning of it.
 *
 * Returns how many driver calls the body makes.
 */
unsigned fake_sweep(CUresult (*body)(void *data), void *data, const char *const *unreported);

/* --- for tests: contexts (none of these counts as a call) --- */

enum { FAKE_DEVICES = 2 };

/* A context that belongs to somebody else. */
CUcontext fake_foreign_context(CUdevice device);

/*
 * Push a context on the calling thread's stack, or NULL for an empty stack, as the test's own: that
 * is how fake_assert_clean() wants it to be.
 */
void fake_enter(CUcontext handle);

CUcontext fake_current(void);
unsigned fake_depth(void);

/* Pop without the cushim library, for tests that meddle. */
CUcontext fake_pop(void);

/* From now on every call that uses the context answers `code` (driver semantics, statement 34). */
void fake_break_context(CUcontext handle, CUresult code);

/* References on a device's primary context. */
unsigned fake_primary_references(CUdevice device);

/*
 * Devices: how many there are, FAKE_DEVICES at most; an attribute's value, -1 for a driver that
 * does not know it.
 */
void fake_device_count(int count);
void fake_device_attribute(CUdevice device, int attribute, int value);

/* --- for tests: streams --- */

/* A stream that belongs to somebody else, in a context. */
CUstream fake_foreign_stream(CUcontext context, unsigned flags);

/*
 * Let the work of a stream (also of a default one, in a context) not end until fake_stream_go(), or
 * until it has been looked at `looks` times; FAKE_FOREVER: fake_stream_go() only. A call that
 * blocks on it lets it go.
 */
#define FAKE_FOREVER (~0u)
void fake_stream_hold(CUcontext context, CUstream handle, unsigned looks);
void fake_stream_go(CUcontext context, CUstream handle);

/* --- for tests: events --- */

/* An event that belongs to somebody else, in a context. */
CUevent fake_foreign_event(CUcontext context, unsigned flags);

/* What another process sent that exported an event. */
CUipcEventHandle fake_ipc_handle(void);

/* Let the virtual clock go on, which starts at 0 and else stands still. */
void fake_advance_ns(uint64_t duration_ns);

/* --- for the fake's own files --- */

/* One function of the fake, with the type of its slot checked by the compiler. */
struct fake_function {
    const char *symbol;
    cushim_function function;
    size_t checked;
};
#define FAKE_FUNCTION(slot, f)                                                                     \
    {                                                                                              \
        "cu" #slot, (cushim_function)(f),                                                          \
            sizeof(char[__builtin_types_compatible_p(__typeof__(&(f)),                             \
                                                     __typeof__(((struct cushim_table *)0)->slot)) \
                            ? 1                                                                    \
                            : -1])                                                                 \
    }
#define FAKE_END      \
    {                 \
        NULL, NULL, 0 \
    }
extern const struct fake_function fake_device_functions[];
extern const struct fake_function fake_context_functions[];
extern const struct fake_function fake_primary_functions[];
extern const struct fake_function fake_context_settings_functions[];
extern const struct fake_function fake_stream_functions[];
extern const struct fake_function fake_work_functions[];
extern const struct fake_function fake_capture_functions[];
extern const struct fake_function fake_event_functions[];

/*
 * A handle points to one of these, as the first member of its kind's struct. None is freed before
 * the test ends, so no address comes twice.
 */
struct fake_object {
    enum fake_kind kind;
    enum { FAKE_ALIVE, FAKE_DESTROYED, FAKE_GONE /* with its context */ } life;
    bool foreign;
    struct fake_context *context;
    struct fake_object *next;
};

struct fake_context {
    struct fake_object object;
    CUdevice device;
    unsigned flags;
    unsigned long long id;
    CUresult broken;  /* what every use of it answers; CUDA_SUCCESS: it works */
    size_t limits[8]; /* by CUlimit */
    CUfunc_cache cache;
    CUcontext peers[8];              /* whose memory it may use */
    struct fake_stream *defaults[2]; /* the legacy and the per-thread default stream */
};

/* Something that a stream has to do before what comes after it. */
struct fake_work {
    enum {
        FAKE_WAIT_STREAM,
        FAKE_WAIT_VALUE,
        FAKE_WRITE_VALUE,
        FAKE_FUNCTION_CALL,
        FAKE_CALLBACK
    } what;
    struct fake_stream *stream; /* to wait for */
    void *address;
    uint64_t value;
    unsigned bytes, flags;
    CUhostFn function;
    CUstreamCallback callback;
    void *data;
};

struct fake_stream {
    struct fake_object object;
    CUstream handle; /* itself, or the special handle of a default stream */
    unsigned flags;
    int priority;
    unsigned long long id;
    CUsynchronizationPolicy policy;
    CUaccessPolicyWindow window;
    bool held;      /* its work does not end */
    unsigned looks; /* how many more looks it is held for */
    struct fake_work work[16];
    unsigned work_count;
    CUstreamCaptureStatus capture;
    CUstreamCaptureMode capture_mode;
    unsigned long long capture_id;
    struct fake_stream *origin; /* where its capture was begun; NULL: by a test, here */
    const void *thread;         /* which began it; NULL: any */
    bool joined;                /* another stream of the capture waits for it */
};

struct fake_event {
    struct fake_object object;
    unsigned flags;
    bool recorded;
    bool imported;
    struct fake_stream *stream;    /* where it was recorded; pending while that is held */
    bool captured;                 /* recorded in a capture ... */
    unsigned long long capture_id; /* ... of this number, over or not */
    uint64_t time_ns;
};

/* Note a call; what it is to answer, CUDA_SUCCESS to go on. */
CUresult fake_call(const char *function);

/* A new object of a kind, alive and of the context; never NULL. */
void *fake_new(size_t size, enum fake_kind kind, struct fake_context *context);

/*
 * The object behind a handle that is not NULL. Ends the program if there never was one of this kind
 * or it is destroyed; one that is gone with its context is returned.
 */
void *fake_find(enum fake_kind kind, const void *handle, const char *function);

/*
 * Destroy an object; what that answers: 709 if it is gone with its context, the sticky code of a
 * broken one, or 0. Ends the program if destroying it is not cushim's to do.
 */
CUresult fake_end(struct fake_object *object, const char *function);

/* Call `visit` for all objects of a kind. */
void fake_each(enum fake_kind kind, void (*visit)(struct fake_object *object, void *data),
               void *data);

/* End the program with a message: the code under test did what no driver forgives. */
#if defined(__GNUC__)
__attribute__((noreturn, format(__printf__, 1, 2)))
#endif
void fake_violation(const char *format, ...);

/*
 * Contexts among themselves. fake_find_context() also ends the program for a primary context that
 * nobody has a reference on.
 */
struct fake_context *fake_context_new(CUdevice device, unsigned flags);
struct fake_context *fake_find_context(CUcontext handle, const char *function);
void fake_end_children(struct fake_context *context);
bool fake_is_primary(const struct fake_context *context);
bool fake_is_device(CUdevice device);
bool fake_are_flags(unsigned flags);

/* What using an object of a context answers: 709, the sticky code of a broken one, or 0. */
CUresult fake_use(const struct fake_object *object);

/* The calling thread's current context and what using it answers: 201 if there is none. */
CUresult fake_use_current(struct fake_context **context);

/*
 * The stream behind any handle, NULL and the special ones included: those are the current
 * context's, and `*stream` NULL with 201 if there is none.
 */
CUresult fake_use_stream(CUstream handle, struct fake_stream **stream, const char *function);

/* Begin a call that uses a stream: fake_call(), then fake_use_stream(). */
CUresult fake_begin_stream(const char *function, CUstream handle, struct fake_stream **stream);

/* Whether a stream's work goes on; a look. Blocking on it ends it, also what a test holds up. */
bool fake_stream_pending(struct fake_stream *stream);
void fake_stream_finish(struct fake_stream *stream);

/*
 * What asking whether a stream is done, or waiting for that, answers for captures (statements 64,
 * 65, 69); and what giving it work answers, with `captured` for work that goes into a graph.
 */
CUresult fake_capture_look(struct fake_stream *stream);
CUresult fake_capture_work(struct fake_stream *stream, bool *captured);

/* The same for waiting for an event, which may make the stream join a capture (67, 68, 71). */
CUresult fake_capture_wait(struct fake_stream *stream, struct fake_event *event, unsigned flags,
                           bool *captured);

uint64_t fake_now_ns(void);

/* Set each part back to how a test begins; called by fake_setup(). */
void fake_device_reset(void);
void fake_context_reset(void);
void fake_primary_reset(void);
void fake_stream_reset(void);
void fake_capture_reset(void);
void fake_event_reset(void);

/* The calling thread's contexts against what fake_enter() left; the sweep puts one too many off. */
bool fake_stack_is_as_entered(void);
void fake_stack_put_back(void);

#endif
