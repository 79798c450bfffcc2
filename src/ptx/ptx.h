/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interpreter of PTX: its interface, and the only header of src/ptx that other folders include.
 *
 * A module is made from one or several PTX texts. A text is read once, for its declarations and,
 * unless only these are wanted, for the internal code of its kernels. A launch executes a kernel, a
 * warp of 32 lanes at a time, with the results of a GPU.
 *
 * An error in a text refuses the text. An instruction that is not implemented refuses the kernels
 * that contain it, and only when they are launched.
 *
 * The interpreter knows no streams, contexts or driver. Its user supplies memory, a clock and the
 * other things that a launch needs as functions (`struct ptx_callbacks`).
 *
 * Thread safety: the interpreter takes no locks. After cushim__ptx_link(), several threads may use
 * a module at once. Only one thread at a time may use a launch.
 */
#ifndef CUSHIM_PTX_PTX_H
#define CUSHIM_PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- the contents of a module --- */

enum ptx_linkage { PTX_LOCAL, PTX_VISIBLE, PTX_WEAK, PTX_EXTERN };

struct ptx_parameter {
    size_t offset, bytes, alignment;
};

struct ptx_kernel {
    const char *name;
    unsigned part;     /* the number of the text that declares it */
    uint32_t function; /* its index in the program */
    bool defined;      /* false if it is only declared */
    size_t parameter_count;
    const struct ptx_parameter *parameters;
    size_t parameter_bytes; /* where the last parameter ends */
    /* From directives; 0 if not given. `max_threads` is the product of .maxntid or .reqntid. */
    unsigned max_threads, required_block[3], min_blocks, required_cluster[3];
    size_t own_shared_bytes; /* shared memory that its body declares */
    size_t shared_bytes;     /* static shared memory of the kernel and of all that it calls */
    size_t local_bytes;      /* local memory of a thread, without recursion */
    unsigned registers;      /* estimated 32-bit registers of a thread, at most 255 */
    bool prints;             /* it, or what it calls, calls vprintf() */
    bool allocates;          /* it, or what it calls, calls malloc() or free() */
    /*
     * Why the kernel cannot be executed: it contains or calls something that is not implemented.
     * The text names the instruction, and launches are refused with it. NULL if it can be executed.
     */
    const char *refused;
    unsigned refused_part, refused_line;
};

/* A place in an initial value that holds an address, or one byte of an address. */
struct ptx_address {
    size_t offset;
    unsigned bytes;   /* 8 or 1 */
    unsigned shift;   /* of one byte: how many bits the address is shifted right */
    bool of_function; /* true: `value` is the value to store */
    uint64_t value;   /* otherwise it is added to the address of the variable `global` */
    size_t global;    /* an index in the module's `globals` */
};

