#include "world.h"

#include <unistd.h>

#include <algorithm>

#include "pollen/errors.h"

namespace pollen::testing {

std::string small_problem(const SmallProblem& p) {
  return fmt::format(R"(
seed = 7
[model]
kind = "logistic"
[data]
source = "synthetic-logistic"
clients = {}
dimension = 4
min_size = 8
max_size = {}
[run]
iterations = {}
burn_in = 0
chains = {}
[sampler]
batch = 3
refresh = {}
step = 0.002
)",
                     p.clients, p.largest, p.iterations, p.chains, p.refresh);
}

namespace {

// Returns one client for each part of the configuration's own split.
std::vector<ParticipantOptions> parts_of(const Config& config, const std::string& folder) {
  const auto parts =
      config.clients.empty() ? *with_defaults(config.data).clients : static_cast<Index>(config.clients.size());
  std::vector<ParticipantOptions> clients(static_cast<std::size_t>(parts));
  for (std::size_t i = 0; i < clients.size(); ++i) {
    clients[i].name = fmt::format("c{}", i);
    clients[i].config = config;
    clients[i].part = static_cast<std::int64_t>(i);
    clients[i].state = fmt::format("{}/c{}", folder, i);
    clients[i].shared_seed = true;
  }
  return clients;
}

// Returns one client per file.
std::vector<ParticipantOptions> owners_of(const std::vector<std::string>& files, const std::string& folder) {
  std::vector<ParticipantOptions> clients(files.size());
  for (std::size_t i = 0; i < clients.size(); ++i) {
    clients[i].name = fmt::format("c{}", i);
    clients[i].data = files[i];
    clients[i].state = fmt::format("{}/c{}", folder, i);
    clients[i].shared_seed = true;
  }
  return clients;
}

}  // namespace

World::World(const std::string& config, const Overrides& overrides, const Faults& f, const std::string& folder,
             const std::vector<std::string>& files)
    : World(federated_config(config, overrides),
            files.empty() ? parts_of(federated_config(config, overrides), folder) : owners_of(files, folder), f) {}

World::World(Config config, std::vector<ParticipantOptions> clients, const Faults& f)
    : config_(std::move(config)), faults_(f), sites_(clients.size()), random_(f.seed) {
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    sites_[i].options = std::move(clients[i]);
    start(i);
  }
}

void World::start(std::size_t i) {
  sites_[i].participant.reset();  // releases the lock of its state
  ParticipantOptions options = sites_[i].options;
  options.draws = [this, i](const wire::Draws& message) {
    if (shared) shared(i, message);
  };
  sites_[i].participant = std::make_unique<Participant>(options);
}

bool World::strikes(int thousandths) {
  if (thousandths == 0 || static_cast<int>(random_() % 1000) >= thousandths) return false;
  ++faults;
  return true;
}

void World::connect(std::size_t i) {
  Site& site = sites_[i];
  site.participant->forget_ending();
  site.link = ++last_link_;
  site.inbox.clear();
  site.outbox.clear();
  site.closing = false;
  events_.push_back({LinkEvent::What::opened, site.link, {}, {}});
  site.outbox.push_back(site.participant->hello());
}

void World::lose(std::size_t i) {
  Site& site = sites_[i];
  if (site.link == 0) return;
  std::erase_if(events_, [&](const LinkEvent& e) { return e.link == site.link; });
  events_.push_back({LinkEvent::What::closed, site.link, {}, {}});
  site.link = 0;
}

void World::server_died() {
  events_.clear();
  for (Site& site : sites_) site.link = 0;
}

void World::send(std::uint64_t link, Frame frame) {
  for (Site& site : sites_)
    if (site.link == link && !site.closing) {
      if (overhear) overhear(static_cast<std::uint32_t>(&site - sites_.data()), *frame);
      site.inbox.push_back(std::move(frame));
    }
}

void World::close(std::uint64_t link) {
  for (Site& site : sites_)
    if (site.link == link) site.closing = true;
}

// Lets a client take one frame. The client may die before that, or after its state is on the disk and before anything
// is sent.
void World::hear(std::size_t i) {
  Site& site = sites_[i];
  const Frame frame = site.inbox.front();
  site.inbox.pop_front();
  try {
    if (strikes(faults_.kill_client)) throw Killed();
    site.participant->handle(*frame, [&](const Bytes& out) {
      if (strikes(faults_.kill_client)) throw Killed();
      site.outbox.push_back(out);
    });
  } catch (const Killed&) {
    lose(i);
    start(i);
    return;
  } catch (const std::exception& error) {
    lose(i);
    return finished(i, error.what());
  }
  if (const auto& end = site.participant->ended(); end && !end->again) finished(i, end->why);
}

void World::finished(std::size_t i, const std::string& why) {
  Site& site = sites_[i];
  const bool done = site.participant->ended() && site.participant->ended()->complete;
  ended.push_back(why);
  site.over = done || !stubborn;
  if (site.over) return;
  lose(i);
  start(i);
}

