/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/fork.h"

#include <pthread.h>
#include <stddef.h>

static const struct cushim__fork_handlers *parts[CUSHIM__FORK_PARTS];

static const struct cushim__fork_handlers *handlers_of(unsigned part)
{
    return __atomic_load_n(&parts[part], __ATOMIC_ACQUIRE);
}

static void prepare(void)
{
    for (unsigned part = 0; part < CUSHIM__FORK_PARTS; part++) {
        if (handlers_of(part))
            handlers_of(part)->prepare();
    }
}

static void parent(void)
{
    for (unsigned part = CUSHIM__FORK_PARTS; part-- > 0;) {
        if (handlers_of(part))
            handlers_of(part)->parent();
    }
}

static void child(void)
{
    for (unsigned part = CUSHIM__FORK_PARTS; part-- > 0;) {
        if (handlers_of(part))
            handlers_of(part)->child();
    }
}

static void register_all(void)
{
    pthread_atfork(prepare, parent, child);
}

void cushim__set_fork_handlers(enum cushim__fork_part part,
                               const struct cushim__fork_handlers *handlers)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    __atomic_store_n(&parts[part], handlers, __ATOMIC_RELEASE);
    pthread_once(&once, register_all);
}
