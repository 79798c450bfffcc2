/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/mock/race_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 200, GONE = 40 };

struct model_node model_nodes[NODES];
unsigned model_node_count;

static bool reaches[NODES][NODES];
static int last[MODEL_STREAMS], recorded[MODEL_EVENTS], host; /* nodes; -1: none */
static int gone[GONE];                                        /* ends of destroyed streams */
static unsigned gone_count;

static void connect(int from, unsigned to)
{
    if (from >= 0)
        reaches[from][to] = true;
}

/* Behind all streams that block, and those that did. */
static void connect_blocking(unsigned to)
{
    for (unsigned i = 1; i < MODEL_STREAMS; i++)
        connect(model_is_blocking(i) ? last[i] : -1, to);
    for (unsigned i = 0; i < gone_count; i++)
        connect(gone[i], to);
}

/* A node behind what the host has waited for. */
static unsigned add_node(void)
{
    const unsigned node = model_node_count++;

    assert_true(node < NODES);
    model_nodes[node] = (struct model_node){0};
    connect(host, node);
    return node;
}

/* A node of a stream, behind what comes before it there. */
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

void model_begin(void)
{
    memset(reaches, 0, sizeof reaches);
    memset(last, -1, sizeof last);
    memset(recorded, -1, sizeof recorded);
    host = -1;
    gone_count = model_node_count = 0;
}

bool model_is_blocking(unsigned stream)
{
    return stream < 3;
}

void model_use(unsigned stream, const struct model_node *use)
{
    model_nodes[add_stream_node(stream)] = *use;
}

void model_record(unsigned stream, unsigned event)
{
    recorded[event] = (int)add_stream_node(stream);
}

void model_wait(unsigned stream, unsigned event)
{
    if (recorded[event] >= 0)
        connect(recorded[event], add_stream_node(stream));
}

void model_host_waits_for_context(void)
{
    const unsigned node = add_host_node();

    for (unsigned i = 0; i < MODEL_STREAMS; i++)
        connect(last[i], node);
    for (unsigned i = 0; i < gone_count; i++)
        connect(gone[i], node);
}

void model_host_waits_for_event(unsigned event)
{
    connect(recorded[event], add_host_node());
}

void model_host_waits_for_stream(unsigned stream)
{
    const unsigned node = add_host_node();

    connect(last[stream], node);
    if (stream == 0)
        connect_blocking(node);
}

void model_renew(unsigned stream)
{
    assert_true(gone_count < GONE);
    if (last[stream] >= 0)
        gone[gone_count++] = last[stream];
    last[stream] = -1;
}

void model_end(void)
{
    for (unsigned k = 0; k < model_node_count; k++) {
        for (unsigned i = 0; i < model_node_count; i++) {
            for (unsigned j = 0; reaches[i][k] && j < model_node_count; j++)
                reaches[i][j] |= reaches[k][j];
        }
    }
}

bool model_is_ordered(unsigned earlier, unsigned later)
{
    return reaches[earlier][later];
}

bool model_is_race(unsigned earlier, unsigned later)
{
    const struct model_node *one = &model_nodes[earlier], *other = &model_nodes[later];

    return !reaches[earlier][later] && one->memory == other->memory &&
           (one->writes || other->writes) && one->first < other->end && other->first < one->end;
}
