/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls, and the functions that the driver provides: vprintf, malloc and others.
 *
 * The frame of a function begins where the frame of its caller ends, both in registers and in local
 * memory. The first rows of a frame have, for each lane, the return address, the caller's frame and
 * the function of this frame. So a call in a kernel uses no stack of the host.
 *
 * Lanes in the same function share a frame, each with its own column of the rows. Frames of
 * different functions have rows of different sizes, so they must not overlap: see frame_for().
 */
#include "src/ptx/execute/launch_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The limits: local memory of a thread, frames of a warp, and the length of a text, in bytes. */
enum { LOCAL_MAX = 512 << 10, FRAMES_MAX = 64 << 20, TEXT_MAX = 1024 };

/* --- arguments --- */

static unsigned char *local_of(struct ptx_warp *warp, unsigned lane, uint32_t offset)
{
    return warp->local + (size_t)lane * warp->local_stride + offset;
}

/*
 * Copy the arguments of a lane from the caller's local memory to the callee's, or the results back.
 */
static void pass(struct ptx_warp *warp, unsigned lane, const uint32_t *offsets,
                 const struct ptx_parameter *parameters, unsigned count, uint32_t caller,
                 uint32_t callee, bool back)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned char *const own = local_of(warp, lane, callee + parameters[i].offset);
        unsigned char *const outer = local_of(warp, lane, caller + offsets[i]);

        memmove(back ? outer : own, back ? own : outer, parameters[i].bytes);
    }
}

/* --- room --- */

static bool room_for(struct ptx_step *step, uint32_t frame_end, uint32_t local_end)
{
    struct ptx_warp *warp = step->warp;

    if (frame_end > warp->register_bytes) {
        const uint32_t bytes = frame_end * 2;
        unsigned char *grown = frame_end > FRAMES_MAX ? NULL : realloc(warp->registers, bytes);

        if (!grown)
            return false;
        memset(grown + warp->register_bytes, 0, bytes - warp->register_bytes);
        warp->registers = grown;
        warp->register_bytes = bytes;
        step->frame = grown + warp->base;
    }
    if (local_end > warp->local_stride) {
        const uint32_t stride = (local_end * 2 + 15) / 16 * 16;
        unsigned char *grown = local_end > LOCAL_MAX ? NULL : calloc(PTX_LANES, stride);

        if (!grown)
            return false;
        for (unsigned i = 0; i < PTX_LANES; i++)
            memcpy(grown + (size_t)i * stride, local_of(warp, i, 0), warp->local_stride);
        free(warp->local);
        warp->local = grown;
        warp->local_stride = stride;
    }
    return true;
}

/* --- functions of the driver --- */

static uint64_t argument(struct ptx_step *step, unsigned lane, unsigned index)
{
    const struct ptx_instruction *at = step->at;
    const uint32_t *offsets = step->launch->program->lists + at->list + at->sub;
    struct ptx_warp *warp = step->warp;
    uint64_t value = 0;
    uint32_t offset;

    if (at->sub + index >= at->count)
        return 0;
    offset = warp->local_bases[lane] + offsets[index];
    memcpy(&value, local_of(warp, lane, offset),
           warp->local_stride - offset < 8 ? warp->local_stride - offset : 8);
    return value;
}

static void give_result(struct ptx_step *step, unsigned lane, uint64_t value, unsigned bytes)
{
    const uint32_t *offsets = step->launch->program->lists + step->at->list;

    if (step->at->sub > 0)
        memcpy(local_of(step->warp, lane, step->warp->local_bases[lane] + *offsets), &value, bytes);
}

/* Read a string of the kernel, with its final zero. Returns false after a fault. */
static bool read_text(struct ptx_step *step, unsigned lane, uint64_t address, char *text,
                      size_t size)
{
    for (size_t i = 0; i + 1 < size; i++) {
        const unsigned char *place =
            cushim__ptx_bytes(step, lane, PTX_GENERIC, address + i, 1, PTX_READ);

        if (!place)
            return false;
        text[i] = (char)*place;
        if (!text[i])
            return true;
    }
    text[size - 1] = '\0';
    return true;
}

