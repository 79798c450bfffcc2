/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs: for any two operations, the mock and a model must agree about their order. */

#include "tests/mock/race_fixture.h"

/*
 * The model: the order of memory uses in a program, from the rules of streams and events alone. One
 * use precedes another if it reaches the other along direct relations. Streams, events and memories
 * are numbers here.
 */

enum {
    MODEL_STREAMS = 5, /* the first is the default stream, and the next two are blocking streams */
    MODEL_EVENTS = 4,
    NODES = 200,
    GONE = 40,
};

/* A use of memory, a record, a wait, or work that the host has waited for. */
struct model_node {
    uint64_t operation, call; /* the operation that uses memory, and its call; 0: none */
    unsigned memory, first, end;
    bool writes;
};

static struct model_node model_nodes[NODES];
static unsigned model_node_count;

static bool reaches[NODES][NODES];
static int last[MODEL_STREAMS], recorded[MODEL_EVENTS], host; /* nodes; -1: none */
static int gone[GONE];                                        /* last nodes of destroyed streams */
static unsigned gone_count;

static bool model_is_blocking(unsigned stream)
{
    return stream < 3;
}

static void connect(int from, unsigned to)
{
    if (from >= 0)
        reaches[from][to] = true;
}

/* Order a node after all blocking streams, including destroyed ones. */
static void connect_blocking(unsigned to)
{
    for (unsigned i = 1; i < MODEL_STREAMS; i++)
        connect(model_is_blocking(i) ? last[i] : -1, to);
    for (unsigned i = 0; i < gone_count; i++)
        connect(gone[i], to);
}

/* Add a node after everything that the host has waited for. */
static unsigned add_node(void)
{
    const unsigned node = model_node_count++;

    assert_true(node < NODES);
    model_nodes[node] = (struct model_node){0};
    connect(host, node);
    return node;
}

/* Add a node to a stream, after the stream's earlier nodes. */
static unsigned add_stream_node(unsigned stream)
{
    const unsigned node = add_node();

    connect(last[stream], node);
    if (stream == 0)
        connect_blocking(node);
    else if (model_is_blocking(stream))
        connect(last[0], node);
    last[stream] = (int)node;
    return node;
}

static unsigned add_host_node(void)
{
    const unsigned node = add_node();

    host = (int)node;
    return node;
}

/* Begin a program without steps. */
static void model_begin(void)
{
    memset(reaches, 0, sizeof reaches);
    memset(last, -1, sizeof last);
    memset(recorded, -1, sizeof recorded);
    host = -1;
    gone_count = model_node_count = 0;
}

static void model_use(unsigned stream, const struct model_node *use)
{
    model_nodes[add_stream_node(stream)] = *use;
}

static void model_record(unsigned stream, unsigned event)
{
    recorded[event] = (int)add_stream_node(stream);
}

static void model_wait(unsigned stream, unsigned event)
{
    if (recorded[event] >= 0)
        connect(recorded[event], add_stream_node(stream));
}

static void model_host_waits_for_context(void)
{
    const unsigned node = add_host_node();

    for (unsigned i = 0; i < MODEL_STREAMS; i++)
        connect(last[i], node);
    for (unsigned i = 0; i < gone_count; i++)
        connect(gone[i], node);
}

static void model_host_waits_for_event(unsigned event)
{
    connect(recorded[event], add_host_node());
}

static void model_host_waits_for_stream(unsigned stream)
{
    const unsigned node = add_host_node();

    connect(last[stream], node);
    if (stream == 0)
        connect_blocking(node);
}

/* Destroy a blocking stream, and use its number for another one. */
static void model_renew(unsigned stream)
{
    assert_true(gone_count < GONE);
    if (last[stream] >= 0)
        gone[gone_count++] = last[stream];
    last[stream] = -1;
}

/* All steps are known: compute the transitive closure of the direct relations. */
static void model_end(void)
{
    for (unsigned k = 0; k < model_node_count; k++) {
        for (unsigned i = 0; i < model_node_count; i++) {
            for (unsigned j = 0; reaches[i][k] && j < model_node_count; j++)
                reaches[i][j] |= reaches[k][j];
        }
    }
}

/* Whether the earlier of two nodes precedes the later one; only after model_end(). */
static bool model_is_ordered(unsigned earlier, unsigned later)
{
    return reaches[earlier][later];
}

static bool model_is_race(unsigned earlier, unsigned later)
{
    const struct model_node *one = &model_nodes[earlier], *other = &model_nodes[later];

    return !reaches[earlier][later] && one->memory == other->memory &&
           (one->writes || other->writes) && one->first < other->end && other->first < one->end;
}

/* The programs. */

enum {
    PROGRAMS = 120,
    STEPS = 40, /* at most; half of the programs are short, so that some have no race */
    MEMORIES = 3,
    BLOCK = 1024, /* the bytes that a kernel accesses from its argument on */
};

static CUstream streams[MODEL_STREAMS];
static CUevent events[MODEL_EVENTS];
static CUdeviceptr memories[MEMORIES];
static uint64_t submitted;

static void watch(void *data, const struct cushim_mock_trace *entry)
{
    (void)data;
    if (strcmp(entry->what, "submit") == 0)
        submitted = entry->operation;
}

