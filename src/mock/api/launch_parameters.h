/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of a launch: where they stand in a buffer, and copies of them. */
#ifndef CUSHIM_MOCK_LAUNCH_PARAMETERS_H
#define CUSHIM_MOCK_LAUNCH_PARAMETERS_H

#include <stddef.h>

#include <cuda.h>

struct mock_image_kernel;

/* Copies of the parameters of a launch. Reference-counted: the launch and its copies in graphs. */
struct cushim__parameters {
    unsigned references;
    size_t count;
    void **values; /* into `bytes` */
    size_t *sizes;
    size_t byte_count;
    unsigned char *bytes;
};

/*
 * Room for all parameters of a kernel, zeroed: of those that are registered with it, or else of
 * those that the image declares. NULL: out of memory.
 */
struct cushim__parameters *cushim__mock_parameters_create(const struct mock_image_kernel *kernel);
void cushim__mock_parameters_release(struct cushim__parameters *parameters);

/* Copy from where each parameter is. INVALID_VALUE: one is nowhere. */
CUresult cushim__mock_parameters_copy(struct cushim__parameters *parameters, void **values);

/*
 * Copy from a buffer that `extra` of cuLaunchKernel names. INVALID_VALUE: it names none, or makes
 * no sense. LAUNCH_OUT_OF_RESOURCES: the buffer is too large. What a short buffer lacks is zero.
 */
CUresult cushim__mock_parameters_copy_extra(struct cushim__parameters *parameters, void **extra);

/* Copy from a buffer. LAUNCH_OUT_OF_RESOURCES: it is too large. What a short one lacks is zero. */
CUresult cushim__mock_parameters_copy_raw(struct cushim__parameters *parameters, const void *buffer,
                                          size_t bytes);

#endif
