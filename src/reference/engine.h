// Builds the engine that drives a kernel.
#pragma once

#include "kernel.h"

namespace pollen::reference {

std::unique_ptr<Engine> make_engine(std::unique_ptr<Chains> chains, KernelPointer kernel);

}  // namespace pollen::reference
