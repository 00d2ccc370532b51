// Factory functions of the kernels, one per row of the table in table.cc.
#pragma once

#include "kernel.h"

namespace pollen::reference {

// A function that makes a kernel. The lines below declare one per sampler.
using MakeKernel = KernelPointer(const Chains& chains, const ReferenceSettings& settings);
MakeKernel make_ula, make_sgld_pooled, make_svrg_ld, make_psgld;
MakeKernel make_dg_lmc, make_fsgld, make_consensus, make_fedavg, make_scaffold, make_fedpa, make_fedbe;

// Throws ConfigError if a setting that the sampler reads is out of range.
void check_settings(const ReferenceSampler& sampler, const ReferenceProblem& problem,
                    const ReferenceSettings& settings);

}  // namespace pollen::reference
