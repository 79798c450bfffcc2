/* SPDX-License-Identifier: Apache-2.0 */
/* The second processes of ipc_cases.c, by name, and how both sides talk. */
#ifndef CUSHIM_TESTS_CONFORMANCE_IPC_PEERS_H
#define CUSHIM_TESTS_CONFORMANCE_IPC_PEERS_H

#define PEER_IMPORTER "peer_importer"
#define PEER_LIMITS "peer_limits"
#define PEER_OPENER "peer_opener"

/* A word that asks the other side to go on. */
enum { GO_ON = -1 };

#endif
