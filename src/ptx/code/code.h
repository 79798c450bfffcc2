/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The internal code: src/ptx/text translates PTX to it, and src/ptx/execute executes it.
 *
 * A register is a row of 32 values, one for each lane of a warp, of 4 or 8 bytes each. Registers of
 * 8 and 16 bits have rows of 4-byte values whose upper bits are zero. A predicate is one word with
 * a bit for each lane. The rows of a function form its frame, and the operands of an instruction
 * are offsets in the frame. Constants are rows too, in a pool that all launches share.
 */
#ifndef CUSHIM_PTX_CODE_CODE_H
#define CUSHIM_PTX_CODE_CODE_H

#include "src/ptx/ptx.h"

enum { PTX_LANES = 32, PTX_ROW = 4 * PTX_LANES, PTX_WIDE_ROW = 8 * PTX_LANES };

/* The first rows of a frame. In the frame of a kernel, only FRAME_FUNCTION has a meaning. */
enum ptx_frame_row { FRAME_RETURN, FRAME_CALLER, FRAME_FUNCTION, FRAME_ROWS };
#define PTX_ALL_LANES UINT32_C(0xffffffff)
extern const uint32_t cushim__ptx_lane_bits[PTX_LANES]; /* the bit of each lane */

/* Choose by a lane's bit of the mask. Without a branch, loops over all lanes are vectorised. */
static inline uint32_t ptx_choose(uint32_t mask, unsigned lane, uint32_t yes, uint32_t no)
{
    const uint32_t keep = mask & cushim__ptx_lane_bits[lane] ? UINT32_MAX : 0;

    return (yes & keep) | (no & ~keep);
}

/* An instruction reads a row as its own type, whatever type was written. */
#if defined(__GNUC__)
#define PTX_ALIAS __attribute__((may_alias))
#else
#define PTX_ALIAS
#endif
typedef uint16_t PTX_ALIAS lane_u16;
typedef uint32_t PTX_ALIAS lane_u32;
typedef int32_t PTX_ALIAS lane_s32;
typedef uint64_t PTX_ALIAS lane_u64;
typedef int64_t PTX_ALIAS lane_s64;
typedef float PTX_ALIAS lane_f32;
typedef double PTX_ALIAS lane_f64;

union ptx_single {
    float value;
    uint32_t bits;
};

union ptx_double {
    double value;
    uint64_t bits;
};

static inline uint32_t ptx_bits32(float value)
{
    return (union ptx_single){.value = value}.bits;
}

static inline uint64_t ptx_bits64(double value)
{
    return (union ptx_double){.value = value}.bits;
}

static inline float ptx_float32(uint32_t bits)
{
    return (union ptx_single){.bits = bits}.value;
}

static inline double ptx_float64(uint64_t bits)
{
    return (union ptx_double){.bits = bits}.value;
}

/* The value of a lane. The values of a wide row have 8 bytes. */
static inline uint64_t ptx_number(const void *row, unsigned lane, bool wide)
{
    return wide ? ((const lane_u64 *)row)[lane] : ((const lane_u32 *)row)[lane];
}

static inline void ptx_set_number(void *row, unsigned lane, bool wide, uint64_t number)
{
    if (wide)
        ((lane_u64 *)row)[lane] = number;
    else
        ((lane_u32 *)row)[lane] = (uint32_t)number;
}

/* The type of an operand's row, as the letter that signatures use. */
enum ptx_row {
    ROW_NONE = 0,
    ROW_HALF = 'h', /* 8 or 16 bits */
    ROW_WORD = 'w',
    ROW_FLOAT = 'f',
    ROW_LONG = 'l',
    ROW_DOUBLE = 'd',
    ROW_PREDICATE = 'p',
    ROW_NUMBER = '=', /* no row: a constant, in the instruction's `count` */
};

enum ptx_type {
    TYPE_NONE,
    TYPE_B8,
    TYPE_U8,
    TYPE_S8,
    TYPE_B16,
    TYPE_U16,
    TYPE_S16,
    TYPE_F16,
    TYPE_BF16,
    TYPE_B32,
    TYPE_U32,
    TYPE_S32,
    TYPE_F32,
    TYPE_F16X2,
    TYPE_BF16X2,
    TYPE_U16X2,
    TYPE_S16X2,
    TYPE_TF32,
    TYPE_B64,
    TYPE_U64,
    TYPE_S64,
    TYPE_F64,
    TYPE_F32X2,
    TYPE_B128,
    TYPE_PRED,
    TYPE_E4M3X2,
    TYPE_E5M2X2,
    TYPE_TYPES
};

