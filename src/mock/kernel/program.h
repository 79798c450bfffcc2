/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs, which src/mock/ptx makes of PTX text, and their launches: they are executed, a warp of
 * 32 lanes at a time, with the results of a GPU.
 *
 * Nothing here knows streams, contexts or the driver. Whoever launches gives the memory, the clock
 * and its caller as a table of functions (`struct ptx_callbacks`). Nothing here locks: a
 * program may be used by several threads at once after cushim__ptx_link(), a launch by one at a
 * time.
 */
#ifndef CUSHIM_MOCK_KERNEL_PROGRAM_H
#define CUSHIM_MOCK_KERNEL_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- programs --- */

enum ptx_linkage { PTX_LOCAL, PTX_VISIBLE, PTX_WEAK, PTX_EXTERN };

struct ptx_parameter {
    size_t offset, bytes, alignment;
};

struct ptx_kernel {
    const char *name;
    unsigned part;     /* the text that it is in */
    uint32_t function; /* its index in the program */
    bool defined;      /* otherwise it is only declared */
    size_t parameter_count;
    const struct ptx_parameter *parameters;
    size_t parameter_bytes; /* the end of the last one */
    /* From the directives; 0: not given. `max_threads` is the product of .maxntid or .reqntid. */
    unsigned max_threads, required_block[3], min_blocks, required_cluster[3];
    size_t own_shared_bytes; /* shared memory that its body declares */
    size_t shared_bytes;     /* static shared memory of the kernel and of all that it calls */
    size_t local_bytes;      /* local memory of a thread, without recursion */
    unsigned registers;      /* 32-bit registers of a thread, at most 255: an estimate */
    bool prints, allocates;  /* it or what it calls has calls of vprintf(); of malloc() or free() */
    /*
     * Why the kernel cannot be executed: it contains or calls what is not implemented. Launches
     * are refused with this text, which names the instruction; NULL: it can be executed.
     */
    const char *refused;
    unsigned refused_part, refused_line;
};

/* Where an initial value holds an address, or one byte of it. */
struct ptx_address {
    size_t offset;
    unsigned bytes;   /* 8 or 1 */
    unsigned shift;   /* of one byte: the address is shifted right by so many bits */
    bool of_function; /* `value` is the value to store */
    uint64_t value;   /* otherwise this is added to the address of the variable `global` */
    size_t global;    /* an index in the module's `globals` */
};

/* A .global or .const variable. Variables with the same name in several texts are one. */
struct ptx_global {
    const char *name;
    unsigned part;
    /*
     * PTX_EXTERN after cushim__ptx_link(): no text defines it. The launcher gives it an address
     * like any other, or refuses the module.
     */
    enum ptx_linkage linkage;
    bool of_body;   /* declared in a function: nobody else can name it */
    bool constant;  /* .const */
    bool managed;   /* .attribute(.managed) */
    bool reference; /* a texture, surface or sampler reference: no memory */
    size_t bytes, alignment;
    const unsigned char *initial; /* `bytes` of them; NULL: zeros */
    size_t address_count;
    const struct ptx_address *addresses;
};

struct ptx_module {
    size_t kernel_count, global_count;
    const struct ptx_kernel *kernels;
    const struct ptx_global *globals;
    unsigned part, version, target; /* of the last text: its number, 83 for 8.3, 90 for sm_90 */
    struct ptx_program *program;
};

/* The index of a kernel; SIZE_MAX: there is none. */
size_t cushim__ptx_find_kernel(const struct ptx_module *module, const char *name);

/* --- launches --- */

/* Memory as the host sees it: `bytes` bytes from `start` are at `host`. */
struct ptx_range {
    uint64_t start, bytes;
    unsigned char *host;
    bool read_only;
};

enum ptx_use { PTX_READ, PTX_WRITE, PTX_ATOMIC };
enum ptx_space { PTX_GENERIC, PTX_GLOBAL, PTX_SHARED, PTX_LOCAL_SPACE, PTX_PARAM, PTX_CONST };

/* One access of one thread, for the race detector: only to global and shared memory. */
struct ptx_access {
    enum ptx_use use;
    enum ptx_space space; /* PTX_GLOBAL, or PTX_SHARED (`address` is an offset in the block's) */
    uint64_t address;
    unsigned bytes;
    uint32_t block, thread; /* linear */
    uint32_t phase;         /* how many barriers the thread has passed with its whole block */
    unsigned line;          /* of the PTX text */
};

/* Two accesses of one launch to the same bytes that nothing orders. */
struct ptx_race {
    enum ptx_space space; /* as in struct ptx_access */
    uint64_t address;
    unsigned bytes; /* of the later one */
    struct ptx_race_side {
        enum ptx_use use;
        bool is_strong; /* atomic or volatile */
        unsigned line;  /* of the PTX text */
        uint32_t block[3], thread[3];
        uint32_t linear_block, linear_thread;
    } earlier, later;
};

enum ptx_texel {
    PTX_TEXEL_U8,
    PTX_TEXEL_S8,
    PTX_TEXEL_U16,
    PTX_TEXEL_S16,
    PTX_TEXEL_U32,
    PTX_TEXEL_S32,
    PTX_TEXEL_F16,
    PTX_TEXEL_F32,
};
enum ptx_addressing { PTX_WRAP, PTX_CLAMP, PTX_MIRROR, PTX_BORDER }; /* as CUaddress_mode */

