/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Textures and surfaces, as in the appendix on texture fetching of the CUDA programming guide: a
 * coordinate becomes a number with 8 bits of fraction. Its integer part selects two texels of each
 * extent, and its fraction is their weight.
 */
#include <math.h>
#include <string.h>

#include "src/ptx/execute/launch_state.h"

enum { CHANNELS = 4, EXTENTS = 3 };

/* The precision of weights, and that of normalised coordinates on an H200. */
enum { FRACTION = 1 << 8, NORMALISED = 1 << 21 };

/* The state of an instruction: what its lanes share, and the current lane. */
struct fetch {
    struct ptx_step *step;
    unsigned lane;
    uint64_t handle;
    struct ptx_texture texture;
};

/* A coordinate in one extent: the two texels that it is between, and the weight of the second. */
struct axis {
    int64_t at[2];
    bool outside[2];
    unsigned weight; /* in units of 1 / FRACTION */
};

static const struct {
    unsigned char bytes; /* of a channel */
    bool is_signed, is_real;
    double most; /* the greatest number, which is read as 1; 0 if numbers are not scaled */
} kinds[] = {
    [PTX_TEXEL_U8] = {1, false, false, 255},    [PTX_TEXEL_S8] = {1, true, false, 127},
    [PTX_TEXEL_U16] = {2, false, false, 65535}, [PTX_TEXEL_S16] = {2, true, false, 32767},
    [PTX_TEXEL_U32] = {4, false, false, 0},     [PTX_TEXEL_S32] = {4, true, false, 0},
    [PTX_TEXEL_F16] = {2, true, true, 0},       [PTX_TEXEL_F32] = {4, true, true, 0},
};

/* Whether a read returns integers, as their bits. */
static bool gives_integers(const struct ptx_texture *texture)
{
    return !kinds[texture->texel].is_real && (texture->integers || kinds[texture->texel].most == 0);
}

static unsigned char *bytes_at(struct fetch *fetch, uint64_t offset, int64_t y, int64_t z,
                               unsigned bytes, enum ptx_use use)
{
    const struct ptx_texture *texture = &fetch->texture;
    struct ptx_counts *counts = &fetch->step->launch->counts;

    *(use == PTX_WRITE ? &counts->bytes_written : &counts->bytes_read) += bytes;
    return cushim__ptx_bytes(fetch->step, fetch->lane, PTX_GLOBAL,
                             texture->address + offset + (uint64_t)y * texture->row_bytes +
                                 (uint64_t)z * texture->layer_bytes,
                             bytes, use);
}

/* --- texels --- */

/* Return the value of a channel. An integer that is read unchanged keeps all its bits. */
static double number_of(const struct ptx_texture *texture, uint32_t bits, unsigned channel)
{
    const unsigned unused = 32 - 8 * kinds[texture->texel].bytes;
    double value;

    if (kinds[texture->texel].is_real)
        return texture->texel == PTX_TEXEL_F16 ? cushim__ptx_to_double(TYPE_F16, bits)
                                               : (double)ptx_float32(bits);
    if (kinds[texture->texel].is_signed)
        bits = (uint32_t)((int32_t)(bits << unused) >> unused);
    if (gives_integers(texture))
        return bits;
    value = kinds[texture->texel].is_signed ? (double)(int32_t)bits : (double)bits;
    value /= kinds[texture->texel].most;
    if (texture->srgb && texture->texel == PTX_TEXEL_U8 && channel < 3)
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
    return value < -1 ? -1 : value;
}

/* Convert the value of a channel to what an instruction returns. */
static uint32_t result_of(const struct ptx_texture *texture, double value)
{
    return gives_integers(texture) ? (uint32_t)(int64_t)value : ptx_bits32((float)value);
}

/* Returns false after a fault. */
static bool read_texel(struct fetch *fetch, const struct axis axes[EXTENTS], unsigned corner,
                       double values[CHANNELS])
{
    const struct ptx_texture *texture = &fetch->texture;
    const unsigned bytes = kinds[texture->texel].bytes;
    int64_t at[EXTENTS];
    bool outside = false;
    const unsigned char *place;

    for (unsigned i = 0; i < EXTENTS; i++) {
        at[i] = axes[i].at[corner >> i & 1];
        outside |= axes[i].outside[corner >> i & 1];
    }
    /* Outside is the border. Channels that the texture lacks are zero. */
    for (unsigned i = 0; i < CHANNELS; i++)
        values[i] = outside && i < texture->channels ? texture->border[i] : 0;
    if (outside)
        return true;
    place = bytes_at(fetch, (uint64_t)at[0] * bytes * texture->channels, at[1], at[2],
                     bytes * texture->channels, PTX_READ);
    for (unsigned i = 0; place && i < texture->channels; i++)
        values[i] =
            number_of(texture, (uint32_t)ptx_read_number(place + (size_t)i * bytes, bytes), i);
    return place != NULL;
}

