// Factory functions of the kernels, one per row of the table in table.cc.
#pragma once

#include "kernel.h"
#include "target.h"

namespace pollen::reference {

KernelPointer make_ula(const Chains& chains, const ReferenceSettings& settings);
KernelPointer make_sgld_pooled(const Chains& chains, const ReferenceSettings& settings);
KernelPointer make_svrg_ld(const Chains& chains, const ReferenceSettings& settings);
KernelPointer make_psgld(const Chains& chains, const ReferenceSettings& settings);
KernelPointer make_dg_lmc(const Chains& chains, const ReferenceSettings& settings);
KernelPointer make_fsgld(const Chains& chains, const ReferenceSettings& settings);
KernelPointer make_consensus(const Chains& chains, const ReferenceSettings& settings);
KernelPointer make_fedavg(const Chains& chains, const ReferenceSettings& settings);
KernelPointer make_scaffold(const Chains& chains, const ReferenceSettings& settings);
KernelPointer make_fedpa(const Chains& chains, const ReferenceSettings& settings);
KernelPointer make_fedbe(const Chains& chains, const ReferenceSettings& settings);

// These three kernels can also run on a client's own posterior.
KernelPointer make_mala(const Chains& chains, const ReferenceSettings& settings, Target target);
KernelPointer make_hmc(const Chains& chains, const ReferenceSettings& settings, Target target);
KernelPointer make_nuts(const Chains& chains, const ReferenceSettings& settings, Target target);

// Throws ConfigError if a setting that the sampler reads is out of range.
void check_settings(const ReferenceSampler& sampler, const ReferenceProblem& problem,
                    const ReferenceSettings& settings);

}  // namespace pollen::reference
