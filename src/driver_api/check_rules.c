/* SPDX-License-Identifier: Apache-2.0 */
#include "src/driver_api/check_rules.h"

const char *const cushim__check_levels[] = {"advice", "warning", "error"};

const struct cushim__check_rule cushim__check_rules[CUSHIM__CHECK_IDS] = {
    /* --- handles --- */
    [CUSHIM__CHECK_CONTEXT_DESTROYED] =
        {
            .id = "CUSHIM-context-destroyed",
            .level = CUSHIM__CHECK_ERROR,
            .statements = "13, 16",
            .wrong = "A call is given a context that was destroyed.",
            .why = "The driver makes it current without an error, and later calls return 709, or "
                   "crash on freed memory.",
            .cure = "Destroy a context after the last call that names it.",
            .example = "cuCtxDestroy(context);\n"
                       "cuCtxSetCurrent(context);",
        },
    [CUSHIM__CHECK_STREAM_DESTROYED] =
        {
            .id = "CUSHIM-stream-destroyed",
            .level = CUSHIM__CHECK_ERROR,
            .statements = "78",
            .wrong = "A call is given a stream that was destroyed.",
            .why = "The driver crashes.",
            .cure = "Destroy a stream after the last call that names it; queued work is done all "
                    "the same.",
            .example = "cuStreamDestroy(stream);\n"
                       "cuStreamSynchronize(stream);",
        },
    [CUSHIM__CHECK_EVENT_DESTROYED] =
        {
            .id = "CUSHIM-event-destroyed",
            .level = CUSHIM__CHECK_ERROR,
            .statements = "78",
            .wrong = "A call is given an event that was destroyed.",
            .why = "The driver crashes or returns 709.",
            .cure = "Destroy an event after the last call that names it; streams that wait for it "
                    "go on waiting.",
            .example = "cuEventDestroy(event);\n"
                       "cuEventQuery(event);",
        },
    [CUSHIM__CHECK_MODULE_DESTROYED] =
        {
            .id = "CUSHIM-module-destroyed",
            .level = CUSHIM__CHECK_ERROR,
            .statements = "cuModuleUnload",
            .wrong = "A call is given a module or library that was unloaded, or a function of it.",
            .why = "The driver returns 400, or reads what it has freed.",
            .cure = "Unload a module after the last call that names it or a function of it.",
            .example = "cuModuleGetFunction(&function, module, \"add\");\n"
                       "cuModuleUnload(module);\n"
                       "cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL);",
        },
    [CUSHIM__CHECK_GRAPH_DESTROYED] =
        {
            .id = "CUSHIM-graph-destroyed",
            .level = CUSHIM__CHECK_ERROR,
            .statements = "cuGraphDestroy",
            .wrong = "A call is given a graph or an executable graph that was destroyed.",
            .why = "The driver returns 1, or reads what it has freed.",
            .cure = "Destroy a graph after the last call that names it. What was instantiated from "
                    "it lives on.",
            .example = "cuGraphExecDestroy(executable);\n"
                       "cuGraphLaunch(executable, stream);",
        },
    [CUSHIM__CHECK_HANDLE_DESTROYED] =
        {
            .id = "CUSHIM-handle-destroyed",
            .level = CUSHIM__CHECK_ERROR,
            .statements = "78",
            .wrong = "A call is given another object that was destroyed: an array, a texture, a "
                     "pool.",
            .why = "The driver may crash, return an error, or take another object that has the "
                   "same handle now.",
            .cure = "Destroy an object after the last call that names it.",
            .example = "cuMemPoolDestroy(pool);\n"
                       "cuMemAllocFromPoolAsync(&memory, 4096, pool, stream);",
        },
    [CUSHIM__CHECK_DESTROYED_TWICE] =
        {
            .id = "CUSHIM-destroyed-twice",
            .level = CUSHIM__CHECK_ERROR,
            .statements = "13, 78",
            .wrong = "An object is destroyed a second time.",
            .why = "The driver crashes, or destroys another object that has the same handle now.",
            .cure = "Let one place of the program own each object.",
            .example = "cuEventDestroy(event);\n"
                       "cuEventDestroy(event);",
        },
    [CUSHIM__CHECK_HANDLE_AFTER_CONTEXT] =
        {
            .id = "CUSHIM-handle-after-context",
            .level = CUSHIM__CHECK_ERROR,
            .statements = "17, 79",
            .wrong = "A call is given an object that was destroyed together with its context.",
            .why = "The driver returns 709, or 1 for memory, or crashes.",
            .cure = "Destroy the objects of a context before it.",
            .example = "cuEventCreate(&event, 0);\n"
                       "cuCtxDestroy(context);\n"
                       "cuEventDestroy(event);",
        },
    [CUSHIM__CHECK_HANDLE_KIND] =
        {
            .id = "CUSHIM-handle-kind",
            .level = CUSHIM__CHECK_ERROR,
            .statements = "78",
            .wrong = "A call is given an object of another kind than it takes.",
            .why = "The driver reads it as what it is not, and crashes or returns 201 or 709.",
            .cure = "Pass the handle of the kind that the parameter has.",
            .example = "cuEventQuery((CUevent)stream);",
        },
    [CUSHIM__CHECK_HANDLE_BEFORE_FORK] =
        {
            .id = "CUSHIM-handle-before-fork",
            .level = CUSHIM__CHECK_ERROR,
            .statements = "9",
            .wrong = "A child of a fork uses an object that its parent has made.",
            .why = "The driver does not work in the child of a process that has initialised it: "
                   "calls return 3, answer anything, or crash.",
            .cure = "Initialise CUDA after the fork, or start a new program.",
            .example = "cuEventCreate(&event, 0);\n"
                       "if (fork() == 0)\n"
                       "    cuEventQuery(event);",
        },

    /* --- contexts --- */
    [CUSHIM__CHECK_CONTEXT_NONE] =
        {
            .id = "CUSHIM-context-none",
            .level = CUSHIM__CHECK_WARNING,
            .statements = "14, 15",
            .wrong = "A call needs a current context, and the thread has none.",
            .why = "The driver returns 201. Which context is current is a matter of each thread.",
            .cure = "Call cuCtxSetCurrent in each thread that calls the driver.",
            .example = "/* in a new thread */\n"
                       "cuMemAlloc(&memory, 4096);",
        },
    [CUSHIM__CHECK_CONTEXT_OTHER] =
        {
            .id = "CUSHIM-context-other",
            .level = CUSHIM__CHECK_ERROR,
            .statements = "30, 31, 81, 164",
            .wrong = "An event is recorded, or a kernel launched, on a stream of another context.",
            .why = "The driver returns 400. A default stream is that of the current context.",
            .cure = "Make the object's context current, or use a stream that was made in it.",
            .example = "cuCtxSetCurrent(one);\n"
                       "cuEventCreate(&event, 0);\n"
                       "cuCtxSetCurrent(other);\n"
                       "cuEventRecord(event, NULL);",
        },
    [CUSHIM__CHECK_CONTEXT_ABI] =
        {
            .id = "CUSHIM-context-abi",
            .level = CUSHIM__CHECK_ERROR,
            .statements = "97",
            .wrong = "A call of CUDA's first ABI is made in a context of a later one, or the other "
                     "way round.",
            .why = "The driver returns 201, although a context is current.",
            .cure =
                "Look up each function by the name that cuda.h gives it, such as cuMemAlloc_v2; "
                "cuCtxCreate, too, which decides the ABI of the context.",
            .example = "alloc = dlsym(library, \"cuMemAlloc\");\n"
                       "alloc(&memory, 4096);",
        },
    [CUSHIM__CHECK_CONTEXT_PUSHED] =
        {
            .id = "CUSHIM-context-pushed",
            .level = CUSHIM__CHECK_ADVICE,
            .statements = "cuCtxPushCurrent",
            .wrong = "A context is pushed and never popped.",
            .why = "It stays current, and whoever called before finds another context than theirs.",
            .cure = "Pop what was pushed on every way out of a function.",
            .example = "cuCtxPushCurrent(context);\n"
                       "return;",
        },
    [CUSHIM__CHECK_PRIMARY_RELEASED] =
        {
            .id = "CUSHIM-primary-released",
            .level = CUSHIM__CHECK_ERROR,
            .statements = "10",
            .wrong = "A primary context is released more often than it was retained.",
            .why = "The driver returns 201; or, if another library has retained it, takes theirs.",
            .cure = "Release a primary context once for each time that it was retained.",
            .example = "cuDevicePrimaryCtxRetain(&context, 0);\n"
                       "cuDevicePrimaryCtxRelease(0);\n"
                       "cuDevicePrimaryCtxRelease(0);",
        },

    /* --- captures --- */
    [CUSHIM__CHECK_CAPTURE_UNSAFE] =
        {
            .id = "CUSHIM-capture-unsafe",
            .level = CUSHIM__CHECK_WARNING,
            .statements = "64, 129, 146, 179",
            .wrong = "A call is made that the mode of a capture forbids to this thread.",
            .why = "The driver returns 900, and what is captured is lost.",
            .cure =
                "Capture in the mode RELAXED, or in THREAD_LOCAL if another thread makes the call; "
                "or exchange this thread's mode around it (cuThreadExchangeStreamCaptureMode).",
            .example = "cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);\n"
                       "cuMemAlloc(&memory, 4096);",
        },
    [CUSHIM__CHECK_CAPTURE_WAIT] =
        {
            .id = "CUSHIM-capture-wait",
            .level = CUSHIM__CHECK_WARNING,
            .statements = "63, 64, 65",
            .wrong = "The host waits for a stream, an event or a context that is captured.",
            .why =
                "Nothing is executed yet. The driver returns 900 or 907, and what is captured is "
                "lost.",
            .cure = "End the capture, and wait for a launch of its graph.",
            .example = "cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED);\n"
                       "cuStreamSynchronize(stream);",
        },
    [CUSHIM__CHECK_CAPTURE_CALL] =
        {
            .id = "CUSHIM-capture-call",
            .level = CUSHIM__CHECK_WARNING,
            .statements = "58, 129, 146",
            .wrong = "A stream that is captured is given work which no graph can have.",
            .why = "The driver returns 900, and most often what is captured is lost.",
            .cure = "Make the call outside of the capture; cuLaunchHostFunc replaces "
                    "cuStreamAddCallback.",
            .example = "cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED);\n"
                       "cuStreamAddCallback(stream, callback, NULL, 0);",
        },
    [CUSHIM__CHECK_CAPTURE_LEGACY] =
        {
            .id = "CUSHIM-capture-legacy-stream",
            .level = CUSHIM__CHECK_WARNING,
            .statements = "61, 69, 129, 179",
            .wrong = "The legacy default stream is captured, or used while a stream that waits for "
                     "it is captured.",
            .why = "The driver returns 900 or 906, and what is captured is lost.",
            .cure = "Capture streams with CU_STREAM_NON_BLOCKING, and pass a stream to each call.",
            .example = "cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED);\n"
                       "cuMemcpyHtoD(memory, host, bytes);",
        },
    [CUSHIM__CHECK_CAPTURE_EVENT] =
        {
            .id = "CUSHIM-capture-event",
            .level = CUSHIM__CHECK_WARNING,
            .statements = "67, 68, 71",
            .wrong = "An event is used across the border of a capture: recorded outside and waited "
                     "for within, or the other way round.",
            .why = "The driver returns 905, 902 or 1, and a capture that is under way is lost.",
            .cure = "Use other events within a capture, or CU_EVENT_WAIT_EXTERNAL and "
                    "CU_EVENT_RECORD_EXTERNAL.",
            .example = "cuEventRecord(event, other);\n"
                       "cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED);\n"
                       "cuStreamWaitEvent(stream, event, 0);",
        },
    [CUSHIM__CHECK_CAPTURE_UNJOINED] =
        {
            .id = "CUSHIM-capture-unjoined",
            .level = CUSHIM__CHECK_WARNING,
            .statements = "68, 178",
            .wrong = "A capture ends before the work of a forked stream is joined.",
            .why = "The driver returns 904, and what is captured is lost.",
            .cure = "Record an event on the forked stream, and let the first one wait for it.",
            .example = "cuEventRecord(event, stream);\n"
                       "cuStreamWaitEvent(forked, event, 0);\n"
                       "cuMemsetD8Async(memory, 0, 16, forked);\n"
                       "cuStreamEndCapture(stream, &graph);",
        },
    [CUSHIM__CHECK_CAPTURE_END] =
        {
            .id = "CUSHIM-capture-end",
            .level = CUSHIM__CHECK_WARNING,
            .statements = "68, 70",
            .wrong = "A capture is ended on another stream, or in another thread, than it began.",
            .why = "The driver returns 903 or 908, and what is captured is lost.",
            .cure = "End it where it began. In the mode RELAXED any thread may.",
            .example = "cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);\n"
                       "/* in another thread */\n"
                       "cuStreamEndCapture(stream, &graph);",
        },
    [CUSHIM__CHECK_CAPTURE_LEFT] =
        {
            .id = "CUSHIM-capture-left",
            .level = CUSHIM__CHECK_WARNING,
            .statements = "64, 72",
            .wrong = "A capture is never ended.",
            .why = "Its work is never done, and it forbids calls to other threads until it ends, "
                   "also once it is lost.",
            .cure = "Call cuStreamEndCapture on every way out, after an error too.",
            .example = "cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED);\n"
                       "return 0;",
        },

    /* --- versions --- */
    [CUSHIM__CHECK_PROMISE_CALL] =
        {
            .id = "CUSHIM-promise-call",
            .level = CUSHIM__CHECK_WARNING,
            .statements = "5, 48",
            .wrong = "A function is called that is newer than the version of --promise.",
            .why = "A driver of that version does not have it.",
            .cure = "Call the function only if the driver has it, and have another way.",
            .example = "/* --promise 12.2 */\n"
                       "cuStreamGetDevice(stream, &device);",
        },
    [CUSHIM__CHECK_PROMISE_LOOKUP] =
        {
            .id = "CUSHIM-promise-lookup",
            .level = CUSHIM__CHECK_ADVICE,
            .statements = "5",
            .wrong =
                "A function is looked up that is newer than the version of --promise, or called "
                "though an older one does the same.",
            .why = "A driver of that version answers that there is none.",
            .cure = "Have another way where it is not found, or call the older function.",
            .example = "/* --promise 12.2 */\n"
                       "cuGetProcAddress(\"cuEventElapsedTime\", &function, 12080, 0, NULL);",
        },

    /* --- memory --- */
    [CUSHIM__CHECK_MEMORY_FREED] =
        {
            .id = "CUSHIM-memory-freed",
            .level = CUSHIM__CHECK_ERROR,
            .statements = "cuMemFree",
            .wrong = "A copy or set names device memory that was freed.",
            .why = "The driver returns 1, or writes into another allocation that lies there now.",
            .cure = "Free memory after the last call that names it.",
            .example = "cuMemFree(memory);\n"
                       "cuMemsetD8(memory, 0, 4096);",
        },
    [CUSHIM__CHECK_MEMORY_FREED_TWICE] =
        {
            .id = "CUSHIM-memory-freed-twice",
            .level = CUSHIM__CHECK_ERROR,
            .statements = "cuMemFree",
            .wrong = "Memory is freed a second time.",
            .why = "The driver returns 1, or frees another allocation that lies there now.",
            .cure = "Let one place of the program own each allocation.",
            .example = "cuMemFree(memory);\n"
                       "cuMemFree(memory);",
        },
    [CUSHIM__CHECK_MEMORY_BOUNDS] =
        {
            .id = "CUSHIM-memory-bounds",
            .level = CUSHIM__CHECK_ERROR,
            .statements = "cuMemcpy",
            .wrong = "A copy or set goes beyond the end of the allocation that it begins in.",
            .why = "The driver returns 1, or writes into the allocation behind it.",
            .cure = "Compare offset and size with what was allocated; count bytes, not elements.",
            .example = "cuMemAlloc(&memory, 1024);\n"
                       "cuMemsetD32(memory, 0, 1024);",
        },
    [CUSHIM__CHECK_HOST_UNREGISTERED_TWICE] =
        {
            .id = "CUSHIM-host-unregistered-twice",
            .level = CUSHIM__CHECK_WARNING,
            .statements = "cuMemHostUnregister",
            .wrong = "Host memory is unregistered a second time.",
            .why = "The driver returns 713.",
            .cure = "Unregister memory once for each time that it was registered.",
            .example = "cuMemHostUnregister(buffer);\n"
                       "cuMemHostUnregister(buffer);",
        },

    [CUSHIM__CHECK_HOST_MEMORY_USED] =
        {
            .id = "CUSHIM-host-memory-used",
            .level = CUSHIM__CHECK_WARNING,
            .statements = "94",
            .wrong = "Page-locked memory is freed or unregistered while a copy may use it.",
            .why = "The driver happens to wait for all work of the context there; its reference "
                   "does not say so.",
            .cure = "Wait for the stream, or for an event behind the copy, before the memory ends.",
            .example = "cuMemcpyDtoHAsync(host, device, bytes, stream);\n"
                       "cuMemFreeHost(host);",
        },
    [CUSHIM__CHECK_POOL_MEMORY_USED] =
        {
            .id = "CUSHIM-pool-memory-used",
            .level = CUSHIM__CHECK_ERROR,
            .statements = "125",
            .wrong = "cuMemFree is given memory of a pool that work on the device may use.",
            .why = "It returns at once, and the next allocation may get the memory.",
            .cure = "Free it with cuMemFreeAsync on the stream of the work, or wait first.",
            .example = "cuMemAllocAsync(&memory, bytes, stream);\n"
                       "cuMemsetD8Async(memory, 0, bytes, stream);\n"
                       "cuMemFree(memory);",
        },
    [CUSHIM__CHECK_COPY_PAGEABLE] =
        {
            .id = "CUSHIM-copy-pageable",
            .level = CUSHIM__CHECK_ADVICE,
            .statements = "110, 111",
            .wrong = "An asynchronous copy is given pageable host memory.",
            .why = "It goes through a buffer of the driver's: a copy to such memory waits, and so "
                   "does a large one from it.",
            .cure = "Allocate the memory with cuMemAllocHost, or register it.",
            .example = "char *host = malloc(bytes);\n"
                       "cuMemcpyDtoHAsync(host, device, bytes, stream);",
        },
    /* --- order and errors --- */
    [CUSHIM__CHECK_RACE] =
        {
            .id = "CUSHIM-race",
            .level = CUSHIM__CHECK_ERROR,
            .statements = "55, 113, 117",
            .wrong = "Two copies, sets, allocations or frees use the same memory, one writes it, "
                     "and nothing orders them.",
            .why = "The driver executes them in either order, or at the same time.",
            .cure = "Record an event behind the first and let the other's stream wait for it; or "
                    "wait for the first on the host.",
            .example = "cuMemsetD8Async(memory, 0, bytes, one);\n"
                       "cuMemcpyDtoHAsync(host, memory, bytes, other);",
        },
    [CUSHIM__CHECK_EVENT_TIME] =
        {
            .id = "CUSHIM-event-time",
            .level = CUSHIM__CHECK_WARNING,
            .statements = "35, 36, 43, 71",
            .wrong = "The time is asked of an event that has none.",
            .why = "The driver returns 400, or 1 for an event of a capture, and writes no time.",
            .cure = "Create both events in one context and without CU_EVENT_DISABLE_TIMING, and "
                    "record both.",
            .example = "cuEventCreate(&end, CU_EVENT_DISABLE_TIMING);\n"
                       "cuEventElapsedTime(&ms, start, end);",
        },
    [CUSHIM__CHECK_ERROR_STICKY] =
        {
            .id = "CUSHIM-error-sticky",
            .level = CUSHIM__CHECK_ERROR,
            .statements = "34",
            .wrong = "Work on the device has failed, and a later call answers for it.",
            .why = "The context is lost, and every call that follows answers the same.",
            .cure = "Look at the work that is listed, not at the call; a wait behind each launch "
                    "shows which it is.",
            .example = "cuLaunchKernel(writes_to_null, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL);\n"
                       "cuStreamSynchronize(stream);",
        },
    [CUSHIM__CHECK_ERROR_REPEATED] =
        {
            .id = "CUSHIM-error-repeated",
            .level = CUSHIM__CHECK_ADVICE,
            .statements = "34",
            .wrong = "Calls after a sticky error have only repeated it.",
            .why = "They did nothing.",
            .cure = "End the process, or what uses the device, with the first such error.",
            .example = "cuStreamSynchronize(stream);\n"
                       "cuMemAlloc(&memory, bytes);",
        },
    [CUSHIM__CHECK_ERROR_IGNORED] =
        {
            .id = "CUSHIM-error-ignored",
            .level = CUSHIM__CHECK_ADVICE,
            .statements = "15",
            .wrong = "A call is given what an earlier one has failed to make.",
            .why = "It fails, too, and its code does not say why.",
            .cure = "Look at the code of the call that makes the object.",
            .example = "cuMemAlloc(&memory, (size_t)-1);\n"
                       "cuMemsetD8(memory, 0, 16);",
        },
    [CUSHIM__CHECK_HOST_FUNCTION_CALLS] =
        {
            .id = "CUSHIM-host-function-calls",
            .level = CUSHIM__CHECK_ERROR,
            .statements = "57, 82",
            .wrong = "A host function, or a callback of a stream, calls the driver.",
            .why = "The driver refuses the call, or never returns.",
            .cure = "Let the host function wake a thread of the program, and call from there.",
            .example = "void run(void *data) { cuMemAlloc(data, 16); }\n"
                       "cuLaunchHostFunc(stream, run, &memory);",
        },
    /* --- leaks --- */
    [CUSHIM__CHECK_LEAK_CONTEXT] =
        {
            .id = "CUSHIM-leak-context",
            .level = CUSHIM__CHECK_WARNING,
            .statements = "10",
            .wrong = "A context, or a reference on a primary context, is left at the end.",
            .why = "It keeps its memory on the device until the process ends.",
            .cure = "Destroy each context, and release each primary context as often as it was "
                    "retained.",
            .example = "cuDevicePrimaryCtxRetain(&context, 0);\n"
                       "return 0;",
        },
    [CUSHIM__CHECK_LEAK_STREAM] =
        {
            .id = "CUSHIM-leak-stream",
            .level = CUSHIM__CHECK_WARNING,
            .statements = "cuStreamCreate",
            .wrong = "A stream is left at the end.",
            .why = "It stays until its context is destroyed.",
            .cure = "Destroy each stream that was created.",
            .example = "cuStreamCreate(&stream, 0);\n"
                       "return 0;",
        },
    [CUSHIM__CHECK_LEAK_EVENT] =
        {
            .id = "CUSHIM-leak-event",
            .level = CUSHIM__CHECK_WARNING,
            .statements = "21",
            .wrong = "An event is left at the end.",
            .why = "It stays until its context is destroyed.",
            .cure = "Destroy each event that was created.",
            .example = "cuEventCreate(&event, 0);\n"
                       "return 0;",
        },
    [CUSHIM__CHECK_LEAK_MODULE] =
        {
            .id = "CUSHIM-leak-module",
            .level = CUSHIM__CHECK_WARNING,
            .statements = "cuModuleLoadData",
            .wrong = "A module or library is left at the end.",
            .why = "Its code and variables stay on the device until its context is destroyed.",
            .cure = "Unload each module that was loaded.",
            .example = "cuModuleLoad(&module, \"kernels.ptx\");\n"
                       "return 0;",
        },
    [CUSHIM__CHECK_LEAK_MEMORY] =
        {
            .id = "CUSHIM-leak-memory",
            .level = CUSHIM__CHECK_WARNING,
            .statements = "cuMemAlloc",
            .wrong = "Memory is left at the end.",
            .why = "It stays allocated until its context is destroyed.",
            .cure = "Free each allocation.",
            .example = "cuMemAlloc(&memory, 4096);\n"
                       "return 0;",
        },
    [CUSHIM__CHECK_LEAK_OBJECT] =
        {
            .id = "CUSHIM-leak-object",
            .level = CUSHIM__CHECK_WARNING,
            .statements = "cuGraphCreate",
            .wrong = "An object of another kind is left at the end: a graph, an array, a pool.",
            .why = "It stays until the process ends.",
            .cure = "Destroy each object that was created.",
            .example = "cuGraphCreate(&graph, 0);\n"
                       "return 0;",
        },
};