/* --- coordinates --- */

static int64_t modulo(int64_t value, int64_t by)
{
    const int64_t rest = value % by;

    return rest < 0 ? rest + by : rest;
}

/* Return the texel for an index that may be outside, by the address mode. */
static int64_t addressed(enum ptx_addressing mode, int64_t at, int64_t count, bool *outside)
{
    *outside = false;
    switch (mode) {
    case PTX_WRAP:
        return modulo(at, count);
    case PTX_MIRROR:
        at = modulo(at, 2 * count);
        return at < count ? at : 2 * count - 1 - at;
    case PTX_BORDER:
        *outside = at < 0 || at >= count;
        return *outside ? 0 : at;
    default:
        return at < 0 ? 0 : at >= count ? count - 1 : at;
    }
}

/* Round down to an integer, within bounds that no extent and its repetitions reach. */
static int64_t whole(double value)
{
    const double most = 1e12;

    return value > -most && value < most ? (int64_t)floor(value)
           : value > 0                   ? (int64_t)most
           : value < 0                   ? -(int64_t)most
                                         : 0;
}

static int64_t extent_of(const struct ptx_texture *texture, unsigned extent)
{
    return extent == 0 ? texture->width : extent == 1 ? texture->height : texture->depth;
}

static struct axis locate(const struct ptx_texture *texture, unsigned extent, double coordinate,
                          bool between)
{
    const int64_t count = extent_of(texture, extent);
    enum ptx_addressing mode = texture->addressing[extent];
    struct axis axis = {.weight = 0};
    int64_t at;

    /* Wrapping and mirroring need normalised coordinates; others are clamped. */
    if (!texture->normalised && mode != PTX_BORDER)
        mode = PTX_CLAMP;
    if (texture->normalised)
        coordinate = floor(coordinate * NORMALISED) * (double)count / NORMALISED;
    if (between) {
        at = whole((coordinate - 0.5) * FRACTION + 0.5);
        axis.weight = (unsigned)modulo(at, FRACTION);
        at = (at - axis.weight) / FRACTION;
    } else {
        at = whole(coordinate);
    }
    axis.at[0] = addressed(mode, at, count, &axis.outside[0]);
    axis.at[1] = addressed(mode, at + 1, count, &axis.outside[1]);
    return axis;
}

/*
 * Coordinates outside read the border, or, in a texture with several levels, the nearest texel; the
 * address mode does not count.
 */
static struct axis at_integer(const struct ptx_texture *texture, unsigned extent, int64_t at)
{
    const int64_t count = extent_of(texture, extent);
    bool outside;

    at = addressed(texture->levels > 1 ? PTX_CLAMP : PTX_BORDER, at, count, &outside);
    return (struct axis){.at = {at, at}, .outside = {outside, outside}};
}

static struct axis at_layer(const struct ptx_texture *texture, uint32_t layer, unsigned face)
{
    const uint32_t faces = texture->cube ? 6 : 1, layers = texture->depth / faces;
    const int64_t at = (int64_t)(layer < layers ? layer : layers - 1) * faces + face;

    return (struct axis){.at = {at, at}};
}

/* Return the face that a direction goes through, and set the normalised coordinates there. */
static unsigned face_of(const float direction[EXTENTS], double coordinates[2])
{
    const float x = direction[0], y = direction[1], z = direction[2];
    const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    double major, s, t;
    unsigned face;

    if (az >= ax && az >= ay) {
        face = z < 0 ? 5 : 4;
        major = az, s = z < 0 ? -x : x, t = -y;
    } else if (ay >= ax) {
        face = y < 0 ? 3 : 2;
        major = ay, s = x, t = y < 0 ? -z : z;
    } else {
        face = x < 0 ? 1 : 0;
        major = ax, s = x < 0 ? z : -z, t = -y;
    }
    coordinates[0] = major > 0 ? (s / major + 1) / 2 : 0;
    coordinates[1] = major > 0 ? (t / major + 1) / 2 : 0;
    return face;
}

