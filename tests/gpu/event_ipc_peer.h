/* SPDX-License-Identifier: Apache-2.0 */
/* The second processes of event_ipc_cases.c, by name. */
#ifndef CUSHIM_TESTS_GPU_EVENT_IPC_PEER_H
#define CUSHIM_TESTS_GPU_EVENT_IPC_PEER_H

#define PEER_IMPORTER "peer_importer"
#define PEER_LIMITS "peer_limits"

#endif