std::vector<std::size_t> World::order() {
  std::vector<std::size_t> order(sites_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (faults_.shuffle) std::shuffle(order.begin(), order.end(), random_);
  return order;
}

namespace {

bool may_be_repeated(const Bytes& frame) {
  try {
    const wire::Type type = wire::type_of(frame);
    return type == wire::Type::reply || type == wire::Type::answer;
  } catch (const WireError&) {
    return false;
  }
}

}  // namespace

void World::speak(std::size_t i) {
  Site& site = sites_[i];
  const auto client = static_cast<std::uint32_t>(i);
  Bytes frame = std::move(site.outbox.front());
  site.outbox.pop_front();
  if (tamper) tamper(client, frame);
  if (may_be_repeated(frame) && strikes(faults_.repeat)) site.outbox.push_back(frame);
  std::vector<Bytes> more;
  if (also) more = also(client, frame);
  events_.push_back({LinkEvent::What::frame, site.link, {}, std::move(frame)});
  for (Bytes& extra : more) events_.push_back({LinkEvent::What::frame, site.link, {}, std::move(extra)});
}

void World::gather_events() {
  for (const std::size_t i : order()) {
    Site& site = sites_[i];
    const auto client = static_cast<std::uint32_t>(i);
    if (away && away(client)) {
      lose(i);
      continue;
    }
    if (site.link == 0 && !site.over) connect(i);
    if (site.link != 0 && strikes(faults_.cut)) lose(i);
    if (silent && silent(client)) continue;
    if (site.link != 0 && !site.inbox.empty()) hear(i);
    if (site.link != 0 && site.inbox.empty() && site.closing) lose(i);
    if (site.link == 0 || site.outbox.empty()) continue;
    speak(i);
    if (faults_.shuffle && random_() % 2 == 0) break;
  }
}

std::optional<LinkEvent> World::next(Deadline until) {
  if (strikes(faults_.kill_server)) throw Killed();
  ++looks;
  for (gather_events(); events_.empty() && now_ < until; gather_events()) now_ += std::chrono::milliseconds(2);
  if (events_.empty() && !may_wait && ++silent_ > 100)
    throw std::logic_error(fmt::format("nothing happens any more; clients ended: {}", fmt::join(ended, "; ")));
  if (events_.empty()) return std::nullopt;
  silent_ = 0;
  LinkEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

namespace {

// What a server has on its disk.
struct Disk {
  std::optional<Bytes> federation, checkpoint;
  std::vector<std::vector<double>> draws;
};

class RoundByRound : public Collect {
 public:
  explicit RoundByRound(std::atomic<bool>& pause) : pause_(pause) {}
  void closed(std::int64_t, const Counters&, ConstPanelView) override { pause_ = true; }

 private:
  std::atomic<bool>& pause_;
};

void gather(ConnectionRegistry& registry, Disk& disk) {
  if (disk.federation) {
    Archive archive(*disk.federation);
    registry.archive(archive);
    return archive.finish();
  }
  registry.gather();
  Archive archive;
  registry.archive(archive);
  disk.federation = archive.take();
}

// Runs one server until it ends or is killed.
void serve(World& world, Disk& disk, const RegistryOptions& registry_options, int kill, FederationOutcome& outcome) {
  ConnectionRegistry registry(world, world.config(), registry_options);
  gather(registry, disk);
  std::atomic<bool> pause = false;
  ExperimentOptions options;
  options.sites = registry.sites();
  options.stop = &pause;
  options.believed = world.believed;
  options.transport = [&](ClientView& view, Clients&) {
    return make_remote_transport(
        registry, view,
        {world.config().federation, static_cast<std::size_t>(world.config().federation.quorum.value_or(1)),
         registry_options.tell, &outcome.statistics, world.believed});
  };
  Experiment experiment(world.config(), options);
  if (disk.checkpoint)
    experiment.load(*disk.checkpoint);
  else
    experiment.prepare();
  const std::int64_t total = experiment.config().run.iterations;
  while (experiment.iteration() < total) {
    RoundByRound sink(pause);
    pause = false;
    experiment.advance(total - experiment.iteration(), sink);
    if (world.strikes(kill)) throw Killed();
    for (std::size_t c = 0; c < sink.draws.size(); ++c) {
      disk.draws.resize(sink.draws.size());
      disk.draws[c].insert(disk.draws[c].end(), sink.draws[c].begin(), sink.draws[c].end());
    }
    disk.checkpoint = experiment.save();
    if (world.strikes(kill)) throw Killed();
  }
  outcome.counters = experiment.counters();
  if (const SimulatedTime* time = experiment.simulated()) outcome.simulated = time->total() - time->setup;
  if (world.before_end) world.before_end(registry);
  registry.end({true, "done"});
}

}  // namespace

FederationOutcome run_federation(World& world, RegistryOptions options) {
  FederationOutcome outcome;
  Disk disk;
  for (;;) {
    ++outcome.servers;
    try {
      serve(world, disk, options, world.kill_between(), outcome);
      break;
    } catch (const Killed&) {
      world.server_died();
    } catch (const Paused&) {
      if (!world.goes_on) throw;
      world.server_died();
    }
  }
  outcome.draws = std::move(disk.draws);
  outcome.faults = world.faults;
  return outcome;
}

Folder::Folder() {
  const std::filesystem::path base =
      ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : std::filesystem::temp_directory_path();
  std::string pattern = (base / "pollen-federation-XXXXXX").string();
  path_ = ::mkdtemp(pattern.data());
}

Folder::~Folder() { std::filesystem::remove_all(path_); }

}  // namespace pollen::testing
