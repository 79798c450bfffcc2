/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes: this program started again for one case, with `--run NAME`. A forked child of a
 * process that has initialised the driver must not use the driver, so the new process is always a
 * fresh start.
 */
#ifndef CUSHIM_TESTS_SUPPORT_PROCESS_H
#define CUSHIM_TESTS_SUPPORT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The arguments of every new process before `--run NAME`. The first is the program's name; NULL
 * ends them.
 */
void process_arguments(const char *const *arguments);

/* The timeout of a case in seconds; a case that takes longer fails. 0: the default of 120. */
void process_patience(unsigned seconds);

/* How a process ended: with an exit status, or by a signal or exception. */
struct process_end {
    bool exited, crashed; /* by an access to unmapped memory */
    int status;           /* the exit status, if it exited */
    char death[80];       /* otherwise a short description */
};

/* Call this first in a process for one case. */
void process_begin(void);

/* Run a case in a process and wait for its end; `output` receives what it printed. */
struct process_end process_run(const char *name, char *output, size_t size);

/*
 * A second process of a case; the case writes to its standard input and reads its standard output.
 */
struct peer {
    pid_t process; /* on Windows its handle */
    int to, from;
};

void peer_start(struct peer *peer, const char *name);

/* Exchange bytes with the peer, or in the peer with its parent. A short transfer ends the case. */
void peer_send(const struct peer *peer, const void *bytes, size_t size);
void peer_receive(const struct peer *peer, void *bytes, size_t size);

/* Wait for the peer's end, which must be a success. */
void peer_end(struct peer *peer);

/* Kill the peer; and, when that has taken effect, release its resources. */
void peer_kill(const struct peer *peer);
void peer_forget(struct peer *peer);

/* The parent, for use in a peer. */
extern const struct peer peer_parent;

#endif
