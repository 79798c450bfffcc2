/* SPDX-License-Identifier: Apache-2.0 */
/* Another file of the same program, with the same inline functions. */
#include "second.h"

const std::error_category *second_category()
{
    return &cushim::error_category();
}

cushim::event second_owner(cushim::event given)
{
    cushim::event other = given.share();

    given = std::move(other);
    return given;
}

CUresult second_query(const cushim::event &event)
{
    return event.query();
}

CUresult second_wait(const cushim::stream &stream, cushim::timeout limit)
{
    const CUresult code = stream.query();

    return code == CUDA_ERROR_NOT_READY ? stream.synchronize(limit) : code;
}