/* Locate the lane's coordinates. `between` says that texels are weighted, not only selected. */
static void locate_all(const struct fetch *fetch, const uint32_t *coordinates, bool between,
                       struct axis axes[EXTENTS])
{
    const struct ptx_instruction *at = fetch->step->at;
    const struct ptx_texture *texture = &fetch->texture;
    const unsigned geometry = at->other, extents = geometry & GEOMETRY_EXTENTS;
    const uint32_t layer = geometry & GEOMETRY_LAYER ? *coordinates++ : 0;
    float reals[EXTENTS] = {0};

    memcpy(reals, coordinates, extents * sizeof *reals);
    memset(axes, 0, EXTENTS * sizeof *axes);
    if (geometry & GEOMETRY_CUBE) {
        struct ptx_texture cube = *texture;
        double place[2];
        const unsigned face = face_of(reals, place);

        cube.normalised = true;
        cube.addressing[0] = cube.addressing[1] = PTX_CLAMP;
        axes[0] = locate(&cube, 0, place[0], between);
        axes[1] = locate(&cube, 1, place[1], between);
        axes[2] = at_layer(texture, layer, face);
        return;
    }
    for (unsigned i = 0; i < extents; i++)
        axes[i] = at->flags & FLAG_SIGNED ? at_integer(texture, i, (int32_t)coordinates[i])
                                          : locate(texture, i, reals[i], between);
    if (geometry & GEOMETRY_LAYER)
        axes[2] = at_layer(texture, layer, 0);
}

/* --- textures --- */

/* Read one level. Returns false after a fault. */
static bool sample(struct fetch *fetch, const uint32_t *coordinates, double sums[CHANNELS])
{
    const struct ptx_texture *texture = &fetch->texture;
    const bool between =
        texture->linear && !gives_integers(texture) && !(fetch->step->at->flags & FLAG_SIGNED);
    struct axis axes[EXTENTS];
    double texel[CHANNELS];

    memset(sums, 0, CHANNELS * sizeof *sums);
    locate_all(fetch, coordinates, between, axes);
    for (unsigned corner = 0; corner < 1 << EXTENTS; corner++) {
        double weight = 1;

        for (unsigned i = 0; i < EXTENTS; i++)
            weight *= corner >> i & 1 ? axes[i].weight : FRACTION - axes[i].weight;
        if (weight == 0)
            continue;
        if (!read_texel(fetch, axes, corner, texel))
            return false;
        for (unsigned i = 0; i < CHANNELS; i++)
            sums[i] = between ? sums[i] + weight * texel[i] : texel[i];
        if (!between)
            return true;
    }
    for (unsigned i = 0; i < CHANNELS; i++)
        sums[i] = sums[i] / FRACTION / FRACTION / FRACTION;
    return true;
}

/* --- levels --- */

/* Reduce a texture with several levels to one of them. */
static void reduce(struct ptx_texture *texture, unsigned level)
{
    const bool flat = texture->layered || texture->cube;

    while (level-- > 0) {
        texture->address += texture->layer_bytes * texture->depth;
        texture->row_bytes /= texture->width;
        texture->width = texture->width > 1 ? texture->width / 2 : 1;
        texture->height = texture->height > 1 ? texture->height / 2 : 1;
        texture->depth = !flat && texture->depth > 1 ? texture->depth / 2 : texture->depth;
        texture->row_bytes *= texture->width;
        texture->layer_bytes = texture->row_bytes * texture->height;
    }
}

/* Return the base-2 logarithm of the longer gradient, in texels. */
static double level_of_gradients(const struct fetch *fetch, const uint32_t *more)
{
    const unsigned extents = fetch->step->at->other & GEOMETRY_EXTENTS;
    double longest = 0;

    for (unsigned i = 0; i < 2; i++) {
        double square = 0;

        for (unsigned j = 0; j < extents; j++) {
            const double part =
                (double)ptx_float32(more[i * extents + j]) * (double)extent_of(&fetch->texture, j);

            square += part * part;
        }
        longest = square > longest ? square : longest;
    }
    return log2(longest) / 2;
}

/*
 * Find the level that is read, in units of 1 / FRACTION; `more` has what comes after the
 * coordinates. Returns false if there is no such level. As on an H200, a given level is rounded
 * down to that unit, and the level of gradients to the nearest; only these two are biased, and with
 * integer coordinates there are neither bias nor bounds (driver-semantics.md #227).
 */