enum cushim__check_id cushim__check_of_destroyed(enum cushim__object_type type)
{
    switch (type) {
    case CUSHIM__TYPE_CONTEXT:
    case CUSHIM__TYPE_GREEN_CONTEXT:
        return CUSHIM__CHECK_CONTEXT_DESTROYED;
    case CUSHIM__TYPE_STREAM:
        return CUSHIM__CHECK_STREAM_DESTROYED;
    case CUSHIM__TYPE_EVENT:
        return CUSHIM__CHECK_EVENT_DESTROYED;
    case CUSHIM__TYPE_MODULE:
    case CUSHIM__TYPE_FUNCTION:
    case CUSHIM__TYPE_LIBRARY:
    case CUSHIM__TYPE_KERNEL:
        return CUSHIM__CHECK_MODULE_DESTROYED;
    case CUSHIM__TYPE_GRAPH:
    case CUSHIM__TYPE_NODE:
    case CUSHIM__TYPE_EXEC:
        return CUSHIM__CHECK_GRAPH_DESTROYED;
    default:
        return CUSHIM__CHECK_HANDLE_DESTROYED;
    }
}

bool cushim__check_id_read(const struct cushim__word *word, enum cushim__check_id *id)
{
    for (unsigned i = 0; i < CUSHIM__CHECK_IDS; i++) {
        if (cushim__word_is(word, cushim__check_rules[i].id)) {
            *id = (enum cushim__check_id)i;
            return true;
        }
    }
    return false;
}