static bool read_value(struct ptx_step *step, unsigned lane, uint64_t *from, unsigned bytes,
                       uint64_t *value)
{
    const unsigned char *place;

    *from = (*from + bytes - 1) / bytes * bytes;
    place = cushim__ptx_bytes(step, lane, PTX_GENERIC, *from, bytes, PTX_READ);
    if (!place)
        return false;
    *from += bytes;
    *value = 0;
    memcpy(value, place, bytes);
    return true;
}

struct output {
    char text[4 * TEXT_MAX];
    size_t length;
};

static void add(struct output *output, const char *text, size_t length)
{
    if (length > sizeof output->text - output->length)
        length = sizeof output->text - output->length;
    memcpy(output->text + output->length, text, length);
    output->length += length;
}

/*
 * Read a width or precision, which may be an argument. Returns false after a fault. The value is
 * limited to the size of the output, because snprintf() of the host allocates memory for the whole
 * width before it cuts the output: a kernel that asks for a width of billions would cost gigabytes.
 */
static bool read_extent(struct ptx_step *step, unsigned lane, const char **format, uint64_t *from,
                        int *extent)
{
    enum { MOST = TEXT_MAX - 1 };
    uint64_t value;

    *extent = 0;
    if (**format == '*') {
        ++*format;
        if (!read_value(step, lane, from, 4, &value))
            return false;
        *extent = (int32_t)value;
    } else {
        for (; **format >= '0' && **format <= '9'; ++*format)
            *extent = *extent > MOST ? MOST : *extent * 10 + (**format - '0');
    }
    *extent = *extent > MOST ? MOST : *extent < -MOST ? -MOST : *extent;
    return true;
}

/*
 * Print one conversion, such as `%-08.3lld`, from its percent sign on. Returns what comes after it,
 * or NULL after a fault. The directive for snprintf() of the host is composed here.
 */
static const char *conversion(struct ptx_step *step, unsigned lane, const char *format,
                              uint64_t *from, struct output *output)
{
    const char *const start = format++;
    char directive[32] = "%", piece[TEXT_MAX] = "", text[TEXT_MAX];
    size_t used = 1;
    bool wide = false, is_integer;
    uint64_t value;
    int extent;

    for (; *format && strchr("-+ #0", *format); format++) {
        if (!memchr(directive, *format, used))
            directive[used++] = *format;
    }
    if (!read_extent(step, lane, &format, from, &extent))
        return NULL;
    if (extent != 0)
        used += (size_t)snprintf(directive + used, 8, "%d", extent);
    if (*format == '.') {
        format++;
        if (!read_extent(step, lane, &format, from, &extent))
            return NULL;
        if (extent >= 0)
            used += (size_t)snprintf(directive + used, 8, ".%d", extent);
    }
    while (*format && strchr("hljztL", *format))
        wide |= *format++ != 'h';
    if (*format == '%') {
        add(output, "%", 1);
        return format + 1;
    }
    if (*format == '\0' || !strchr("diuoxXceEfFgGaAps", *format)) {
        /* An unknown conversion is printed unchanged. */
        add(output, start, (size_t)(format - start));
        return format;
    }
    is_integer = strchr("diuoxX", *format) != NULL;
    if (!read_value(step, lane, from, *format == 'c' || (is_integer && !wide) ? 4 : 8, &value))
        return NULL;
    snprintf(directive + used, 8, is_integer ? "ll%c" : "%c", *format);
    if (is_integer) {
        if (!wide && (*format == 'd' || *format == 'i'))
            value = (uint64_t)(int32_t)value;
        snprintf(piece, sizeof piece, directive, (unsigned long long)value);
    } else if (*format == 'c') {
        snprintf(piece, sizeof piece, directive, (int)(value & 0xff));
    } else if (*format == 'p') {
        snprintf(piece, sizeof piece, "0x%llx", (unsigned long long)value);
    } else if (*format == 's') {
        if (value == 0)
            snprintf(text, sizeof text, "(null)");
        else if (!read_text(step, lane, value, text, sizeof text))
            return NULL;
        snprintf(piece, sizeof piece, directive, text);
    } else {
        snprintf(piece, sizeof piece, directive, ptx_float64(value));
    }
    add(output, piece, strlen(piece));
    return format + 1;
}