/* Modifiers of an instruction. */
enum {
    FLAG_FTZ = 1 << 0,
    FLAG_SAT = 1 << 1,
    FLAG_NEGATED = 1 << 2, /* the guard is negated */
    FLAG_WIDE_PART = 1 << 3,
    FLAG_CARRY_IN = 1 << 4,
    FLAG_CARRY_OUT = 1 << 5,
    FLAG_FLUSH_RESULT = 1 << 6, /* with FLAG_FTZ: the result is an f32 and is flushed too */
    FLAG_SIGNED = 1 << 9,
    FLAG_NEGATED_SOURCE = 1 << 10, /* the source predicate is negated */
    FLAG_RELU = 1 << 12,
    FLAG_STRONG = 1 << 7,  /* the access is atomic or volatile */
    FLAG_RELEASE = 1 << 8, /* the access releases all that came before it */
    FLAG_EACH = 1 << 13,   /* a warp instruction without .sync: no lane waits for others */
    FLAG_APART = 1 << 14,  /* the row of the result is not one of the sources */
};

enum ptx_rounding { ROUND_DEFAULT, ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_AWAY };

/*
 * The handlers of most instructions, as F(name, function, has_row). cushim__ptx_<function>()
 * executes the instruction. If has_row is true, it fills the row `result` with values of `bytes`
 * bytes, and the interpreter then writes this row to d.
 */
#define PTX_HANDLERS(F)                                                                            \
    F(DO_FLOAT, compute_float, true) /* DO_LANES32 or 64, with FTZ, SAT or a rounding mode */      \
    F(DO_COMPARE, compute_comparison, false) /* `compare` to d | e, with c; `count`: f16 */        \
    F(DO_LOAD, load, false)   /* `count` rows of the list, from a + immediate in space `sub` */    \
    F(DO_STORE, store, false) /* the same, from the list */                                        \
    F(DO_BRANCH, branch, false)                                                                    \
    F(DO_SELECT, compute_choice, true)                                                             \
    F(DO_LOGIC, compute_logic, false)       /* of predicates: d = a `sub` b */                     \
    F(DO_SET, compute_set, true)            /* a row from a comparison */                          \
    F(DO_CARRY, compute_carry, true)        /* add.cc and the like */                              \
    F(DO_CONVERT, compute_conversion, true) /* `sub` to `type`; `count`: to an integer */          \
    F(DO_CONVERT_PAIR, compute_pair, true)                                                         \
    F(DO_HALF, compute_half, true)     /* f16 and bf16, by `lanes` in f64 */                       \
    F(DO_LOP3, compute_lop3, true)     /* its truth table is `count` */                            \
    F(DO_INSERT, compute_insert, true) /* bfi; e is its fourth source */                           \
    F(DO_PART, compute_part, true) /* `count` bits from `sub` on; FLAG_WIDE_PART: of a wide row */ \
    F(DO_COMBINE, compute_combined, true) /* two rows of `count` bits each: 8, 16 or 32 */         \
    F(DO_ADDRESS, address, true)  /* of a symbol: kind in `sub`, index in `target`; + immediate */ \
    F(DO_SPECIAL, special, false) /* a special register: `sub` */                                  \
    F(DO_ATOMIC, atomic_access, false)                                                             \
    F(DO_COPY_ASYNC, copy_async, false) /* cp.async: [d] = [a], `count` bytes, b of them read */   \
    F(DO_ISSPACE, isspace, false)                                                                  \
    F(DO_CVTA, cvta, true)                                                                         \
    F(DO_BRANCH_TABLE, branch_table, false) /* brx.idx: a list of targets, relative to e */        \
    F(DO_CALL, call, false)                                                                        \
    F(DO_CALL_INDIRECT, call, false)                                                               \
    F(DO_RETURN, return, false)                                                                    \
    F(DO_EXIT, end_lanes, false)                                                                   \
    F(DO_TRAP, trap, false)                                                                        \
    F(DO_BREAKPOINT, trap, false)                                                                  \
    F(DO_REFUSED, trap, false)                                                                     \
    F(DO_BARRIER, barrier, false)     /* bar.*: number a, threads b, predicate c */                \
    F(DO_WARP_SYNC, warp_sync, false) /* the collective `sub` of a warp */                         \
    F(DO_ACTIVE_MASK, active_mask, false)                                                          \
    F(DO_SLEEP, sleep, false)                                                                      \
    F(DO_MBARRIER, mbarrier, false) /* mbarrier.c: the operation in `type`, the space in `sub` */  \
    F(DO_TEXTURE, texture, false)   /* textures and surfaces: texture.c */                         \
    F(DO_FENCE, fence, false)
