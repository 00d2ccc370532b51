#include "client_link.h"

#include <utility>

namespace pollen {

namespace {

HostSetup host_setup(const FederatedSetup& setup) {
  return {setup.recipe,
          setup.prior,
          setup.dimension,
          setup.chains,
          std::ssize(setup.sizes),
          setup.seed,
          setup.seed,
          setup.seed,
          setup.potentials == nullptr || setup.potentials->light(),
          setup.work};
}

std::size_t clients_here(const FederatedSetup& setup) {
  return setup.potentials != nullptr ? setup.potentials->size() : static_cast<std::size_t>(setup.with_work);
}

}  // namespace

ClientLink::ClientLink(const FederatedSetup& setup, const MakeTransport& make)
    : setup_(setup),
      weights_(setup.recipe->local ? local_weights(*setup.recipe->local, setup.sizes) : std::vector<double>()),
      host_(host_setup(setup), clients_here(setup), [this](std::size_t place) {
        const std::size_t i = place + static_cast<std::size_t>(setup_.first);
        auto potential = setup_.potentials != nullptr ? (*setup_.potentials)[place] : nullptr;
        return Member{static_cast<std::uint32_t>(i), std::move(potential), weight_in(weights_, i)};
      }) {
  set_transport(make);
}

void ClientLink::set_transport(const MakeTransport& make) {
  transport_ = make(host_.view(), host_.clients());
  host_.view().share_work(team());
}

}  // namespace pollen
