/* SPDX-License-Identifier: Apache-2.0 */
/* A second process of a test: this program with `--peer NAME`, at the ends of two pipes. */
#ifndef CUSHIM_TESTS_MOCK_IPC_PEER_H
#define CUSHIM_TESTS_MOCK_IPC_PEER_H

#include <stddef.h>
#include <sys/types.h>

#include <cuda.h>

struct peer {
    pid_t process; /* Windows: its handle */
    int to, from;
};

/* How this program was started. */
extern const char *peer_program;

void peer_start(struct peer *peer, const char *name);

/* It has come to its end, in success. */
void peer_finish(struct peer *peer);

/* End it without a word; and once that has taken effect forget it. */
void peer_kill(const struct peer *peer);
void peer_forget(struct peer *peer);

/* Let it take its next step; it answers with the code that it met. */
CUresult peer_step(const struct peer *peer);

/* In the other process, first of all; and report a code when asked. */
void peer_begin(void);
void peer_report(CUresult code);

/* In the other process: the ends of the pipes. */
enum { PEER_FROM = 0, PEER_TO = 1 };

/* In the other process: stay until it is ended. */
_Noreturn void peer_stay(void);

/* All bytes, or the test fails. */
void peer_put(int file, const void *bytes, size_t size);
void peer_get(int file, void *bytes, size_t size);

#endif
