/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters of blocks that run at once. Statement 210. */
#include <string.h>

#include "cases.h"

enum { CLUSTER_DIMENSION = 4, NON_PORTABLE_ALLOWED = 14, INVALID_CLUSTER_SIZE = 912 };
enum { UNTOUCHED = 77 };

/* A launch of a kernel without registers or shared memory of its own. */
struct question {
    CUfunction function;
    CUlaunchConfig config;
    CUlaunchAttribute attribute;
};

static void begin_question(struct question *question)
{
    memset(question, 0, sizeof *question);
    question->function = begin_function(begin_module(), "plain");
    question->config.gridDimX = question->config.gridDimY = question->config.gridDimZ = 1;
    question->config.blockDimX = 64;
    question->config.blockDimY = question->config.blockDimZ = 1;
    question->attribute.id = (CUlaunchAttributeID)CLUSTER_DIMENSION;
}

/* Ask for clusters of one row of blocks, in a grid of two clusters. */
static CUresult count_clusters(struct question *question, unsigned size, unsigned threads,
                               int *clusters)
{
    const unsigned dimensions[3] = {size, 1, 1};

    memcpy(&question->attribute.value, dimensions, sizeof dimensions);
    question->config.gridDimX = size > 0 ? 2 * size : 2;
    question->config.blockDimX = threads;
    question->config.attrs = &question->attribute;
    question->config.numAttrs = 1;
    *clusters = UNTOUCHED;
    return cu->OccupancyMaxActiveClusters(clusters, question->function, &question->config);
}

static int multiprocessors(void)
{
    int count = 0;

    MUST(cu->DeviceGetAttribute(&count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    return count;
}

MEASURED_CASE(210, clusters_of_two_use_every_multiprocessor)
{
    static const struct {
        unsigned threads;
        int blocks;
    } rows[] = {{32, 8}, {128, 8}, {512, 4}, {2048, 0}};
    struct question question;
    int clusters;

    begin_question(&question);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const int most = multiprocessors() * rows[i].blocks;

        for (int size = 1; size <= 2; size++) {
            OK(count_clusters(&question, (unsigned)size, rows[i].threads, &clusters));
            EQUAL(most / size, clusters);
        }
        for (int size = 4; size <= 8; size *= 2) { /* an H200 uses 124 of 132 multiprocessors */
            OK(count_clusters(&question, (unsigned)size, rows[i].threads, &clusters));
            CHECK(clusters <= most / size && clusters >= most / size * 3 / 4);
        }
    }
}

MEASURED_CASE(210, shared_memory_limits_clusters)
{
    static const struct {
        unsigned bytes;
        int blocks;
    } rows[] = {{0, 8}, {16 << 10, 8}, {32 << 10, 6}, {48 << 10, 4}};
    struct question question;
    int clusters;

    begin_question(&question);
    for (size_t i = 0; i < COUNT(rows); i++) {
        question.config.sharedMemBytes = rows[i].bytes;
        OK(count_clusters(&question, 2, 64, &clusters));
        EQUAL(multiprocessors() * rows[i].blocks / 2, clusters);
    }
}

MEASURED_CASE(210, clusters_that_cannot_be_launched_are_912)
{
    static const unsigned sizes[] = {0, 16, 32};
    struct question question;
    int clusters;

    begin_question(&question);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        CODE(INVALID_CLUSTER_SIZE, count_clusters(&question, sizes[i], 2048, &clusters));
        EQUAL(UNTOUCHED, clusters);
    }
    question.config.numAttrs = 0; /* no cluster size: no clusters */
    OK(cu->OccupancyMaxActiveClusters(&clusters, question.function, &question.config));
    EQUAL(0, clusters);
}

static int potential(const struct question *question)
{
    int size = UNTOUCHED;

    OK(cu->OccupancyMaxPotentialClusterSize(&size, question->function, &question->config));
    return size;
}

MEASURED_CASE(210, potential_cluster_size_is_8_or_16)
{
    struct question question;

    begin_question(&question);
    EQUAL(8, potential(&question));
    question.config.blockDimX = 2048;
    EQUAL(0, potential(&question));
    question.config.blockDimX = 64;
    MUST(cu->FuncSetAttribute(question.function, (CUfunction_attribute)NON_PORTABLE_ALLOWED, 1));
    EQUAL(16, potential(&question));
}

MEASURED_CASE(210, null_is_refused)
{
    struct question question;
    int number = 0;

    begin_question(&question);
    REFUSED(cu->OccupancyMaxActiveClusters(NULL, question.function, &question.config));
    REFUSED(cu->OccupancyMaxActiveClusters(&number, NULL, &question.config));
    REFUSED(cu->OccupancyMaxActiveClusters(&number, question.function, NULL));
    REFUSED(cu->OccupancyMaxPotentialClusterSize(NULL, question.function, &question.config));
    REFUSED(cu->OccupancyMaxPotentialClusterSize(&number, NULL, &question.config));
    REFUSED(cu->OccupancyMaxPotentialClusterSize(&number, question.function, NULL));
    make_current(NULL);
    CODE(CUDA_ERROR_INVALID_CONTEXT,
         cu->OccupancyMaxActiveClusters(&number, question.function, &question.config));
    CODE(CUDA_ERROR_INVALID_CONTEXT,
         cu->OccupancyMaxPotentialClusterSize(&number, question.function, &question.config));
}

CASE(210, mock_without_clusters_refuses, .class = MOCK_ONLY,
     .settings = "attribute.CLUSTER_LAUNCH = 0\n")
{
    struct question question;
    int number;

    begin_question(&question);
    CODE(CUDA_ERROR_NOT_SUPPORTED, count_clusters(&question, 2, 64, &number));
    CODE(CUDA_ERROR_NOT_SUPPORTED,
         cu->OccupancyMaxPotentialClusterSize(&number, question.function, &question.config));
    EQUAL(UNTOUCHED, number);
}
