/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"

#include <cushim/stream_order.h>

#include "check.h"

void gate_queue(struct gate *gate, struct cushim_stream *stream)
{
    gate_prepare(gate);
    OK(cushim_stream_launch_host_function(stream, gate_stand, gate));
}

void gate_shut(struct gate *gate, struct cushim_stream *stream)
{
    gate_queue(gate, stream);
    gate_await(gate);
}
