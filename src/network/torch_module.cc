#include <stdexcept>

#include "pollen/network.h"

namespace pollen {

std::string torch_module() { return {}; }

std::unique_ptr<Network> make_torch_network(const NetworkSpec&) {
  throw std::runtime_error("this pollen was built without libtorch (Debian: libtorch-dev)");
}

}  // namespace pollen
