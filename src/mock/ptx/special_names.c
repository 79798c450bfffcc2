/* SPDX-License-Identifier: Apache-2.0 */
/* The names of special registers. */
#include "src/mock/ptx/parser.h"

static const struct {
    const char *name;
    enum ptx_special value;
} specials[] = {
    {"%tid.x", SPECIAL_TID_X},
    {"%tid.y", SPECIAL_TID_Y},
    {"%tid.z", SPECIAL_TID_Z},
    {"%ntid.x", SPECIAL_NTID_X},
    {"%ntid.y", SPECIAL_NTID_Y},
    {"%ntid.z", SPECIAL_NTID_Z},
    {"%ctaid.x", SPECIAL_CTAID_X},
    {"%ctaid.y", SPECIAL_CTAID_Y},
    {"%ctaid.z", SPECIAL_CTAID_Z},
    {"%nctaid.x", SPECIAL_NCTAID_X},
    {"%nctaid.y", SPECIAL_NCTAID_Y},
    {"%nctaid.z", SPECIAL_NCTAID_Z},
    {"%laneid", SPECIAL_LANEID},
    {"%warpid", SPECIAL_WARPID},
    {"%nwarpid", SPECIAL_NWARPID},
    {"%smid", SPECIAL_SMID},
    {"%nsmid", SPECIAL_NSMID},
    {"%gridid", SPECIAL_GRIDID},
    {"%lanemask_eq", SPECIAL_LANEMASK_EQ},
    {"%lanemask_le", SPECIAL_LANEMASK_LE},
    {"%lanemask_lt", SPECIAL_LANEMASK_LT},
    {"%lanemask_ge", SPECIAL_LANEMASK_GE},
    {"%lanemask_gt", SPECIAL_LANEMASK_GT},
    {"%clock", SPECIAL_CLOCK},
    {"%clock_hi", SPECIAL_CLOCK_HI},
    {"%clock64", SPECIAL_CLOCK64},
    {"%globaltimer", SPECIAL_GLOBALTIMER},
    {"%globaltimer_lo", SPECIAL_GLOBALTIMER_LO},
    {"%globaltimer_hi", SPECIAL_GLOBALTIMER_HI},
    {"%dynamic_smem_size", SPECIAL_DYNAMIC_SHARED},
    {"%total_smem_size", SPECIAL_TOTAL_SHARED},
    {"%aggr_smem_size", SPECIAL_TOTAL_SHARED},
    {"%is_explicit_cluster", SPECIAL_ZERO},
    {"%clusterid.x", SPECIAL_CTAID_X},
    {"%clusterid.y", SPECIAL_CTAID_Y},
    {"%clusterid.z", SPECIAL_CTAID_Z},
    {"%nclusterid.x", SPECIAL_NCTAID_X},
    {"%nclusterid.y", SPECIAL_NCTAID_Y},
    {"%nclusterid.z", SPECIAL_NCTAID_Z},
    {"%cluster_ctaid.x", SPECIAL_ZERO},
    {"%cluster_ctaid.y", SPECIAL_ZERO},
    {"%cluster_ctaid.z", SPECIAL_ZERO},
    {"%cluster_nctaid.x", SPECIAL_ONE},
    {"%cluster_nctaid.y", SPECIAL_ONE},
    {"%cluster_nctaid.z", SPECIAL_ONE},
    {"%cluster_ctarank", SPECIAL_ZERO},
    {"%cluster_nctarank", SPECIAL_ONE},
    {"%envreg1", SPECIAL_GRID_MEMORY_HI},
    {"%envreg2", SPECIAL_GRID_MEMORY_LO},
    {"%reserved_smem_offset_begin", SPECIAL_ZERO},
    {"%reserved_smem_offset_end", SPECIAL_ZERO},
};

bool cushim__ptx_special_named(struct ptx_word name, struct ptx_operand *operand)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        if (ptx_equal(name, specials[i].name)) {
            operand->kind = OPERAND_SPECIAL;
            operand->special = (uint8_t)specials[i].value;
            return true;
        }
    }
    if (!ptx_begins(name, "%envreg") && !ptx_begins(name, "%pm"))
        return false;
    operand->kind = OPERAND_SPECIAL;
    operand->special = SPECIAL_ZERO;
    return true;
}
