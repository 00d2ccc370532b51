// Set-up's outcome on the disk, so that a restarted server knows its federation.
#include <fmt/format.h>

#include "federation/sealed_file.h"
#include "pollen/errors.h"
#include "pollen/federation.h"

namespace pollen {

namespace {

constexpr Seal kSeal{"POLLENFD", 1, "a federation's state"};

}  // namespace

void Hall::write(const std::string& path) {
  Archive state;
  archive(state);
  write_sealed(path, kSeal, state.take());
}

void Hall::read(const std::string& path) {
  const Bytes body = read_sealed(path, kSeal);
  try {
    Archive state(body);
    archive(state);
    state.finish();
  } catch (const WireError& error) {
    throw ConfigError(path, fmt::format("{}; accepted: the same configuration, or another --state", error.what()));
  }
}

}  // namespace pollen
