// Sends a hundred thousand damaged frames, made from those of real runs, to the server's side and the client's. The
// result is an error or nothing, never a crash, a hang or growing memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "pollen/errors.h"
#include "support/sanitized.h"
#include "world.h"

namespace pollen {
namespace {

using testing::World;

const std::string kProblem =
    testing::small_problem({.largest = 12, .iterations = 12, .refresh = 3}) + "name = \"qlsd++\"\n";
constexpr int kFrames = 50'000;  // frames for each side
constexpr std::uint32_t kLiar = 1;

double megabytes() {
  std::ifstream in("/proc/self/statm");
  double pages = 0, resident = 0;
  in >> pages >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1048576;
}

struct Recording {
  Config config;
  std::vector<Bytes> to_client, to_server;
};

Recording record(const Overrides& set) {
  testing::Folder folder;
  World world(kProblem, set, {}, folder.path());
  Recording recording{world.config(), {}, {}};
  world.overhear = [&](std::uint32_t client, const Bytes& frame) {
    if (client == kLiar) recording.to_client.push_back(frame);
  };
  world.tamper = [&](std::uint32_t client, const Bytes& frame) {
    if (client == kLiar) recording.to_server.push_back(frame);
  };
  run_federation(world);
  return recording;
}

class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}

  Bytes of(const Bytes& frame, const std::vector<Bytes>& others) {
    Bytes out = frame;
    for (auto n = 1 + random_() % 3; n > 0; --n) once(out, others[random_() % others.size()]);
    return out;
  }

 private:
  std::ptrdiff_t place(const Bytes& frame) { return static_cast<std::ptrdiff_t>(random_() % (frame.size() + 1)); }

  void once(Bytes& frame, const Bytes& other) {
    if (frame.empty()) return frame.push_back(0);
    switch (random_() % 6) {
      case 0:
        frame[random_() % frame.size()] ^= static_cast<std::uint8_t>(1U << random_() % 8);
        return;
      case 1:
        frame[random_() % frame.size()] = random_() % 2 == 0 ? 0xff : static_cast<std::uint8_t>(random_());
        return;
      case 2:
        return frame.resize(static_cast<std::size_t>(place(frame)));
      case 3:
        frame.insert(frame.begin() + place(frame), 1 + random_() % 9, static_cast<std::uint8_t>(random_()));
        return;
      case 4: {  // the beginning of one frame and the end of another
        frame.resize(static_cast<std::size_t>(place(frame)));
        frame.insert(frame.end(), other.begin() + place(other), other.end());
        return;
      }
      default: {  // a number that is too large for anything
        const std::uint64_t huge = ~std::uint64_t{0} >> random_() % 40;
        const std::size_t at = random_() % frame.size();
        std::memcpy(frame.data() + at, &huge, std::min(sizeof huge, frame.size() - at));
        return;
      }
    }
  }
  std::mt19937 random_;
};

// Thrown if a lie in set-up was believed (another name or other rows), so that the honest client is then a stranger.
struct Lost {};

// One client of three sends only damaged frames and keeps coming back. The others do not notice.
TEST(Mutation, FramesToTheServer) {
  const Recording recording = record({"run.iterations=6"});
  Damage damage(1);
  std::mt19937 random(2);
  const double before = megabytes();
  int sent = 0, exploded = 0, lost = 0;
  for (int life = 0; sent < kFrames; ++life) {
    testing::Folder folder;
    World world(kProblem, {"run.iterations=6"}, {.cut = 5, .seed = static_cast<unsigned>(life + 1)}, folder.path());
    world.stubborn = true;
    int left = 500, honest = 0;  // afterwards it is honest, and the run ends
    world.tamper = [&](std::uint32_t client, Bytes& frame) {
      if (client != kLiar) return;
      if (left <= 0 && ++honest > 200) throw Lost();
      if (left <= 0) return;
      --left, ++sent;
      // Damage in every frame would end each connection at its hello.
      if (random() % 3 == 0) frame = damage.of(frame, recording.to_server);
    };
    world.also = [&](std::uint32_t client, const Bytes&) {
      std::vector<Bytes> more;
      for (; client == kLiar && left > 0 && more.size() < 5; --left, ++sent)
        more.push_back(damage.of(recording.to_server[random() % recording.to_server.size()], recording.to_server));
      return more;
    };
    try {
      EXPECT_EQ(run_federation(world).draws.size(), 2U);
    } catch (const NumericError&) {  // a vector of the right shape that is far too long
      ++exploded;
    } catch (const Lost&) {
      ++lost;
    }
  }
  EXPECT_LT(exploded + lost, 50) << exploded << " exploded";
  EXPECT_TRUE(POLLEN_SANITIZED || megabytes() - before < 30) << megabytes() - before << " MB";
}

// Damaged frames reach the client at every stage of the conversation.
TEST(Mutation, FramesToTheClient) {
  const std::vector<Recording> recordings{record({}), record({"sampler.name=vr-fald*", "sampler.step=0.001"}),
                                          record({"sampler.name=lsd*"})};
  Damage damage(3);
  std::mt19937 random(4);
  const double before = megabytes();
  int taken = 0;
  for (int sent = 0; sent < kFrames;) {
    const Recording& recording = recordings[random() % recordings.size()];
    ParticipantOptions options;
    options.name = "c1";
    options.config = recording.config;
    options.part = kLiar;
    options.shared_seed = true;
    Participant participant(options);
    const auto nobody = [](const Bytes&) {};
    const std::size_t heard = random() % recording.to_client.size();
    for (std::size_t i = 0; i < heard; ++i) participant.handle(recording.to_client[i], nobody);
    for (int i = 0; i < 40; ++i, ++sent) {  // a real client would leave after the first; here it stays
      const Bytes& next =
          i % 2 == 0 ? recording.to_client[heard] : recording.to_client[random() % recording.to_client.size()];
      try {
        participant.handle(damage.of(next, recording.to_client), nobody);
        ++taken;
      } catch (const WireError&) {
      } catch (const ConfigError&) {
      } catch (const NumericError&) {
      }
    }
  }
  EXPECT_GT(taken, 100);  // not all frames are refused at the header
  EXPECT_TRUE(POLLEN_SANITIZED || megabytes() - before < 30) << megabytes() - before << " MB";
}

}  // namespace
}  // namespace pollen