static void use(unsigned stream)
{
    const unsigned memory = race_draw(MEMORIES), place = race_draw(4) * (BLOCK / 2);
    const unsigned kind = race_draw(4), bytes = kind == 0 ? 1 + race_draw(2 * BLOCK) : BLOCK;
    const CUdeviceptr address = memories[memory] + place;

    if (kind == 0)
        OK(driver->MemsetD8Async(address, 1, bytes, streams[stream]));
    else
        race_launch(kind == 1 ? race_writes : race_reads, address, streams[stream]);
    model_use(stream, &(struct model_node){submitted, fixture_state().calls, memory, place,
                                           place + bytes, kind < 2});
}

static void record(unsigned stream)
{
    const unsigned event = race_draw(MODEL_EVENTS);

    OK(driver->EventRecord(events[event], streams[stream]));
    model_record(stream, event);
}

static void wait(unsigned stream)
{
    const unsigned event = race_draw(MODEL_EVENTS);

    OK(driver->StreamWaitEvent(streams[stream], events[event], 0));
    model_wait(stream, event);
}

static void wait_on_host(unsigned stream)
{
    const unsigned kind = race_draw(8), event = race_draw(MODEL_EVENTS);

    if (kind == 0) {
        OK(driver->CtxSynchronize());
        model_host_waits_for_context();
    } else if (kind < 4) {
        OK(driver->EventSynchronize(events[event]));
        model_host_waits_for_event(event);
    } else {
        OK(driver->StreamSynchronize(streams[stream]));
        model_host_waits_for_stream(stream);
    }
}

/* Replace a blocking stream by another one. */
static void renew(void)
{
    const unsigned stream = 1 + race_draw(2);

    OK(driver->StreamDestroy_v2(streams[stream]));
    OK(driver->StreamCreate(&streams[stream], CU_STREAM_DEFAULT));
    model_renew(stream);
}

static void step(void)
{
    const unsigned stream = race_draw(MODEL_STREAMS), kind = race_draw(20);

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
    for (unsigned i = 1; i < MODEL_STREAMS; i++)
        streams[i] = race_stream(model_is_blocking(i));
    for (unsigned i = 0; i < MODEL_EVENTS; i++)
        events[i] = fixture_event();
    for (unsigned i = 0; i < MEMORIES; i++)
        OK(driver->MemAlloc_v2(&memories[i], 4 * BLOCK));
    model_begin();
    race_random_state = 0x9e3779b97f4a7c15u * (seed + 1);
    cushim_mock_set_trace(fixture_mock, watch, NULL);
}

static void end(void)
{
    cushim_mock_set_trace(fixture_mock, NULL, NULL);
    for (unsigned i = 1; i < MODEL_STREAMS; i++)
        OK(driver->StreamDestroy_v2(streams[i]));
    for (unsigned i = 0; i < MODEL_EVENTS; i++)
        OK(driver->EventDestroy_v2(events[i]));
    for (unsigned i = 0; i < MEMORIES; i++)
        OK(driver->MemFree_v2(memories[i]));
    fixture_end();
}

/* The node of the call that a text names next. */
static unsigned named(const char **text)
{
    unsigned long long call = 0;

    *text = strstr(*text, ", call ");
    assert_non_null(*text);
    assert_int_equal(sscanf(*text, ", call %llu of thread 1,", &call), 1);
    *text += 1;
    for (unsigned i = 0; i < model_node_count; i++) {
        if (model_nodes[i].call == call)
            return i;
    }
    fail_msg("no call %llu", call);
    return 0;
}

/* Compare the order of each pair of uses with the model; returns the memories with races. */
static unsigned check_orders(void)
{
    unsigned racy = 0;

    for (unsigned i = 0; i < model_node_count; i++) {
        for (unsigned j = i + 1; model_nodes[i].operation && j < model_node_count; j++) {
            if (!model_nodes[j].operation)
                continue;
            assert_int_equal(race_order(model_nodes[i].operation, model_nodes[j].operation),
                             model_is_ordered(i, j) ? RACE_ORDER_BEFORE : RACE_ORDER_NONE);
            if (model_is_race(i, j))
                racy |= 1u << model_nodes[i].memory;
        }
    }
    return racy;
}

/* Each text must report a race of the model; returns the memories with reports. */
static unsigned check_texts(void)
{
    const char *text;
    unsigned reported = 0;

    for (size_t i = 0; (text = cushim_mock_race(fixture_mock, i)); i++) {
        const unsigned later = named(&text), earlier = named(&text);

        assert_true(model_is_race(earlier, later));
        reported |= 1u << model_nodes[later].memory;
    }
    return reported;
}

/* Declare that kernels access one block from their argument on. */
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

        OK(cushim_mock_register_kernel(fixture_mock, &kernel));
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
        model_end();
        racy = check_orders();
        assert_int_equal(check_texts(), racy);
        racy_count += racy != 0;
        clean_count += racy == 0;
        end();
    }
    /* Both kinds of programs have occurred. */
    assert_true(racy_count > PROGRAMS / 20);
    assert_true(clean_count > PROGRAMS / 20);
}

TEST_ALONE(random_programs_are_reported_as_they_are)
{
    check_programs("schedule = fifo");
}

TEST_ALONE(random_programs_are_reported_so_in_any_schedule)
{
    check_programs("schedule = lazy");
    check_programs("schedule = eager");
    check_programs("schedule = random");
}
