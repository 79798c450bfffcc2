/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the fake driver `misbehaving` does to its process: the action in FAKE_DRIVER_ACTION, at the
 * time in FAKE_DRIVER_WHEN: `open`, `init`, `count`, `device` or `close`.
 */
#ifndef CUSHIM_TESTS_PROBE_ACTIONS_H
#define CUSHIM_TESTS_PROBE_ACTIONS_H

/* An action, which may or may not return. */
struct fake_driver_action {
    const char *name;
    void (*function)(void);
};

/* In actions_posix.c and actions_windows.c; a NULL name ends the array. */
extern const struct fake_driver_action fake_driver_actions[];

#endif
