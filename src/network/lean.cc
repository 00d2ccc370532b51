#include <stdexcept>

#include "pollen/network.h"

namespace pollen {

std::unique_ptr<Network> make_lean_network(const NetworkSpec& spec) {
  throw std::runtime_error("no lean network of kind " + spec.kind);
}

}  // namespace pollen
