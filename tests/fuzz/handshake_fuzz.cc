// Fuzzes a client of a federation with a server that says anything in any order. Only documented errors may occur. The
// client's state is in memory.
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
                                                  {"sampler.name=lsd*"},
                                                  {"sampler.name=fald", "sampler.local_steps=3"}};
  return read_config_text(kProblem, "fuzz", samplers[which % samplers.size()]);
}

// Corrects the length of a changed frame; otherwise most changes would be refused at the header.
void put_length(Bytes& frame) {
  if (frame.size() < wire::kFrameHeader) return;
  const std::uint64_t body = frame.size() - wire::kFrameHeader;
  std::memcpy(frame.data() + 8, &body, sizeof body);
}

void converse(Input& input) {
  static const std::vector<Config> configs = {config_of(0), config_of(1), config_of(2), config_of(3)};
  ParticipantOptions options;
  options.name = "c0";
  options.config = configs[input.byte() % configs.size()];
  options.part = 0;
  options.shared_seed = true;
  Participant participant(options);
  std::size_t said = 0;
  const auto send = [&](const Bytes& frame) {
    HOLDS(wire::type_of(frame) >= wire::Type::reply);
    said += frame.size();
  };
  for (int i = 0; i < 64; ++i) {
    Bytes frame = input.bytes(input.word());
    if (frame.empty()) break;
    put_length(frame);
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
