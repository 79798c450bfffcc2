/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/core/ability.h"

#include "src/mock/core/state.h"

/* COMPUTE_MODE says with this value that a device has no contexts; the others say it with 0. */
enum { PROHIBITED = 2 };

/* CUDA_ERROR_DEVICE_UNAVAILABLE, which older headers lack. */
enum { DEVICE_UNAVAILABLE = 46 };

/* Calls are refused with CUDA_ERROR_NOT_SUPPORTED, except where the CUDA reference says more. */
static CUresult refusal_of(enum mock_ability ability)
{
    switch (ability) {
    case MOCK_NEEDS_COMPUTE_MODE:
        return (CUresult)DEVICE_UNAVAILABLE;
    case MOCK_NEEDS_CONCURRENT_MANAGED_ACCESS:
        return CUDA_ERROR_INVALID_DEVICE;
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
}

bool cushim__mock_profile_lacks(const struct mock_profile *profile, enum mock_ability ability)
{
    const int refused = ability == MOCK_NEEDS_COMPUTE_MODE ? PROHIBITED : 0;

    return profile->has_attribute[ability] && profile->attributes[ability] == refused;
}

CUresult cushim__mock_needs(enum mock_ability ability)
{
    const struct mock_profile *profile = &cushim__mock->settings.profile;

    if (!cushim__mock_profile_lacks(profile, ability))
        return CUDA_SUCCESS;
    if (!cushim__mock->misses[ability])
        cushim__mock_log("%s is refused with code %d, because of attribute.%s = %d",
                         cushim__mock_call_name(), (int)refusal_of(ability),
                         cushim__mock_attribute_name(ability), profile->attributes[ability]);
    cushim__mock->misses[ability] = true;
    return refusal_of(ability);
}
