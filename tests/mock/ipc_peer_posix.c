/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "ipc_peer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/mock/fixture.h"

const char *peer_program;

void peer_start(struct peer *peer, const char *name)
{
    int to[2], from[2];

    assert_int_equal(pipe2(to, O_CLOEXEC) | pipe2(from, O_CLOEXEC), 0);
    peer->process = fork();
    assert_true(peer->process >= 0);
    if (peer->process == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        execl(peer_program, peer_program, "--peer", name, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    peer->to = to[1];
    peer->from = from[0];
}

void peer_put(int file, const void *bytes, size_t size)
{
    assert_int_equal(write(file, bytes, size), size);
}

void peer_get(int file, void *bytes, size_t size)
{
    size_t got = 0;

    while (got < size) {
        const ssize_t count = read(file, (char *)bytes + got, size - got);

        assert_true(count > 0);
        got += (size_t)count;
    }
}

void peer_kill(const struct peer *peer)
{
    kill(peer->process, SIGKILL);
}

void peer_forget(struct peer *peer)
{
    int status;

    close(peer->to);
    close(peer->from);
    assert_int_equal(waitpid(peer->process, &status, 0), peer->process);
}

CUresult peer_step(const struct peer *peer)
{
    int code;

    peer_put(peer->to, "", 1);
    peer_get(peer->from, &code, sizeof code);
    return (CUresult)code;
}

void peer_finish(struct peer *peer)
{
    int status = -1;

    close(peer->to);
    close(peer->from);
    assert_int_equal(waitpid(peer->process, &status, 0), peer->process);
    assert_int_equal(status, 0);
}

void peer_begin(void)
{
}

void peer_stay(void)
{
    for (;;)
        pause();
}

void peer_report(CUresult code)
{
    const int word = (int)code;
    char go;

    peer_get(STDIN_FILENO, &go, 1);
    peer_put(STDOUT_FILENO, &word, sizeof word);
}
