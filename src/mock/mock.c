/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lifecycle of the mock: this file creates it from settings, returns its state, and destroys it
 * with everything that the program has leaked.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "src/base/options.h"
#include "src/base/system.h"
#include "src/layer/mock_interface.h"
#include "src/mock/context/context.h"
#include "src/mock/core/ability.h"
#include "src/mock/core/device.h"
#include "src/mock/core/object.h"
#include "src/mock/core/state.h"
#include "src/mock/graph/graph.h"
#include "src/mock/graph_exec/memory.h"
#include "src/mock/launch/kernel.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/memory/pool.h"
#include "src/mock/mock.h"
#include "src/mock/module/module.h"
#include "src/mock/sim/sim.h"
#include "src/mock/stream/capture.h"
#include "src/mock/texture/texture.h"
#include "src/race/race.h"

/* A process has one mock at a time; this lock is held while it is created or destroyed. */
static struct cushim__lock life;
static uint64_t serial;

/* A device has no priorities if an attribute says so, or if it is adversarial. */
static void forget_priorities(struct mock_profile *profile)
{
    profile->least_priority = profile->greatest_priority = 0;
    profile->attributes[CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED] = 0;
}

/* On failure the caller has nothing to free. */
static CUresult read_settings(struct mock_settings *settings,
                              const struct cushim_mock_options *options,
                              const struct mock_defaults *defaults)
{
    CUresult code = cushim__mock_settings_default(settings);

    if (code != CUDA_SUCCESS)
        return code;
    settings->mode = defaults->mode;
    settings->races = defaults->races;
    if (options->file)
        code = cushim__mock_settings_read(settings, options->file, options->message,
                                          options->message_size);
    if (code == CUDA_SUCCESS && options->settings)
        code = cushim__mock_settings_parse(settings, options->settings, defaults->where,
                                           options->message, options->message_size);
    if (code != CUDA_SUCCESS)
        cushim__mock_settings_free(settings);
    else if (settings->adversarial ||
             cushim__mock_profile_lacks(&settings->profile, MOCK_NEEDS_STREAM_PRIORITIES_SUPPORTED))
        forget_priorities(&settings->profile);
    return code;
}

/* The order matters: what executes is destroyed before what it refers to. */
static void empty(void)
{
    cushim__mock_sim_destroy();
    cushim__mock_captures_clear();
    cushim__mock_user_objects_clear();
    cushim__mock_textures_clear();
    cushim__mock_object_clear();
    cushim__mock_graph_memory_clear();
    cushim__mock_kernels_clear();
    cushim__mock_pools_clear();
    cushim__mock_memory_clear();
    cushim__mock_devices_destroy(cushim__mock);
    cushim__mock_threads_clear();
    cushim__race_destroy();
}

/* Create the parts of the current mock; the caller calls empty() if this fails. */
static CUresult fill(void)
{
    CUresult code = cushim__mock_sim_create();

    if (code == CUDA_SUCCESS)
        code = cushim__mock_devices_create(cushim__mock);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_kernels_create();
    if (code == CUDA_SUCCESS)
        code = cushim__mock_races_create();
    return code;
}

static void set_current(struct cushim_mock *mock)
{
    __atomic_store_n(&cushim__mock, mock, __ATOMIC_RELEASE);
}

/*
 * Forks. The lock is held across a fork, so that the child finds the mock whole. The mock's threads
 * are not in the child. If the parent had called cuInit, almost no call works in the child; if not,
 * the mock had no threads yet, and the child has a mock of its own.
 */
static void before_fork(void)
{
    struct cushim_mock *mock = __atomic_load_n(&cushim__mock, __ATOMIC_ACQUIRE);

    /* It is held already if this was called before, for the same fork. */
    if (!mock || cushim__mock_call.held_for_fork || cushim__mock_call_name()[0] ||
        cushim__in_kernel)
        return;
    cushim__lock_take(&mock->lock);
    cushim__mock_call.held_for_fork = mock;
}

static void after_fork(void)
{
    if (cushim__mock_call.held_for_fork)
        cushim__lock_release(&cushim__mock_call.held_for_fork->lock);
    cushim__mock_call.held_for_fork = NULL;
}

static void in_child(void)
{
    struct cushim_mock *mock = cushim__mock;

    after_fork();
    if (!mock)
        return;
    life = (struct cushim__lock){0};
    mock->threads_stay = true;
    mock->forked = mock->forked || mock->initialised;
    mock->misuses.count = 0; /* earlier misuses were the parent's */
    mock->fault[0] = '\0';
}

/*
 * A forked child cannot destroy the parent's mock, since the threads that use it do not exist here.
 * This pointer keeps the mock reachable, so that leak detectors do not report it.
 */
static struct cushim_mock *volatile abandoned;