static bool find_level(const struct fetch *fetch, const uint32_t *more, unsigned *level)
{
    const struct ptx_instruction *at = fetch->step->at;
    const struct ptx_texture *texture = &fetch->texture;
    const double last = texture->levels - 1;
    double wanted = 0;

    if (at->flags & FLAG_SIGNED) {
        *level = at->type == LEVEL_GIVEN ? *more * FRACTION : 0;
        return at->type != LEVEL_GIVEN || *more < texture->levels;
    }
    if (at->type == LEVEL_GIVEN)
        wanted = (double)ptx_float32(*more) + (double)texture->bias;
    else if (at->type == LEVEL_OF_GRADIENTS)
        wanted = level_of_gradients(fetch, more) + (double)texture->bias + 0.5 / FRACTION;
    wanted = wanted > (double)texture->most ? (double)texture->most : wanted;
    wanted = wanted < (double)texture->least ? (double)texture->least : wanted;
    wanted = wanted > last ? last : wanted;
    *level = wanted > 0 ? (unsigned)(wanted * FRACTION) : 0;
    if (!texture->between_levels || gives_integers(texture))
        *level = (*level + FRACTION / 2) / FRACTION * FRACTION;
    return true;
}

static void fetch_one(struct fetch *fetch, const uint32_t *coordinates, uint64_t *values)
{
    const struct ptx_texture whole = fetch->texture;
    const uint32_t *more = coordinates + ptx_coordinates(fetch->step->at->other);
    double sums[2][CHANNELS] = {{0}};
    unsigned level = 0, weight;
    bool is_read;

    if (whole.levels > 1 && !find_level(fetch, more, &level))
        return;
    weight = level % FRACTION;
    reduce(&fetch->texture, level / FRACTION);
    is_read = sample(fetch, coordinates, sums[0]);
    if (is_read && weight > 0) {
        reduce(&fetch->texture, 1);
        is_read = sample(fetch, coordinates, sums[1]);
    }
    fetch->texture = whole;
    for (unsigned i = 0; is_read && i < CHANNELS; i++) {
        const double value =
            weight == 0 ? sums[0][i]
                        : (sums[0][i] * (FRACTION - weight) + sums[1][i] * weight) / FRACTION;

        values[i] = result_of(&whole, value);
    }
}

/* Return one channel of the four nearest texels, counterclockwise from the lower left. */
static void gather(struct fetch *fetch, const uint32_t *coordinates, uint64_t *values)
{
    static const unsigned char corners[] = {2, 3, 1, 0};
    const struct ptx_texture *texture = &fetch->texture;
    const unsigned channel = fetch->step->at->rounding;
    struct axis axes[EXTENTS];

    locate_all(fetch, coordinates, true, axes);
    for (unsigned i = 0; i < CHANNELS; i++) {
        double texel[CHANNELS];

        if (!read_texel(fetch, axes, corners[i], texel))
            return;
        values[i] = result_of(texture, texel[channel]);
    }
}

static uint32_t property(const struct ptx_texture *whole, enum ptx_texture_property which,
                         uint32_t level)
{
    const uint32_t levels = whole->levels ? whole->levels : 1;
    struct ptx_texture texture = *whole;

    reduce(&texture, level < levels ? level : levels - 1);
    return (const uint32_t[]){
        [PROPERTY_WIDTH] = texture.width,
        [PROPERTY_HEIGHT] = texture.height,
        [PROPERTY_DEPTH] = texture.layered || texture.cube ? 1 : texture.depth,
        [PROPERTY_LAYERS] = texture.layered ? texture.depth / (texture.cube ? 6 : 1) : 1,
        [PROPERTY_LEVELS] = levels,
        [PROPERTY_SAMPLES] = 1,
        [PROPERTY_NORMALISED] = texture.normalised,
    }[which];
}

/* --- surfaces --- */

/*
 * Return the place of `bytes` bytes; x is the index of the first byte in its row. Returns NULL
 * after a fault, or outside of the surface if that is none.
 */