static void print(struct ptx_step *step, unsigned lane)
{
    const struct ptx_launch *launch = step->launch;
    uint64_t from = argument(step, lane, 1);
    struct output output;
    char format[TEXT_MAX];
    const char *at = format, *end;
    int count = 0;

    output.length = 0;
    if (!read_text(step, lane, argument(step, lane, 0), format, sizeof format))
        return;
    for (; (end = strchr(at, '%')); count++) {
        add(&output, at, (size_t)(end - at));
        at = conversion(step, lane, end, &from, &output);
        if (!at)
            return;
    }
    add(&output, at, strlen(at));
    if (launch->callbacks->print)
        launch->callbacks->print(launch->data, output.text, output.length);
    give_result(step, lane, (uint64_t)count, 4);
}

static void assertion(struct ptx_step *step, unsigned lane)
{
    char message[200], file[120], function[120];
    uint32_t thread[3];
    const uint32_t *block = step->warp->block->index;

    if (!read_text(step, lane, argument(step, lane, 0), message, sizeof message) ||
        !read_text(step, lane, argument(step, lane, 1), file, sizeof file) ||
        !read_text(step, lane, argument(step, lane, 3), function, sizeof function))
        return;
    ptx_index(step->launch->shape.block, ptx_thread(step->warp, lane), thread);
    cushim__ptx_fault_at(step, PTX_ASSERTION, lane,
                         "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.",
                         file, (unsigned)argument(step, lane, 2), function, (unsigned)block[0],
                         (unsigned)block[1], (unsigned)block[2], (unsigned)thread[0],
                         (unsigned)thread[1], (unsigned)thread[2], message);
}

static void builtin(struct ptx_step *step, const struct ptx_function *function)
{
    const struct ptx_launch *launch = step->launch;
    const struct ptx_callbacks *callbacks = launch->callbacks;

    for (uint32_t left = step->mask; left && launch->state == PTX_RUNNING; left &= left - 1) {
        const unsigned lane = ptx_first(left);
        const uint64_t first = argument(step, lane, 0);
        uint64_t made;

        switch (function->builtin) {
        case BUILTIN_PRINT:
            print(step, lane);
            break;
        case BUILTIN_ASSERT:
            assertion(step, lane);
            break;
        case BUILTIN_MALLOC:
            made = callbacks->allocate ? callbacks->allocate(launch->data, (size_t)first) : 0;
            if (launch->racecheck && made)
                cushim__ptx_racecheck_forget(launch, made, (size_t)first);
            give_result(step, lane, made, 8);
            break;
        default:
            cushim__ptx_forget_ranges(step->launch);
            if (first && (!callbacks->free || !callbacks->free(launch->data, first)))
                cushim__ptx_fault_at(step, PTX_TRAP, lane,
                                     "free() of 0x%llx, which malloc() did not return",
                                     (unsigned long long)first);
            break;
        }
    }
}

/* --- calls --- */

/*
 * Whether a lane has a frame of this function at exactly this place: its current frame, or that of
 * a caller.
 */
static bool has_frame(const struct ptx_warp *warp, unsigned lane, uint32_t frame, uint32_t index)
{
    uint32_t at = warp->bases[lane];

    while (at > frame)
        at = ptx_frame_row(warp, at, FRAME_CALLER)[lane];
    return at == frame && ptx_frame_row(warp, at, FRAME_FUNCTION)[lane] == index;
}

/*
 * Return where the frame of a function may begin: where the caller's frame ends, if other lanes
 * have no frame there except one of the same function; otherwise after the frames of all lanes.
 */
static uint32_t frame_for(const struct ptx_launch *launch, const struct ptx_warp *warp,
                          uint32_t wanted, uint32_t index, uint32_t lanes)
{
    uint32_t end = wanted;
    bool free = true;

    for (uint32_t left = warp->alive & ~lanes; left; left &= left - 1) {
        const unsigned lane = ptx_first(left);
        const uint32_t base = warp->bases[lane],
                       function = ptx_frame_row(warp, base, FRAME_FUNCTION)[lane],
                       after = base + launch->program->functions[function].frame_bytes;

        end = after > end ? after : end;
        free = free && (after <= wanted || has_frame(warp, lane, wanted, index));
    }
    return free ? wanted : end;
}

