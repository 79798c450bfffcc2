/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual memory (driver-semantics.md #212 to #223): physical memory that has a handle, addresses
 * that are reserved, and the mappings of the one at the other. A mapping is an allocation, and the
 * mappings side by side in a reservation are used like one allocation.
 */
#ifndef CUSHIM_MOCK_MEMORY_VIRTUAL_H
#define CUSHIM_MOCK_MEMORY_VIRTUAL_H

#include "src/mock/config/settings.h"
#include "src/mock/memory/allocation.h"

/* Physical memory. It and its handle live while the handle has references or it is mapped. */
struct mock_physical {
    struct mock_object object;
    struct mock_device *device;
    CUmemAllocationProp properties;
    size_t bytes;
    uint64_t id;
    void *pages;
    int file;            /* that other processes map; negative if it cannot be exported */
    bool imported;       /* its bytes are not a part of this device's memory */
    unsigned references; /* of its handle */
    unsigned mappings;
};

/* Addresses. The host has the bytes of what is mapped elsewhere, in the same order. */
struct mock_reservation {
    struct mock_reservation *next;
    CUdeviceptr start;
    size_t bytes;
    char *host;
    uint64_t id;             /* for the race detector */
    uint32_t number;         /* in its tag, as of an allocation */
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

/* Find physical memory by its handle. Returns INVALID_VALUE. */
CUresult cushim__mock_physical_find(CUmemGenericAllocationHandle handle,
                                    struct mock_physical **physical);

CUmemGenericAllocationHandle cushim__mock_physical_handle(const struct mock_physical *physical);

/* Add a reference, and take one away. INVALID_VALUE if there is none. */
void cushim__mock_physical_retain(struct mock_physical *physical);
CUresult cushim__mock_physical_release(struct mock_physical *physical);

/*
 * A descriptor of a file in memory that stands for physical memory, and the memory of such a file.
 * OUT_OF_MEMORY; import() returns UNKNOWN if the descriptor is of another file.
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

/* An allocation as a mapping; NULL if it is another. */
struct mock_mapping *cushim__mock_mapping_of(const struct mock_allocation *allocation);

/* What a device, or any device if it is NULL, may do with a mapping: bits of CUmemAccess_flags. */
unsigned cushim__mock_mapping_access(const struct mock_mapping *mapping,
                                     const struct mock_device *device);

/* Unmap everything and free all reservations when the mock ends. */
void cushim__mock_virtual_clear(void);

#endif
