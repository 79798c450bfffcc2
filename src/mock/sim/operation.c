/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/sim/operation.h"

#include <stdlib.h>
#include <string.h>

#include "src/race/race.h"

void *cushim__mock_operation_create(const struct mock_operation_class *class, enum mock_unit unit,
                                    uint64_t duration_ns)
{
    struct mock_operation *operation = calloc(1, class->size);

    if (operation) {
        operation->class = class;
        operation->unit = (uint8_t)unit;
        operation->duration_ns = duration_ns;
    }
    return operation;
}

void *cushim__mock_operation_copy(const struct mock_operation *operation)
{
    struct mock_operation *copy = malloc(operation->class->size);

    if (!copy)
        return NULL;
    memcpy(copy, operation, operation->class->size);
    copy->next = NULL;
    if (operation->class->copy && !operation->class->copy(operation, copy)) {
        free(copy);
        return NULL;
    }
    return copy;
}

void cushim__mock_operation_destroy(void *operation)
{
    struct mock_operation *old = operation;

    if (!old)
        return;
    if (old->class->drop)
        old->class->drop(old);
    cushim__race_clock_release(old->before);
    free(old);
}

void cushim__mock_operation_seen(const struct mock_operation *operation)
{
    if (cushim__race_detector && operation->timeline != 0)
        cushim__race_saw_operation(operation->number, operation->timeline, operation->before);
}

uint64_t cushim__mock_operation_duration(size_t bytes, uint64_t bytes_per_us)
{
    uint64_t whole = bytes / bytes_per_us, rest = bytes % bytes_per_us;

    return whole * 1000 + rest * 1000 / bytes_per_us;
}
