/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs: whether anything orders two of their operations is computed here, as whether one
 * can be reached from the other along what orders them, and compared with what the mock says.
 */
#include <stdio.h>
#include <string.h>

#include "tests/mock/race_world.h"

enum {
    PROGRAMS = 120,
    STEPS = 40, /* at most; half of the programs are short, so that some have no race */
    NODES = 200,
    STREAMS = 5, /* the first is the default stream, the next two block it */
    EVENTS = 4,
    MEMORIES = 3,
    BLOCK = 1024, /* what kernels access from where their parameter points */
};

/* A use of memory, a record, a wait, or something that the host has waited for. */
struct node {
    uint64_t operation; /* of a use of memory; 0: it is none */
    unsigned memory, first, end;
    bool writes;
};

static struct node nodes[NODES];
static bool reaches[NODES][NODES];
static unsigned node_count;

static CUstream streams[STREAMS];
static CUevent events[EVENTS];
static CUdeviceptr memories[MEMORIES];
static int last[STREAMS], recorded[EVENTS], host; /* nodes; -1: none */
static int gone[STEPS];                           /* ends of destroyed streams that blocked */
static unsigned gone_count;
static uint64_t submitted, random_state;

static unsigned draw(unsigned below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 33) % below;
}

static void watch(void *data, const struct cushim_mock_trace *entry)
{
    (void)data;
    if (strcmp(entry->what, "submit") == 0)
        submitted = entry->operation;
}

static void connect(int from, unsigned to)
{
    if (from >= 0)
        reaches[from][to] = true;
}

static bool is_blocking(unsigned stream)
{
    return stream < 3;
}

/* A node of a stream, behind what comes before it there. */
static unsigned add_node(unsigned stream)
{
    const unsigned node = node_count++;

    assert_true(node < NODES);
    nodes[node] = (struct node){0};
    connect(last[stream], node);
    connect(host, node);
    if (stream == 0) {
        for (unsigned i = 1; i < STREAMS; i++)
            connect(is_blocking(i) ? last[i] : -1, node);
        for (unsigned i = 0; i < gone_count; i++)
            connect(gone[i], node);
    } else if (is_blocking(stream)) {
        connect(last[0], node);
    }
    last[stream] = (int)node;
    return node;
}

static void use(unsigned stream)
{
    const unsigned memory = draw(MEMORIES), place = draw(4) * (BLOCK / 2);
    const unsigned kind = draw(4), node = add_node(stream);
    unsigned bytes = BLOCK;

    if (kind == 0) {
        bytes = 1 + draw(2 * BLOCK);
        OK(driver->MemsetD8Async(memories[memory] + place, 1, bytes, streams[stream]));
    } else {
        race_launch(kind == 1 ? race_writes : race_reads, memories[memory] + place,
                    streams[stream]);
    }
    nodes[node] = (struct node){submitted, memory, place, place + bytes, kind < 2};
}

static void record(unsigned stream)
{
    const unsigned event = draw(EVENTS);

    OK(driver->EventRecord(events[event], streams[stream]));
    recorded[event] = (int)add_node(stream);
}

static void wait(unsigned stream)
{
    const unsigned event = draw(EVENTS);

    OK(driver->StreamWaitEvent(streams[stream], events[event], 0));
    if (recorded[event] >= 0)
        connect(recorded[event], add_node(stream));
}

/* The host waits, and whatever it does after comes behind. */
static unsigned add_host_node(void)
{
    const unsigned node = node_count++;

    assert_true(node < NODES);
    nodes[node] = (struct node){0};
    connect(host, node);
    host = (int)node;
    return node;
}

static void wait_on_host(unsigned stream)
{
    const unsigned kind = draw(8), event = draw(EVENTS), node = add_host_node();

    if (kind == 0) {
        OK(driver->CtxSynchronize());
        for (unsigned i = 0; i < STREAMS; i++)
            connect(last[i], node);
        for (unsigned i = 0; i < gone_count; i++)
            connect(gone[i], node);
    } else if (kind < 4) {
        OK(driver->EventSynchronize(events[event]));
        connect(recorded[event], node);
    } else {
        OK(driver->StreamSynchronize(streams[stream]));
        connect(last[stream], node);
        for (unsigned i = 1; stream == 0 && i < STREAMS; i++)
            connect(is_blocking(i) ? last[i] : -1, node);
        for (unsigned i = 0; stream == 0 && i < gone_count; i++)
            connect(gone[i], node);
    }
}

/* Another stream takes the place of one that blocks. */
static void renew(void)
{
    const unsigned stream = 1 + draw(2);

    OK(driver->StreamDestroy_v2(streams[stream]));
    OK(driver->StreamCreate(&streams[stream], CU_STREAM_DEFAULT));
    if (last[stream] >= 0)
        gone[gone_count++] = last[stream];
    last[stream] = -1;
}

static void step(void)
{
    const unsigned stream = draw(STREAMS), kind = draw(20);

    if (kind < 10)
        use(stream);
    else if (kind < 13)
        record(stream);
    else if (kind < 17)
        wait(stream);
    else if (kind < 19)
        wait_on_host(stream);
    else
        renew();
}

