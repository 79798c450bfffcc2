/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Textures and surfaces, as the appendix on texture fetching of the CUDA programming guide
 * describes them: a coordinate becomes a number with 8 bits of fraction, whose whole part chooses
 * two texels of each extent, and whose fraction is their weight.
 */
#include <math.h>
#include <string.h>

#include "src/mock/kernel/launch.h"

enum { CHANNELS = 4, EXTENTS = 3 };

/* The precision of weights, and of normalised coordinates as an H200 takes them. */
enum { FRACTION = 1 << 8, NORMALISED = 1 << 21 };

/* What the lanes of one instruction share, and where one of them is. */
struct fetch {
    struct ptx_step *step;
    unsigned lane;
    uint64_t handle;
    struct ptx_texture texture;
};

/* A coordinate: the two texels that it is between, and how near it is to the second. */
struct axis {
    int64_t at[2];
    bool outside[2];
    unsigned weight; /* of FRACTION */
};

static const struct {
    unsigned char bytes; /* of a channel */
    bool is_signed, is_real;
    double most; /* of the numbers that become those from -1 or 0 to 1; 0: none do */
} kinds[] = {
    [PTX_TEXEL_U8] = {1, false, false, 255},    [PTX_TEXEL_S8] = {1, true, false, 127},
    [PTX_TEXEL_U16] = {2, false, false, 65535}, [PTX_TEXEL_S16] = {2, true, false, 32767},
    [PTX_TEXEL_U32] = {4, false, false, 0},     [PTX_TEXEL_S32] = {4, true, false, 0},
    [PTX_TEXEL_F16] = {2, true, true, 0},       [PTX_TEXEL_F32] = {4, true, true, 0},
};

/* Whether what is read are the bits of integers. */
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

/* A channel as a number; an integer that is read unchanged keeps all its bits. */
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

/* What an instruction returns of a channel. */
static uint32_t result_of(const struct ptx_texture *texture, double value)
{
    return gives_integers(texture) ? (uint32_t)(int64_t)value : ptx_bits32((float)value);
}

/* False: a fault. */
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
    /* Outside there is the border; the channels that the texture lacks are zero. */
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

/* The texel that is taken for one that may be outside. */
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

/* A whole number within what an extent and its repetitions can be. */
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

    /* Wrapping and mirroring need a coordinate that is normalised; others are clamped. */
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

/* Outside there is the border, whatever the address mode is. */
static struct axis at_integer(const struct ptx_texture *texture, unsigned extent, int64_t at)
{
    const int64_t count = extent_of(texture, extent);
    bool outside;

    at = addressed(PTX_BORDER, at, count, &outside);
    return (struct axis){.at = {at, at}, .outside = {outside, outside}};
}

static struct axis at_layer(const struct ptx_texture *texture, uint32_t layer, unsigned face)
{
    const uint32_t faces = texture->cube ? 6 : 1, layers = texture->depth / faces;
    const int64_t at = (int64_t)(layer < layers ? layer : layers - 1) * faces + face;

    return (struct axis){.at = {at, at}};
}

/* A direction: the face that it goes through, and where, normalised. */
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

/* Where the lane's coordinates are. `between`: there is a weight, and not only a texel. */
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

static void fetch_one(struct fetch *fetch, const uint32_t *coordinates, uint64_t *values)
{
    const struct ptx_texture *texture = &fetch->texture;
    const bool between =
        texture->linear && !gives_integers(texture) && !(fetch->step->at->flags & FLAG_SIGNED);
    double sums[CHANNELS] = {0};
    struct axis axes[EXTENTS];
    double texel[CHANNELS];

    locate_all(fetch, coordinates, between, axes);
    for (unsigned corner = 0; corner < 1 << EXTENTS; corner++) {
        double weight = 1;

        for (unsigned i = 0; i < EXTENTS; i++)
            weight *= corner >> i & 1 ? axes[i].weight : FRACTION - axes[i].weight;
        if (weight == 0)
            continue;
        if (!read_texel(fetch, axes, corner, texel))
            return;
        for (unsigned i = 0; i < CHANNELS; i++)
            sums[i] += weight * texel[i];
        if (!between)
            break;
    }
    for (unsigned i = 0; i < CHANNELS; i++)
        values[i] =
            result_of(texture, between ? sums[i] / FRACTION / FRACTION / FRACTION : texel[i]);
}

/* One channel of the four texels around, against the clock from the lower left. */
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

static uint32_t property(const struct ptx_texture *texture, enum ptx_texture_property which)
{
    const uint32_t values[] = {
        [PROPERTY_WIDTH] = texture->width,
        [PROPERTY_HEIGHT] = texture->height,
        [PROPERTY_DEPTH] = texture->layered || texture->cube ? 1 : texture->depth,
        [PROPERTY_LAYERS] = texture->layered ? texture->depth / (texture->cube ? 6 : 1) : 1,
        [PROPERTY_LEVELS] = 1,
        [PROPERTY_SAMPLES] = 1,
        [PROPERTY_NORMALISED] = texture->normalised,
    };

    return values[which];
}

/* --- surfaces --- */

/*
 * The place of `bytes` bytes, of which x is the first one's number in its row. NULL: it is outside,
 * and that is no fault, or the launch has one.
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

/* `values`: the elements that are loaded or stored. */
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

/* False: a fault. */
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

/* The list has the coordinates, and then what is loaded or stored. */
void cushim__ptx_texture(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const lane_u64 *handles = (const lane_u64 *)(const void *)ptx_row(step, at->a);
    const unsigned count = at->sub == TEXTURE_QUERY ? 0 : ptx_coordinates(at->other);
    const uint32_t *list = step->launch->program->lists + at->list;
    const bool stores = at->sub == SURFACE_STORE;
    const bool wide = at->bytes == 8;
    struct fetch fetch = {.step = step};

    for (uint32_t left = step->mask; left; left &= left - 1) {
        const unsigned lane = ptx_first(left);
        uint32_t coordinates[CHANNELS];
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
            values[0] = property(&fetch.texture, (enum ptx_texture_property)at->rounding);
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
