// The one symbol that the module exports: pollen_make_network.
#include <fmt/format.h>

#include <stdexcept>

#include "settings.h"
#include "torch_network.h"

namespace pollen::torch_room {
namespace {

void check_sizes(const NetworkSpec& spec) {
  if (spec.channels < 1 || spec.height < 1 || spec.width < 1)
    throw std::runtime_error(
        fmt::format("a network's rows cannot be {} x {} x {} numbers", spec.channels, spec.height, spec.width));
  if (spec.outputs < 1) throw std::runtime_error(fmt::format("a network cannot have {} outputs", spec.outputs));
  if (!spec.classifies && spec.outputs != 1)
    throw std::runtime_error(fmt::format("a network with a real response has one output, not {}", spec.outputs));
  if (!spec.classifies && !(spec.noise_sd > 0))
    throw std::runtime_error(fmt::format("noise_sd is above 0, not {}", spec.noise_sd));
}

}  // namespace

std::unique_ptr<Architecture> make_architecture(const NetworkSpec& spec) {
  check_sizes(spec);
  if (spec.kind == "mlp") return make_mlp(spec);
  if (spec.kind == "lenet5") return make_lenet5(spec);
  if (spec.kind == "cnn5") return make_cnn5(spec);
  if (spec.kind == "resnet20") return make_resnet20(spec);
  if (spec.kind == "torchscript") return make_torchscript(spec);
  throw std::runtime_error(
      fmt::format("a network is an mlp, lenet5, resnet20, cnn5 or torchscript, not \"{}\"", spec.kind));
}

}  // namespace pollen::torch_room

extern "C" __attribute__((visibility("default"))) pollen::Network* pollen_make_network(
    const pollen::NetworkSpec& spec) {
  pollen::torch_room::prepare_process();
  return pollen::torch_room::plainly([&] { return pollen::torch_room::make_network(spec).release(); });
}
