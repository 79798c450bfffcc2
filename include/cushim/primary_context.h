/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A device's primary context, seen from its device and without an object: its state, its flags, its
 * end.
 *
 * To use one see cushim_context_retain_primary() (context.h).
 */
#ifndef CUSHIM_PRIMARY_CONTEXT_H
#define CUSHIM_PRIMARY_CONTEXT_H

#include <stdbool.h>

#include <cuda.h>

#include <cushim/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Tell whether a device's primary context exists now, and with what flags.
 *
 * @param device  Device.
 * @param flags   Receives CUctx_flags, or'ed: those in force, or those that the next one will have;
 *                NULL allowed.
 * @param active  Receives whether it exists; NULL allowed.
 *
 * @return CUDA_SUCCESS              The outputs are written.
 * @return CUDA_ERROR_INVALID_VALUE  Both `flags` and `active` are NULL.
 * @return any other code            cuDevicePrimaryCtxGetState's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuDevicePrimaryCtxGetState.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_primary_context_state(CUdevice device, unsigned *flags, bool *active);

/**
 * Set the flags of a device's primary context.
 *
 * Drivers from 11.0 on also accept it for an active one; older ones answer
 * CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE then. Driver semantics, statement 11.
 *
 * @param device  Device.
 * @param flags   CUctx_flags, or'ed.
 *
 * @return CUDA_SUCCESS              The flags are set.
 * @return CUDA_ERROR_INVALID_VALUE  The driver does not accept them (statement 11).
 * @return any other code            cuDevicePrimaryCtxSetFlags_v2's (cuDevicePrimaryCtxSetFlags's
 *                                   with an older driver), unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuDevicePrimaryCtxSetFlags_v2, or cuDevicePrimaryCtxSetFlags with drivers older
 *               than 11.0.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_primary_context_set_flags(CUdevice device, unsigned flags);

/**
 * Destroy everything in a device's primary context, under the feet of everybody who uses it.
 *
 * For programs that are alone with the device. References on the primary context remain and must
 * be given back as before. Streams, events and memory in it are gone: cushim's objects of them
 * answer CUDA_ERROR_CONTEXT_IS_DESTROYED at best, and a driver has been seen to crash on live
 * streams and graphs (driver semantics, statements 12 and 79). Release or close them first.
 *
 * @param device  Device.
 *
 * @return CUDA_SUCCESS    The primary context is empty.
 * @return any other code  cuDevicePrimaryCtxReset_v2's (cuDevicePrimaryCtxReset's with an older
 *                         driver), unchanged.
 *
 * Thread safety: any thread, while no other uses the primary context.
 * Context: needs none, and leaves the current one alone, dead or alive.
 * Driver calls: cuDevicePrimaryCtxReset_v2, or cuDevicePrimaryCtxReset with drivers older than
 *               11.0.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_primary_context_reset(CUdevice device);

#ifdef __cplusplus
}
#endif

#endif
