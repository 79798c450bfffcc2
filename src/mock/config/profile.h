/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles: what a kind of device says of itself, in the same syntax as settings. Those of
 * src/mock/config/profiles are built in.
 */
#ifndef CUSHIM_MOCK_CONFIG_PROFILE_H
#define CUSHIM_MOCK_CONFIG_PROFILE_H

#include "src/driver_api/lines.h"
#include "src/driver_api/suggestion.h"
#include "src/mock/config/keys.h"
#include "src/mock/config/settings.h"

struct mock_builtin_profile {
    const char *name;
    const char *text;
};

/* Ends with a NULL name. Written by src/mock/config/profiles/embed.py. */
extern const struct mock_builtin_profile cushim__mock_builtin_profiles[];

/* Read the built-in profile of a name. NOT_FOUND: there is none. */
CUresult cushim__mock_profile_builtin(struct mock_profile *profile, const struct cushim__word *name,
                                      char *message, size_t message_size);

/* Read a profile from a file. The codes of cushim__mock_settings_read(). */
CUresult cushim__mock_profile_read(struct mock_profile *profile, const char *path, char *message,
                                   size_t message_size);

/* The groups of a profile, for settings that change single values of it. */
bool cushim__mock_profile_store_attribute(void *profile, unsigned number,
                                          const struct cushim__word *value);
bool cushim__mock_profile_store_limit(void *profile, unsigned number,
                                      const struct cushim__word *value);

/*
 * Names that stand behind the prefix of a key: device attributes and limits, without what all of
 * their enumerators begin with. A member is found by its name, or by its number in digits.
 */

bool cushim__mock_attribute_find(const struct cushim__word *name, unsigned *number);
void cushim__mock_attribute_offer(struct cushim__suggestion *suggestion);

bool cushim__mock_limit_find(const struct cushim__word *name, unsigned *number);
void cushim__mock_limit_offer(struct cushim__suggestion *suggestion);

#endif