#define PTX_HANDLER(name, function, has_row) name,

/* How an instruction is executed. */
enum ptx_handler {
    DO_LANES32, /* `lanes`, for rows of 4-byte values */
    DO_LANES64,
    PTX_HANDLERS(PTX_HANDLER)
    /* Copies of rows, and instructions without an effect here, such as prefetches. */
    DO_MOVE32,
    DO_MOVE64,
    DO_NOTHING
};

/* `type` of DO_MBARRIER. */
enum ptx_mbarrier {
    MBARRIER_INIT,
    MBARRIER_INVALIDATE,
    MBARRIER_ARRIVE,
    MBARRIER_DROP,        /* arrive, and expect one arrival less in later phases */
    MBARRIER_WAIT,        /* whether the phase of this state is over */
    MBARRIER_WAIT_PARITY, /* whether the phase of this parity is over */
    MBARRIER_PENDING,     /* how many arrivals this state was waiting for */
    MBARRIER_COPIES_ARRIVE,
};

/* `sub` of DO_WARP_SYNC. */
enum ptx_collective {
    SYNC_ONLY,
    SYNC_SHUFFLE_UP,
    SYNC_SHUFFLE_DOWN,
    SYNC_SHUFFLE_XOR,
    SYNC_SHUFFLE_INDEX,
    SYNC_VOTE_ALL,
    SYNC_VOTE_ANY,
    SYNC_VOTE_UNI,
    SYNC_VOTE_BALLOT,
    SYNC_MATCH_ANY, /* of values of `bytes` bytes */
    SYNC_MATCH_ALL,
    SYNC_REDUCE, /* redux; the operation in `count` */
    SYNC_ELECT,
};

enum ptx_barrier { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_AND, BARRIER_OR, BARRIER_POPC };

/* Flags of an address: its row is wide; it is in the local memory of the frame. */
enum { ADDRESS_WIDE = 1, ADDRESS_IN_FRAME = 2 };

enum ptx_logic { LOGIC_AND, LOGIC_OR, LOGIC_XOR, LOGIC_NOT, LOGIC_MOVE };

enum ptx_symbol_kind {
    SYMBOL_GLOBAL,
    SYMBOL_SHARED,
    SYMBOL_LOCAL, /* in the frame of a function */
    SYMBOL_PARAM, /* a parameter of a kernel */
    SYMBOL_FUNCTION,
    SYMBOL_LABEL,
    SYMBOL_TABLE, /* .branchtargets */
    SYMBOL_REGISTER
};

enum ptx_atomic {
    ATOMIC_ADD,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_INC,
    ATOMIC_DEC,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_EXCH,
    ATOMIC_CAS,
};

/* `sub` of DO_TEXTURE. */
enum ptx_texture_operation {
    TEXTURE_FETCH,  /* tex */
    TEXTURE_GATHER, /* tld4 of channel `rounding` */
    TEXTURE_QUERY,  /* txq and suq of property `rounding` */
    SURFACE_LOAD,   /* suld.b; `rounding` says what happens outside */
    SURFACE_STORE,  /* sust.b, the same */
};

/* `other` of DO_TEXTURE: which coordinates there are. */
enum {
    GEOMETRY_EXTENTS = 3, /* 1 to 3: x, y, z */
    GEOMETRY_LAYER = 4,   /* a layer comes before them */
    GEOMETRY_CUBE = 8,    /* they are a direction, x, y and z */
};

enum ptx_texture_property {
    PROPERTY_WIDTH = 1,
    PROPERTY_HEIGHT,
    PROPERTY_DEPTH,
    PROPERTY_LAYERS,
    PROPERTY_LEVELS,
    PROPERTY_SAMPLES,
    PROPERTY_NORMALISED
};

enum ptx_outside { OUTSIDE_TRAP, OUTSIDE_CLAMP, OUTSIDE_ZERO };

static inline unsigned ptx_coordinates(unsigned geometry)
{
    return (geometry & GEOMETRY_EXTENTS) + (geometry & GEOMETRY_LAYER ? 1 : 0);
}

/* `type` of DO_TEXTURE: what follows the coordinates to say which level is read. */
enum ptx_level { LEVEL_BASE, LEVEL_GIVEN, LEVEL_OF_GRADIENTS };

