/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual memory (driver-semantics.md #212 to #223): physical memory, which has a handle, reserved
 * addresses, and mappings of physical memory at reserved addresses. A mapping is an allocation;
 * mappings side by side in a reservation are used like one allocation.
 */
#ifndef CUSHIM_MOCK_MEMORY_VIRTUAL_H
#define CUSHIM_MOCK_MEMORY_VIRTUAL_H

#include "src/mock/config/settings.h"
#include "src/mock/memory/allocation.h"

/* Physical memory. It exists, with its handle, while the handle has references or it is mapped. */
struct mock_physical {
    struct mock_object object;
    struct mock_device *device;
    CUmemAllocationProp properties;
    size_t bytes;
    uint64_t id;
    void *pages;
    int file;            /* has the pages, for other processes; negative: no export */
    bool imported;       /* its bytes are not a part of this device's memory */
    unsigned references; /* of its handle */
    unsigned mappings;
};

/* Reserved addresses. `host` mirrors them: mappings have the same offsets in both. */
struct mock_reservation {
    struct mock_reservation *next;
    CUdeviceptr start;
    size_t bytes;
    char *host;
    uint64_t id;             /* for the race detector */
    uint32_t number;         /* in its tag, like that of an allocation */
    char tag[MOCK_TAG_SIZE]; /* set by the layer; empty for the default word and number */
};

struct mock_mapping {
    struct mock_allocation allocation; /* first member */
    struct mock_reservation *reservation;
    struct mock_physical *physical;
    uint8_t access[MOCK_DEVICES_MAX]; /* of each device: bits of CUmemAccess_flags */
};

/* Create physical memory, and give it its first reference. OUT_OF_MEMORY. */
CUresult cushim__mock_physical_create(struct mock_device *device,
                                      const CUmemAllocationProp *properties, size_t bytes,
                                      struct mock_physical **physical);

/* Find physical memory by its handle. INVALID_VALUE if there is none. */
CUresult cushim__mock_physical_find(CUmemGenericAllocationHandle handle,
                                    struct mock_physical **physical);

CUmemGenericAllocationHandle cushim__mock_physical_handle(const struct mock_physical *physical);

/* Add a reference to the handle; remove one (INVALID_VALUE if there is none). */
void cushim__mock_physical_retain(struct mock_physical *physical);
CUresult cushim__mock_physical_release(struct mock_physical *physical);

/*
 * Export physical memory as the descriptor of a file in memory; import it from such a descriptor.
 * OUT_OF_MEMORY; import() returns UNKNOWN if the descriptor is of another kind of file.
 */
CUresult cushim__mock_physical_export(const struct mock_physical *physical, int *file);
CUresult cushim__mock_physical_import(int file, struct mock_physical **physical);

/* Reserve addresses, at `hint` if that is free. OUT_OF_MEMORY. */
CUresult cushim__mock_reserve(size_t bytes, size_t alignment, CUdeviceptr hint,
                              CUdeviceptr *address);

/* The reservation that contains an address, or NULL. */
struct mock_reservation *cushim__mock_reservation_at(CUdeviceptr address);

/* Free a reservation in which nothing is mapped. */
void cushim__mock_reservation_free(struct mock_reservation *reservation);

/* The first mapping that a range touches, or NULL if nothing is mapped in it. */
struct mock_mapping *cushim__mock_mapping_in(CUdeviceptr address, size_t bytes);

/* Map physical memory where nothing is mapped. OUT_OF_MEMORY. */
CUresult cushim__mock_map(struct mock_reservation *reservation, CUdeviceptr address, size_t bytes,
                          struct mock_physical *physical);
void cushim__mock_unmap(struct mock_mapping *mapping);

/* The mapping that contains an address, or NULL. */
struct mock_mapping *cushim__mock_mapping_at(CUdeviceptr address);

/* The mapping that an allocation is; NULL if it is none. */
struct mock_mapping *cushim__mock_mapping_of(const struct mock_allocation *allocation);

/* What a device, or any device if it is NULL, may do with a mapping: bits of CUmemAccess_flags. */
unsigned cushim__mock_mapping_access(const struct mock_mapping *mapping,
                                     const struct mock_device *device);

/* Unmap everything and free all reservations when the mock ends. */
void cushim__mock_virtual_clear(void);

#endif
