/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes: this program started anew for one case, with `--run NAME`. A forked child of a process
 * that has initialised the driver must not use it, so nothing is done in a child without a new
 * start.
 */
#ifndef CUSHIM_TESTS_SUPPORT_PROCESS_H
#define CUSHIM_TESTS_SUPPORT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Arguments of every new start before `--run NAME`, the program's name first; the last is NULL. */
void process_arguments(const char *const *arguments);

/* A case that takes longer than this many seconds has failed. 0: the default of 120. */
void process_patience(unsigned seconds);

/* How a process ended: by itself with a status, or by what killed it. */
struct process_end {
    bool exited, crashed; /* of memory that is not there */
    int status;           /* exited: its status */
    char death[80];       /* else: a few words */
};

/* In a process for one case, first of all. */
void process_begin(void);

/* Run a case in a process, and wait for its end; `output` receives what it said. */
struct process_end process_run(const char *name, char *output, size_t size);

/* A second process of a case: its standard input and output are ours to write and read. */
struct peer {
    pid_t process; /* Windows: its handle */
    int to, from;
};

void peer_start(struct peer *peer, const char *name);

/* Exchange bytes with the peer, or from it with whoever started it; ends the case if short. */
void peer_send(const struct peer *peer, const void *bytes, size_t size);
void peer_receive(const struct peer *peer, void *bytes, size_t size);

/* The peer has come to its end, in success. */
void peer_end(struct peer *peer);

/* What a peer's other side is. */
extern const struct peer peer_parent;

#endif