static unsigned char *surface_place(struct fetch *fetch, const uint32_t *coordinates,
                                    unsigned bytes, enum ptx_use use)
{
    const struct ptx_instruction *at = fetch->step->at;
    const struct ptx_texture *texture = &fetch->texture;
    const unsigned geometry = at->other;
    const uint64_t row = (uint64_t)texture->width * kinds[texture->texel].bytes * texture->channels;
    const int64_t most[EXTENTS] = {(int64_t)row - bytes, (int64_t)texture->height - 1,
                                   (int64_t)texture->depth - 1};
    int64_t place[EXTENTS] = {0};
    bool outside = false;

    if (geometry & GEOMETRY_LAYER)
        place[2] = *coordinates++;
    for (unsigned i = 0; i < (geometry & GEOMETRY_EXTENTS); i++)
        place[i] = (int32_t)coordinates[i];
    for (unsigned i = 0; i < EXTENTS; i++) {
        outside |= place[i] < 0 || place[i] > most[i];
        if (at->rounding == OUTSIDE_CLAMP)
            place[i] = place[i] < 0 ? 0 : place[i] > most[i] ? most[i] : place[i];
    }
    if (most[0] < 0 || (outside && at->rounding == OUTSIDE_TRAP)) {
        cushim__ptx_fault_at(fetch->step, PTX_TRAP, fetch->lane,
                             "a surface is used outside, at byte %lld of row %lld of layer %lld",
                             (long long)place[0], (long long)place[1], (long long)place[2]);
        return NULL;
    }
    if (outside && at->rounding == OUTSIDE_ZERO)
        return NULL;
    return bytes_at(fetch, (uint64_t)place[0], place[1], place[2], bytes, use);
}

/* `values` has the elements that are loaded or stored. */
static void use_surface(struct fetch *fetch, const uint32_t *coordinates, uint64_t *values,
                        unsigned count)
{
    const unsigned bytes = fetch->step->at->bytes;
    const bool loads = fetch->step->at->sub == SURFACE_LOAD;
    unsigned char *place =
        surface_place(fetch, coordinates, bytes * count, loads ? PTX_READ : PTX_WRITE);

    for (unsigned i = 0; place && i < count; i++) {
        if (loads)
            values[i] = ptx_read_number(place + (size_t)i * bytes, bytes);
        else
            ptx_write_number(place + (size_t)i * bytes, bytes, values[i]);
    }
}

/* --- instructions --- */

/* Returns false after a fault. */
static bool find(struct fetch *fetch, uint64_t handle)
{
    const struct ptx_launch *launch = fetch->step->launch;
    const bool wants_surface = fetch->step->at->sub >= SURFACE_LOAD;

    if (handle == fetch->handle && fetch->texture.address)
        return true;
    fetch->handle = handle;
    if (launch->callbacks->texture &&
        launch->callbacks->texture(launch->data, handle, &fetch->texture) &&
        fetch->texture.address && (fetch->texture.surface || !wants_surface))
        return true;
    fetch->texture.address = 0;
    cushim__ptx_fault_at(fetch->step, PTX_TRAP, fetch->lane,
                         "0x%llx is no %s, or nothing is bound to it", (unsigned long long)handle,
                         wants_surface ? "surface" : "texture");
    return false;
}

/* The list has the coordinates, the level, and the elements that are loaded or stored. */
void cushim__ptx_texture(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const lane_u64 *handles = (const lane_u64 *)(const void *)ptx_row(step, at->a);
    const unsigned count = ptx_texture_sources(at);
    const uint32_t *list = step->launch->program->lists + at->list;
    const bool stores = at->sub == SURFACE_STORE;
    const bool wide = at->bytes == 8;
    struct fetch fetch = {.step = step};

    for (uint32_t left = step->mask; left; left &= left - 1) {
        const unsigned lane = ptx_first(left);
        uint32_t coordinates[CHANNELS + 2 * EXTENTS];
        uint64_t values[CHANNELS] = {0};

        fetch.lane = lane;
        if (!find(&fetch, handles[lane]))
            return;
        for (unsigned i = 0; i < count; i++)
            coordinates[i] = (uint32_t)ptx_number(ptx_row(step, list[i]), lane, false);
        for (unsigned i = 0; stores && i < at->count; i++)
            values[i] = ptx_number(ptx_row(step, list[count + i]), lane, wide);
        if (at->sub == TEXTURE_FETCH)
            fetch_one(&fetch, coordinates, values);
        else if (at->sub == TEXTURE_GATHER)
            gather(&fetch, coordinates, values);
        else if (at->sub == TEXTURE_QUERY)
            values[0] = property(&fetch.texture, (enum ptx_texture_property)at->rounding,
                                 count > 0 ? coordinates[0] : 0);
        else
            use_surface(&fetch, coordinates, values, at->count);
        if (step->launch->state == PTX_FAULT)
            return;
        for (unsigned i = 0; !stores && i < at->count; i++) {
            if (list[count + i] != PTX_UNUSED)
                ptx_set_number(step->frame + list[count + i], lane, wide, values[i]);
        }
    }
}
