/* SPDX-License-Identifier: Apache-2.0 */
/* Gates of tests/support in streams of the modules. */
#ifndef CUSHIM_TESTS_GPU_GATE_H
#define CUSHIM_TESTS_GPU_GATE_H

#include <cushim/stream.h>

#include "tests/support/gate.h"

/* Put the gate into the stream and return once the stream stands before it. */
void gate_shut(struct gate *gate, struct cushim_stream *stream);

/* Put the gate into the stream, behind other work. */
void gate_queue(struct gate *gate, struct cushim_stream *stream);

#endif