/* A .global or .const variable. Variables with the same name in several texts are one. */
struct ptx_global {
    const char *name;
    unsigned part;
    /*
     * PTX_EXTERN after cushim__ptx_link(): no text defines the variable. The user gives it an
     * address like any other, or refuses the module.
     */
    enum ptx_linkage linkage;
    bool of_body;   /* declared in a function, so nothing else can name it */
    bool constant;  /* .const */
    bool managed;   /* .attribute(.managed) */
    bool reference; /* a texture, surface or sampler reference, which has no memory */
    size_t bytes, alignment;
    const unsigned char *initial; /* `bytes` bytes; NULL means zeros */
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

/* --- texts --- */

enum ptx_refusal {
    PTX_WRONG,         /* the text has an error, or is for a newer device */
    PTX_NO_TEXT,       /* the text does not begin as PTX does */
    PTX_NEWER_VERSION, /* the text has a newer version of PTX than the target accepts */
    PTX_IN_OTHER_TEXT, /* another text defines the same name */
    PTX_OUT_OF_MEMORY,
};

/* Why a text was refused. The line is 0 if no line is to blame (no memory, a missing symbol). */
struct ptx_error {
    enum ptx_refusal kind;
    unsigned part; /* the text, from 0 in the order of cushim__ptx_add() */
    unsigned line;
    char text[240];        /* the error, on one line */
    char instruction[120]; /* the statement as written in the text, cut if it is long */
};

struct ptx_target {
    unsigned version, architecture; /* the newest that are accepted: 83 for 8.3, 90 for sm_90 */
    bool declarations;              /* skip the bodies of kernels, which cannot be launched then */
};

/*
 * Create an empty module, with one reference. Returns NULL if memory runs out. cushim__ptx_add()
 * adds one text, and cushim__ptx_link() finishes the module after the last one. Both return false
 * if a text is refused; the module can then only be released.
 *
 * An instruction that cannot be executed is not refused here: see `refused` of struct ptx_kernel.
 */
struct ptx_module *cushim__ptx_create(const struct ptx_target *target);
bool cushim__ptx_add(struct ptx_module *module, const char *text, size_t bytes,
                     struct ptx_error *error);
bool cushim__ptx_link(struct ptx_module *module, struct ptx_error *error);
void cushim__ptx_release(struct ptx_module *module);

/* Move the initial value of a variable to the caller, who frees it. NULL means zeros. */
unsigned char *cushim__ptx_take_initial(struct ptx_module *module, size_t global);

/* Return the index of a kernel, or SIZE_MAX if there is none of this name. */
size_t cushim__ptx_find_kernel(const struct ptx_module *module, const char *name);

/* Return the name of each known instruction, with its types, as `add.f32`; NULL after the last. */
const char *cushim__ptx_opcode(size_t index);

/* --- what a launch asks of its user --- */

/* A piece of device memory: the addresses from `start` on, whose bytes are at `host`. */
struct ptx_range {
    uint64_t start, bytes;
    unsigned char *host;
    bool read_only;
};

enum ptx_use { PTX_READ, PTX_WRITE, PTX_ATOMIC };
enum ptx_space { PTX_GENERIC, PTX_GLOBAL, PTX_SHARED, PTX_LOCAL_SPACE, PTX_PARAM, PTX_CONST };

/* An access of one thread to global or shared memory. */
struct ptx_access {
    enum ptx_use use;
    enum ptx_space space; /* PTX_GLOBAL or PTX_SHARED; in the latter `address` is an offset */
    uint64_t address;
    unsigned bytes;
    uint32_t block, thread; /* linear indices */
    uint32_t phase;         /* how many barriers of its whole block the thread has passed */
    unsigned line;          /* of the PTX text */
};

/* Two accesses of one launch to the same bytes that nothing orders. */
struct ptx_race {
    enum ptx_space space; /* as in struct ptx_access */
    uint64_t address;
    unsigned bytes; /* of the later access */
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

/*
 * The texture or surface of a handle. The members up to `depth` describe its first level. In memory
 * the levels follow each other without gaps, and each is half as wide, high and deep as the one
 * before.
 */
struct ptx_texture {
    uint64_t address; /* of the first texel */
    uint64_t row_bytes, layer_bytes;
    uint32_t width, height; /* in texels; 1 if the texture has no such extent */
    uint32_t depth;         /* the same, or the number of layers and faces */
    enum ptx_texel texel;
    unsigned channels; /* 1, 2 or 4 */
    bool surface, layered, cube;
    bool linear;     /* reads interpolate between texels, unless they return integers */
    bool normalised; /* coordinates go from 0 to 1 */
    bool integers;   /* texels of 8 and 16 bits are read unchanged, not scaled to -1 or 0 to 1 */
    bool srgb;
    enum ptx_addressing addressing[3];
    float border[4];
    unsigned levels;         /* 0 means 1 */
    bool between_levels;     /* reads interpolate between levels, unless they return integers */
    float bias, least, most; /* what is added to a level, and its bounds */
};

/* `data` is the argument of cushim__ptx_launch_create(). */
struct ptx_callbacks {
    /*
     * Find the memory that contains an address. Returns false if there is none. The interpreter
     * keeps the range until cushim__ptx_run() returns, so during that call nothing but `free` may
     * free or move memory.
     */
    bool (*find)(void *data, uint64_t address, struct ptx_range *range);
    /* Print the formatted text of a vprintf() in the kernel. NULL discards texts. */
    void (*print)(void *data, const char *text, size_t bytes);
    /*
     * malloc() and free() of the kernel. `allocate` returns 0 if memory runs out; `free` returns
     * false if no allocation begins at the address.
     */
    uint64_t (*allocate)(void *data, size_t bytes);
    bool (*free)(void *data, uint64_t address);
    /*
     * Return %globaltimer, when the launch has executed so many instructions. If NULL, the kernel
     * sees a number that grows.
     */
    uint64_t (*timer_ns)(void *data, uint64_t instructions);
    /* Describe a texture or surface. Returns false if the handle is none or is not bound. */
    bool (*texture)(void *data, uint64_t handle, struct ptx_texture *texture);
    /* Receive each access before it happens. Launches are much faster if this is NULL. */
    void (*access)(void *data, const struct ptx_access *access);
    /*
     * Receive races between threads of the launch, one for each pair of instructions. Races are
     * found only if `access` is set too. NULL turns the search off.
     */
    void (*race)(void *data, const struct ptx_race *race);
};

/* --- launches --- */

struct ptx_shape {
    uint32_t grid[3], block[3];
    size_t dynamic_shared_bytes;
    bool cooperative;         /* all blocks are resident, so that barriers of the whole grid work */
    unsigned multiprocessors; /* %nsmid, and the limit of resident blocks; 0 means 1 */
    uint64_t grid_id;         /* %gridid */
};

enum ptx_state {
    PTX_RUNNING,
    PTX_ENDED,
    PTX_FAULT, /* the launch cannot go on: see cushim__ptx_fault() */
    PTX_STUCK, /* every thread waits at a barrier for another one: a GPU would hang */
    PTX_NO_MEMORY,
};

/* The numbers are those of the CUresults. */
enum ptx_fault_kind {
    PTX_OUT_OF_BOUNDS = 700,
    PTX_ASSERTION = 710,
    PTX_ILLEGAL_INSTRUCTION = 715,
    PTX_MISALIGNED = 716,
    PTX_WRONG_SPACE = 717,
    PTX_INVALID_PC = 718,
    PTX_TRAP = 719, /* trap, and every fault without a number of its own */
};

struct ptx_fault {
    enum ptx_fault_kind kind;
    const char *kernel;
    unsigned part, line; /* of the PTX text */
    uint32_t block[3], thread[3];
    /* The access that failed, if it is a memory fault. */
    enum ptx_use use;
    enum ptx_space space;
    uint64_t address;
    unsigned bytes;
    char text[400]; /* what happened; for an assertion, the message that a GPU prints */
};

/* What a launch has done so far. Unless said otherwise, an instruction counts once per thread. */
struct ptx_counts {
    uint64_t instructions;
    uint64_t warp_instructions;         /* counted once per warp */
    uint64_t bytes_read, bytes_written; /* of global memory */
    uint64_t blocks;                    /* that have ended */
    uint64_t unwatched_bytes;           /* accesses that could not be compared with others */
    uint64_t unreported_races;          /* races of further pairs of instructions */
};

/*
 * Create a launch, which has executed nothing yet, of a kernel that is not refused. The parameters
 * are copied; what `bytes` lacks is zero. `globals` has the addresses of all variables of the
 * module. It, `callbacks` and `data` remain the caller's, and must live as long as the launch. The
 * launch holds a reference to the module. Returns NULL if memory runs out, or if no block can have
 * this shape.
 */
struct ptx_launch *cushim__ptx_launch_create(struct ptx_module *module, size_t kernel,
                                             const struct ptx_shape *shape, const void *parameters,
                                             size_t bytes, const uint64_t *globals,
                                             const struct ptx_callbacks *callbacks, void *data);

/*
 * Execute about `budget` instructions of threads, and return the state of the launch. A launch can
 * be continued at any time, and others can run in between. Between two calls, the user may
 * allocate, move and free memory.
 */
enum ptx_state cushim__ptx_run(struct ptx_launch *launch, uint64_t budget);

const struct ptx_fault *cushim__ptx_fault(const struct ptx_launch *launch);
const struct ptx_counts *cushim__ptx_counts(const struct ptx_launch *launch);

/* Find the first thread that has not ended. Sets line, block and thread of `where`. */
void cushim__ptx_find_first(const struct ptx_launch *launch, struct ptx_fault *where);
void cushim__ptx_launch_destroy(struct ptx_launch *launch);

#endif
