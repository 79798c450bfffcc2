/* SPDX-License-Identifier: Apache-2.0 */
/* The mock as the layer's host: src/base/layer_host.h. */
#ifndef CUSHIM_MOCK_HOST_H
#define CUSHIM_MOCK_HOST_H

/* The mock is there, and is no more. */
void cushim__mock_host_begin(void);
void cushim__mock_host_end(void);

#endif