static void end(struct cushim_mock *mock)
{
    set_current(NULL);
    cushim__lock_release(&mock->lock);
    if (mock->forked) {
        abandoned = mock;
        return;
    }
    cushim__mock_settings_free(&mock->settings);
    free(mock);
}

/* A layer applies the fault rules, so a mock without rules has no layer. */
static CUresult create_layer(struct cushim_mock *mock, const struct cushim_mock_options *options)
{
    CUresult code = CUDA_SUCCESS;

    if (mock->settings.fault_count == 0)
        return CUDA_SUCCESS;
    code = cushim__layer_create(&cushim__mock_table, &mock->layer);
    if (code == CUDA_ERROR_ALREADY_ACQUIRED && options->message_size > 0)
        snprintf(options->message, options->message_size,
                 "rules of faults need a layer, and the process has one: add them to that");
    if (code == CUDA_SUCCESS)
        code = cushim_fault_add_rules(mock->layer, mock->settings.faults, NULL, 0);
    if (code == CUDA_SUCCESS)
        mock->table = cushim_layer_table(mock->layer);
    return code;
}

static void destroy_layer(struct cushim_mock *mock)
{
    if (mock->layer && mock->layer == cushim_layer_current())
        cushim_layer_destroy(mock->layer);
}

static CUresult create(const struct cushim_mock_options *options,
                       const struct mock_defaults *defaults, struct cushim_mock **mock)
{
    struct cushim_mock *created;
    CUresult code;

    if (cushim__mock)
        return CUDA_ERROR_ALREADY_ACQUIRED;
    created = calloc(1, sizeof *created);
    if (!created)
        return CUDA_ERROR_OUT_OF_MEMORY;
    code = read_settings(&created->settings, options, defaults);
    if (code != CUDA_SUCCESS) {
        free(created);
        return code;
    }
    created->serial = ++serial;
    created->table = created->own = &cushim__mock_table;
    created->symbol_source = defaults->symbol_source;
    created->report = defaults->report;
    cushim__system_handle_forks(CUSHIM__FORK_MOCK, before_fork, after_fork, in_child);
    cushim__lock_take(&created->lock);
    set_current(created);
    code = fill();
    cushim__lock_release(&created->lock);
    cushim__layer_set_mock(&cushim__mock_layer_callbacks);
    if (code == CUDA_SUCCESS)
        code = create_layer(created, options);
    if (code != CUDA_SUCCESS) {
        destroy_layer(created);
        cushim__layer_set_mock(NULL);
        cushim__lock_take(&created->lock);
        empty();
        end(created);
        return code;
    }
    *mock = created;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_create(const struct cushim_mock_options *options,
                             const struct mock_defaults *defaults, struct cushim_mock **mock)
{
    struct cushim_mock_options known = {.size = sizeof known};
    CUresult code;

    if (!mock || !cushim__options_read(&known, sizeof known, options))
        return CUDA_ERROR_INVALID_VALUE;
    if (!known.message)
        known.message_size = 0;
    if (known.message_size > 0)
        known.message[0] = '\0';
    cushim__lock_take(&life);
    code = create(&known, defaults, mock);
    cushim__lock_release(&life);
    return code;
}

CUresult cushim_mock_destroy(struct cushim_mock *mock)
{
    CUresult code;

    if (!mock)
        return CUDA_SUCCESS;
    if (mock->put_back)
        mock->put_back(mock->former);
    destroy_layer(mock);
    cushim__lock_take(&life);
    cushim__layer_set_mock(NULL);
    cushim__lock_take(&mock->lock);
    if (!mock->forked)
        empty();
    code = mock->misuses.count > 0 ? CUDA_ERROR_ILLEGAL_STATE : CUDA_SUCCESS;
    end(mock);
    cushim__lock_release(&life);
    return code;
}

struct cushim_mock *cushim_mock_current(void)
{
    return __atomic_load_n(&cushim__mock, __ATOMIC_ACQUIRE);
}

const struct cushim_table *cushim_mock_table(const struct cushim_mock *mock)
{
    return mock ? mock->table : NULL;
}

CUresult cushim_mock_get_state(struct cushim_mock *mock, struct cushim_mock_state *state)
{
    if (!mock || !state || state->size < sizeof *state)
        return CUDA_ERROR_INVALID_VALUE;
    cushim__mock_lock(mock);
    *state = (struct cushim_mock_state){
        .size = state->size,
        .now_ns = cushim__mock->executing_at_ns,
        .pending = cushim__mock_sim_pending(),
        .executed = cushim__mock_sim_executed(),
        .calls = mock->calls,
        .misuses = mock->misuses.count,
        .handles = cushim__mock_object_count(),
        .allocations = mock->allocations,
        .memory_bytes = cushim__mock_memory_used(),
        .races = cushim__race_count(),
    };
    cushim__mock_unlock(mock);
    return CUDA_SUCCESS;
}
