/* SPDX-License-Identifier: Apache-2.0 */
/* The mock as a whole: what its library and its own files need of each other. */
#ifndef CUSHIM_MOCK_MOCK_H
#define CUSHIM_MOCK_MOCK_H

#include "src/mock/core/state.h"

/* cushim_mock_create(), for a way in with defaults of its own. */
struct mock_defaults {
    enum mock_mode mode;
    const char *where; /* what messages call `options->settings` */
};
CUresult cushim__mock_create(const struct cushim_mock_options *options,
                             const struct mock_defaults *defaults, struct cushim_mock **mock);

/* layer_host.c: the mock is the host of layers, and is no more. */
void cushim__mock_host_begin(void);
void cushim__mock_host_end(void);

/* races.c: create the race detector, if the settings ask for it. */
CUresult cushim__mock_races_create(void);

#endif
