/* SPDX-License-Identifier: Apache-2.0 */
/* A second process of a test: this program with `--peer NAME`, connected by two pipes. */
#ifndef CUSHIM_TESTS_MOCK_IPC_PEER_H
#define CUSHIM_TESTS_MOCK_IPC_PEER_H

#include <stddef.h>
#include <sys/types.h>

#include <cuda.h>

struct peer {
    pid_t process; /* on Windows its handle */
    int to, from;
};

/* The path with which this program was started. */
extern const char *peer_program;

void peer_start(struct peer *peer, const char *name);

/* Wait for the peer's end, which must be a success. */
void peer_finish(struct peer *peer);

/* Kill the peer; and, when that has taken effect, release its resources. */
void peer_kill(const struct peer *peer);
void peer_forget(struct peer *peer);

/* Let the peer make its next step; returns the code that it reports. */
CUresult peer_step(const struct peer *peer);

/* In the peer: call this first; and report a code when the test asks. */
void peer_begin(void);
void peer_report(CUresult code);

/* In the peer: the descriptors of the pipes. */
enum { PEER_FROM = 0, PEER_TO = 1 };

/* In the peer: wait until the process is killed. */
_Noreturn void peer_stay(void);

/* Write or read all bytes; otherwise the test fails. */
void peer_put(int file, const void *bytes, size_t size);
void peer_get(int file, void *bytes, size_t size);

#endif