/* An operation on all lanes. Two sources may be the same row, but `d` is never a source. */
typedef void (*ptx_lanes)(void *restrict d, const void *a, const void *b, const void *c);
typedef uint32_t (*ptx_compare)(const void *a, const void *b);

#define PTX_CONSTANT UINT32_C(0x80000000) /* the operand is an offset in the pool of constants */
#define PTX_UNUSED UINT32_C(0xffffffff)

struct ptx_instruction {
    uint8_t handler; /* enum ptx_handler */
    uint8_t sub, count, type;
    uint8_t rounding;
    uint8_t bytes; /* of one element in memory, or of one value of a row */
    uint8_t guarded;
    uint8_t other;
    uint32_t flags;
    uint32_t guard;
    uint32_t d, e, a, b, c;
    uint32_t list;   /* where further operands begin in the program's `lists` */
    uint32_t target; /* an instruction, or the index of a named object */
    uint32_t line;
    union {
        int64_t immediate;
        ptx_lanes lanes;
        ptx_compare compare;
    };
};

/* How many rows of the list of DO_TEXTURE come before the elements: coordinates and a level. */
static inline unsigned ptx_texture_sources(const struct ptx_instruction *at)
{
    return (at->sub == TEXTURE_QUERY ? 0 : ptx_coordinates(at->other)) +
           (at->type == LEVEL_OF_GRADIENTS ? 2U * (at->other & GEOMETRY_EXTENTS) : at->type);
}

enum ptx_builtin { BUILTIN_NONE, BUILTIN_PRINT, BUILTIN_ASSERT, BUILTIN_MALLOC, BUILTIN_FREE };

struct ptx_function {
    char *name;
    unsigned part;
    enum ptx_linkage linkage;
    bool is_kernel, defined;
    bool address_taken, calls_pointers;
    uint8_t builtin;
    uint32_t first, count;             /* its instructions */
    uint32_t frame_bytes, local_bytes; /* the size of local memory is a multiple of 16 */
    uint32_t parameter_count, result_count;
    struct ptx_parameter *parameters; /* in the local memory of its frame; results first */
    size_t kernel;                    /* its index in the module */
    char *refused;
    unsigned refused_line;
    uint32_t *callees, *shared; /* functions that it calls and shared variables that it names */
    uint32_t callee_count, shared_count;
    /* Set by cushim__ptx_link(). */
    uint32_t call_registers, call_local; /* of the function and what it calls, without recursion */
    uint32_t *shared_offsets; /* of a kernel: one for each shared variable of the module */
    bool visiting, visited;
};

struct ptx_shared {
    char *name;
    size_t bytes, alignment;
    bool dynamic; /* .extern without a size */
};

struct ptx_program {
    struct ptx_module module;               /* what the user of the interpreter sees */
    unsigned newest_version, newest_target; /* accepted in a text */
    bool declarations;                      /* bodies are not translated */
    unsigned references;
    struct ptx_kernel *kernels;
    struct ptx_global *globals;
    struct ptx_function *functions;
    struct ptx_shared *shared;
    struct ptx_instruction *code;
    uint32_t *lists;
    unsigned char *constants;
    uint32_t function_count, shared_count, code_count, list_count, constant_bytes;
    struct ptx_names *names; /* shared by the texts until they are linked */
    unsigned part_count;
};

/* Find a special register by its name, `%tid.x`. Returns false if there is none of this name. */
bool cushim__ptx_special_find(const char *name, size_t length, uint8_t *number);
unsigned cushim__ptx_special_bytes(uint8_t number);

/* Release a reference. A module has one, and so has each of its launches. */
void cushim__ptx_program_release(struct ptx_program *program);

/*
 * Where the generic addresses of memory that is not global begin: above all addresses that a
 * process of the host can use.
 */
#define PTX_SHARED_WINDOW UINT64_C(0x0001000000000000)
#define PTX_LOCAL_WINDOW UINT64_C(0x0001000100000000)
#define PTX_PARAM_WINDOW UINT64_C(0x0001000200000000)
#define PTX_CODE_WINDOW UINT64_C(0x0001000300000000)
/* Memory for the grid barrier of a cooperative launch; %envreg1 and %envreg2 have its address. */
#define PTX_GRID_WINDOW UINT64_C(0x0001000400000000)
enum { PTX_GRID_BYTES = 256 };

/* The address of a function. Functions are 16 bytes apart. */
static inline uint64_t ptx_function_address(uint32_t function)
{
    return PTX_CODE_WINDOW + (uint64_t)(function + 1) * 16;
}

#endif
