/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What orders the uses of memory in a program, by the rules of streams and events alone: one use is
 * ordered before another if that can be reached from it along what orders them directly.
 *
 * Streams, events and memories are numbers here. The program tells each of its steps.
 */
#ifndef CUSHIM_TESTS_MOCK_RACE_MODEL_H
#define CUSHIM_TESTS_MOCK_RACE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum {
    MODEL_STREAMS = 5, /* the first is the default stream, the next two block it */
    MODEL_EVENTS = 4,
};

/* A use of memory, a record, a wait, or something that the host has waited for. */
struct model_node {
    uint64_t operation; /* of a use of memory; 0: it is none */
    unsigned memory, first, end;
    bool writes;
};

extern struct model_node model_nodes[];
extern unsigned model_node_count;

/* A program without a step. */
void model_begin(void);

bool model_is_blocking(unsigned stream);

/* Steps of a stream. */
void model_use(unsigned stream, const struct model_node *use);
void model_record(unsigned stream, unsigned event);
void model_wait(unsigned stream, unsigned event);

/* The host waits, and whatever it does after comes behind. */
void model_host_waits_for_context(void);
void model_host_waits_for_event(unsigned event);
void model_host_waits_for_stream(unsigned stream);

/* A stream that blocks is destroyed, and another has its number. */
void model_renew(unsigned stream);

/* All steps are told: from what orders two nodes directly to what orders them at all. */
void model_end(void);

/* Of nodes, the earlier first; the model has ended. */
bool model_is_ordered(unsigned earlier, unsigned later);
bool model_is_race(unsigned earlier, unsigned later);

#endif
