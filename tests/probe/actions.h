/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the fake driver `misbehaving` does to the process that it is in: what FAKE_DRIVER_ACTION
 * names, when FAKE_DRIVER_WHEN says: `open`, `init`, `count`, `device` or `close`.
 */
#ifndef CUSHIM_TESTS_PROBE_ACTIONS_H
#define CUSHIM_TESTS_PROBE_ACTIONS_H

/* Comes back, or not. */
struct fake_driver_action {
    const char *name;
    void (*function)(void);
};

/* actions_posix.c, actions_windows.c; ends with a NULL name. */
extern const struct fake_driver_action fake_driver_actions[];

#endif