static void begin(const char *settings, unsigned seed)
{
    race_begin(settings);
    for (unsigned i = 0; i < STREAMS; i++)
        OK(i == 0 ? CUDA_SUCCESS
                  : driver->StreamCreate(&streams[i], is_blocking(i) ? CU_STREAM_DEFAULT
                                                                     : CU_STREAM_NON_BLOCKING));
    for (unsigned i = 0; i < EVENTS; i++)
        events[i] = world_event();
    for (unsigned i = 0; i < MEMORIES; i++)
        OK(driver->MemAlloc_v2(&memories[i], 4 * BLOCK));
    memset(reaches, 0, sizeof reaches);
    memset(last, -1, sizeof last);
    memset(recorded, -1, sizeof recorded);
    host = -1;
    gone_count = node_count = 0;
    random_state = 0x9e3779b97f4a7c15u * (seed + 1);
    cushim_mock_trace_set(world, watch, NULL);
}

static void end(void)
{
    cushim_mock_trace_set(world, NULL, NULL);
    for (unsigned i = 1; i < STREAMS; i++)
        OK(driver->StreamDestroy_v2(streams[i]));
    for (unsigned i = 0; i < EVENTS; i++)
        OK(driver->EventDestroy_v2(events[i]));
    for (unsigned i = 0; i < MEMORIES; i++)
        OK(driver->MemFree_v2(memories[i]));
    race_end();
}

/* From what orders two nodes directly to what orders them at all. */
static void close_over(void)
{
    for (unsigned k = 0; k < node_count; k++) {
        for (unsigned i = 0; i < node_count; i++) {
            for (unsigned j = 0; reaches[i][k] && j < node_count; j++)
                reaches[i][j] |= reaches[k][j];
        }
    }
}

static bool is_race(unsigned i, unsigned j)
{
    const struct node *one = &nodes[i], *other = &nodes[j];

    return !reaches[i][j] && one->memory == other->memory && (one->writes || other->writes) &&
           one->first < other->end && other->first < one->end;
}

/* The node of an operation that a text names at `(operation`. */
static unsigned named(const char **text)
{
    unsigned long long operation = 0;

    *text = strstr(*text, "(operation ");
    assert_non_null(*text);
    assert_int_equal(sscanf(*text, "(operation %llu,", &operation), 1);
    *text += 1;
    for (unsigned i = 0; i < node_count; i++) {
        if (nodes[i].operation == operation)
            return i;
    }
    fail_msg("no operation %llu", operation);
    return 0;
}

/* Each pair of uses is ordered as it is here; returns in which memories there are races. */
static unsigned check_orders(void)
{
    unsigned racy = 0;

    for (unsigned i = 0; i < node_count; i++) {
        for (unsigned j = i + 1; nodes[i].operation && j < node_count; j++) {
            enum cushim_mock_order order;

            if (!nodes[j].operation)
                continue;
            OK(cushim_mock_ordered(world, nodes[i].operation, nodes[j].operation, &order, NULL, 0));
            assert_int_equal(order,
                             reaches[i][j] ? CUSHIM_MOCK_ORDER_BEFORE : CUSHIM_MOCK_ORDER_NONE);
            if (is_race(i, j))
                racy |= 1u << nodes[i].memory;
        }
    }
    return racy;
}

/* Each text tells of a race; returns in which memories. */
static unsigned check_texts(void)
{
    const char *text;
    unsigned told = 0;

    for (size_t i = 0; (text = cushim_mock_race(world, i)); i++) {
        const unsigned later = named(&text), earlier = named(&text);

        assert_true(is_race(earlier, later));
        told |= 1u << nodes[later].memory;
    }
    return told;
}

/* Kernels access one block from where their parameter points. */
static void bound_kernels(void)
{
    static const size_t block = BLOCK;
    static const enum cushim_mock_access accesses[] = {CUSHIM_MOCK_ACCESS_READ,
                                                       CUSHIM_MOCK_ACCESS_WRITE};
    static const char *const names[] = {"reads", "writes"};

    for (unsigned i = 0; i < 2; i++) {
        const struct cushim_mock_kernel kernel = {.size = sizeof kernel,
                                                  .name = names[i],
                                                  .duration_ns = 3000,
                                                  .accesses = &accesses[i],
                                                  .access_bytes = &block,
                                                  .parameter_count = 1};

        OK(cushim_mock_kernel_register(world, &kernel));
    }
}

static void check_programs(const char *settings)
{
    unsigned racy_count = 0, clean_count = 0;

    for (unsigned seed = 0; seed < PROGRAMS; seed++) {
        unsigned racy;

        begin(settings, seed);
        bound_kernels();
        for (unsigned i = 0; i < (seed % 2 ? STEPS : 4 + seed % 12); i++)
            step();
        close_over();
        racy = check_orders();
        assert_int_equal(check_texts(), racy);
        racy_count += racy != 0;
        clean_count += racy == 0;
        end();
    }
    /* Programs of both kinds were there. */
    assert_true(racy_count > PROGRAMS / 20);
    assert_true(clean_count > PROGRAMS / 20);
}

static void random_programs_are_told_as_they_are(void **state)
{
    (void)state;
    check_programs("schedule = fifo");
}

static void random_programs_are_told_so_in_any_schedule(void **state)
{
    (void)state;
    check_programs("schedule = lazy");
    check_programs("schedule = eager");
    check_programs("schedule = random");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_are_told_as_they_are),
        cmocka_unit_test(random_programs_are_told_so_in_any_schedule),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