/* A texture or a surface, as its handle stands for it. */
struct ptx_texture {
    uint64_t address; /* of the first texel */
    uint64_t row_bytes, layer_bytes;
    uint32_t width, height, depth; /* in texels, 1 where it has no such extent; layers and faces */
    enum ptx_texel texel;
    unsigned channels; /* 1, 2 or 4 */
    bool surface, layered, cube;
    bool linear;     /* texels are weighted, unless they are read as integers */
    bool normalised; /* the extents go from 0 to 1 */
    bool integers;   /* texels of 8 and 16 bits are read unchanged, not from -1 or 0 to 1 */
    bool srgb;
    enum ptx_addressing addressing[3];
    float border[4];
};

/* What a launch calls. `data` is what cushim__ptx_launch_create() got. */
struct ptx_callbacks {
    /*
     * The memory that an address lies in. False: in none. What it returns is kept until
     * cushim__ptx_run() returns, so memory must not be freed or moved during that call, except by
     * `free`.
     */
    bool (*find)(void *data, uint64_t address, struct ptx_range *range);
    /* A text that the kernel prints: of vprintf, formatted. NULL: nobody reads it. */
    void (*print)(void *data, const char *text, size_t bytes);
    /* malloc() and free() of the kernel. 0: no memory. False: nothing begins there. */
    uint64_t (*allocate)(void *data, size_t bytes);
    bool (*free)(void *data, uint64_t address);
    /* %globaltimer; `instructions` is what the launch has executed. NULL: a number that grows. */
    uint64_t (*timer_ns)(void *data, uint64_t instructions);
    /* What a texture or surface is; false: the handle is none, or nothing is bound to it. */
    bool (*texture)(void *data, uint64_t handle, struct ptx_texture *texture);
    /* Called before each access. NULL: nobody wants to know, which is much faster. */
    void (*access)(void *data, const struct ptx_access *access);
    /*
     * Two threads of the launch race; called once for each pair of instructions. NULL: nobody wants
     * to know. It is looked for where `access` is called.
     */
    void (*race)(void *data, const struct ptx_race *race);
};

struct ptx_shape {
    uint32_t grid[3], block[3];
    size_t dynamic_shared_bytes;
    /* All blocks are resident, so that barriers of the whole grid work. */
    bool cooperative;
    unsigned multiprocessors; /* %nsmid, and what limits the resident blocks; 0 stands for 1 */
    uint64_t grid_id;         /* %gridid */
};

enum ptx_state {
    PTX_RUNNING,
    PTX_ENDED,
    PTX_FAULT, /* for good: see cushim__ptx_fault() */
    PTX_STUCK, /* each thread waits at a barrier for another: a GPU would hang */
    PTX_NO_MEMORY,
};

enum ptx_fault_kind {
    PTX_OUT_OF_BOUNDS = 700,
    PTX_ASSERTION = 710,
    PTX_ILLEGAL_INSTRUCTION = 715,
    PTX_MISALIGNED = 716,
    PTX_WRONG_SPACE = 717,
    PTX_INVALID_PC = 718,
    PTX_TRAP = 719, /* trap, and all that has no number of its own */
};

struct ptx_fault {
    enum ptx_fault_kind kind; /* the number is the CUresult */
    const char *kernel;
    unsigned part, line; /* of the PTX text */
    uint32_t block[3], thread[3];
    enum ptx_use use;
    enum ptx_space space;
    uint64_t address; /* of memory faults */
    unsigned bytes;
    char text[400]; /* what happened; of an assertion, the message that a GPU prints */
};

/* What a launch has done so far. An instruction is one of one thread. */
struct ptx_counts {
    uint64_t instructions;
    uint64_t warp_instructions;
    uint64_t bytes_read, bytes_written; /* of global memory */
    uint64_t blocks;                    /* that have ended */
    uint64_t unwatched_bytes;           /* accesses that could not be compared with others */
    uint64_t unreported_races;          /* of further pairs of instructions */
};

/*
 * A launch of a kernel that is not refused, before its first instruction. `parameters` are copied;
 * what `bytes` lacks is zero. `globals` are the addresses of all variables of the module, and
 * remain the caller's; they, `callbacks` and `data` have to last as long as the launch. It holds a
 * reference on the module. NULL: out of memory, or no block can have this shape.
 */
struct ptx_launch *cushim__ptx_launch_create(struct ptx_module *module, size_t kernel,
                                             const struct ptx_shape *shape, const void *parameters,
                                             size_t bytes, const uint64_t *globals,
                                             const struct ptx_callbacks *callbacks, void *data);

/*
 * Execute about `budget` instructions of threads, and return what became of the launch. All state
 * is in the launch: it can be continued at any time, and others in between. Between two calls the
 * host may change, move and free memory.
 */
enum ptx_state cushim__ptx_run(struct ptx_launch *launch, uint64_t budget);

const struct ptx_fault *cushim__ptx_fault(const struct ptx_launch *launch);
const struct ptx_counts *cushim__ptx_counts(const struct ptx_launch *launch);

/* Where the first thread is that has not ended: sets the line, the block and the thread. */
void cushim__ptx_find_first(const struct ptx_launch *launch, struct ptx_fault *where);
void cushim__ptx_launch_destroy(struct ptx_launch *launch);

#endif
