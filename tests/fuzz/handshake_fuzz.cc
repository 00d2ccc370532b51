// Fuzzes a client of a federation with a server that says anything in any order. Only documented errors may occur. The
// client's state is in memory. Some clients have a part of a configuration, others a file of their own, so that they
// are taken through all of set-up and hold the server to a contract and to a pin.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "federation/federation.h"
#include "fuzz.h"
#include "pollen/errors.h"

namespace pollen::fuzz {
namespace {

const char* kProblem = R"(
[model]
kind = "gaussian"
prior_sd = 3.0
[[client]]
data = [[1.0, -2.0], [0.5, 1.0], [2.0, 0.0]]
[[client]]
data = [[0.0, 4.0], [1.0, 3.0]]
[run]
iterations = 10
chains = 1
coupled = true
[warm_up]
epochs = 1
[sampler]
step = 0.1
batch = 1
)";

Config config_of(std::size_t which) {
  static const std::vector<Overrides> samplers = {{"sampler.name=qlsd"},
                                                  {"sampler.name=qlsd++"},
                                                  {"sampler.name=clsd*"},
                                                  {"sampler.name=fald", "sampler.local_steps=3"}};
  return read_config_text(kProblem, "fuzz", samplers[which % samplers.size()]);
}

// The file of a client that has its own. It is removed when the program ends.
const std::string& own_file() {
  static const struct File {
    File() : path(std::filesystem::temp_directory_path() / fmt::format("pollen-handshake-{}.csv", ::getpid())) {
      std::ofstream out(path);
      out << "x,colour,t\n";
      for (int i = 0; i < 12; ++i) out << i % 5 << (i % 2 == 0 ? ",red," : ",blue,") << (i % 3 == 0 ? "yes\n" : "no\n");
    }
    ~File() { std::filesystem::remove(path); }
    std::string path;
  } file;
  return file.path;
}

ParticipantOptions options_of(std::size_t which) {
  static const std::vector<Config> configs = {config_of(0), config_of(1), config_of(2), config_of(3)};
  ParticipantOptions options;
  options.name = "c0";
  if (which % 8 < configs.size()) {
    options.config = configs[which % 8];
    options.part = 0;
    options.shared_seed = true;
  } else {
    options.data = own_file();
    options.new_run = which % 2 == 1;
  }
  return options;
}

void converse(Input& input) {
  Participant participant(options_of(input.byte()));
  std::size_t said = 0;
  const auto send = [&](const Bytes& frame) {
    HOLDS(wire::type_of(frame) >= wire::Type::reply);
    said += frame.size();
  };
  for (int i = 0; i < 64; ++i) {
    Bytes frame = input.bytes(input.word());
    if (frame.empty()) break;
    const std::size_t before = said;
    try {
      participant.handle(frame, send);
    } catch (const WireError&) {
    } catch (const ConfigError&) {
    } catch (const NumericError&) {
    }
    HOLDS(said - before < 100'000);
  }
  HOLDS(!participant.hello().empty());
}

}  // namespace
}  // namespace pollen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pollen::fuzz::Input input(data, size);
  pollen::fuzz::converse(input);
  return 0;
}