static void enter(struct ptx_step *step, uint32_t index, uint32_t lanes)
{
    struct ptx_launch *launch = step->launch;
    struct ptx_warp *warp = step->warp;
    const struct ptx_instruction *at = step->at;
    const struct ptx_function *function = &launch->program->functions[index];
    const uint32_t *list = launch->program->lists + at->list;
    const uint32_t base = warp->base, frame = frame_for(launch, warp, base + at->e, index, lanes);

    if (function->parameter_count != at->count || function->result_count != at->sub ||
        !function->defined || function->is_kernel) {
        cushim__ptx_fault_at(step, PTX_INVALID_PC, ptx_first(lanes),
                             "the call does not fit the function '%s'", function->name);
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = ptx_first(left);
        const uint32_t local = warp->local_bases[lane] + at->d;

        if (!room_for(step, frame + function->frame_bytes, local + function->local_bytes + 16)) {
            cushim__ptx_fault_at(step, PTX_TRAP, lane, "the stack overflows in a call of '%s'",
                                 function->name);
            return;
        }
        pass(warp, lane, list + at->sub, function->parameters + at->sub, at->count - at->sub,
             warp->local_bases[lane], local, false);
        ptx_frame_row(warp, frame, FRAME_RETURN)[lane] = warp->pc;
        ptx_frame_row(warp, frame, FRAME_CALLER)[lane] = base;
        ptx_frame_row(warp, frame, FRAME_FUNCTION)[lane] = index;
        warp->local_bases[lane] = local;
        warp->bases[lane] = frame;
        warp->pcs[lane] = function->first;
    }
}

void cushim__ptx_call(struct ptx_step *step)
{
    struct ptx_launch *launch = step->launch;
    const struct ptx_instruction *at = step->at;
    const struct ptx_function *named =
        at->handler == DO_CALL ? &launch->program->functions[at->target] : NULL;

    if (named && named->builtin) {
        builtin(step, named);
        return;
    }
    cushim__ptx_group_save(step->warp);
    step->leave = true;
    if (named)
        enter(step, at->target, step->mask);
    /* Lanes may call different functions. Those that call the same one become a group. */
    for (uint32_t left = named ? 0 : step->mask, same; left; left &= ~same) {
        const lane_u64 *pointers = ptx_row(step, at->a);
        const uint64_t pointer = pointers[ptx_first(left)];
        const uint64_t index = (pointer - PTX_CODE_WINDOW) / 16 - 1;

        same = 0;
        for (uint32_t other = left; other; other &= other - 1)
            same |= (uint32_t)(pointers[ptx_first(other)] == pointer) << ptx_first(other);
        if (pointer < PTX_CODE_WINDOW || pointer % 16 || index >= launch->program->function_count)
            cushim__ptx_fault_at(step, PTX_INVALID_PC, ptx_first(left), "0x%llx is no function",
                                 (unsigned long long)pointer);
        else
            enter(step, (uint32_t)index, same);
        if (launch->state != PTX_RUNNING)
            return;
    }
}

void cushim__ptx_return(struct ptx_step *step)
{
    struct ptx_launch *launch = step->launch;
    struct ptx_warp *warp = step->warp;
    const lane_u32 *row = ptx_frame_row(warp, warp->base, FRAME_RETURN),
                   *callers = ptx_frame_row(warp, warp->base, FRAME_CALLER);
    const struct ptx_function *own = &launch->program->functions[step->at->target];

    cushim__ptx_group_save(warp);
    step->leave = true;
    for (uint32_t left = step->mask; left; left &= left - 1) {
        const unsigned lane = ptx_first(left);
        const struct ptx_instruction *call = &launch->program->code[row[lane] - 1];
        const uint32_t *list = launch->program->lists + call->list;
        const uint32_t caller = callers[lane];
        const uint32_t local = warp->local_bases[lane] - call->d;

        pass(warp, lane, list, own->parameters, call->sub, local, warp->local_bases[lane], true);
        warp->pcs[lane] = row[lane];
        warp->bases[lane] = caller;
        warp->local_bases[lane] = local;
    }
}
