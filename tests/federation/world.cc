#include "world.h"

#include <algorithm>

#include "pollen/errors.h"

namespace pollen::testing {

World::World(const std::string& config, const Overrides& overrides, const Faults& f, const std::string& folder)
    : config_(federated_config(config, overrides)), faults_(f), folder_(folder), random_(f.seed) {
  sites_.resize(static_cast<std::size_t>(config_.clients.empty() ? config_.data.clients
                                                                 : static_cast<Index>(config_.clients.size())));
  for (std::size_t i = 0; i < sites_.size(); ++i) start(i);
}

void World::start(std::size_t i) {
  Site& site = sites_[i];
  site.participant.reset();  // lets go of the state's lock
  ParticipantOptions options;
  options.name = fmt::format("c{}", i);
  options.config = config_;
  options.part = static_cast<std::int64_t>(i);
  options.state = fmt::format("{}/c{}", folder_, i);
  options.shared_seed = true;
  options.draws = [this, i](const wire::Draws& message) {
    if (shared) shared(i, message);
  };
  site.participant = std::make_unique<Participant>(options);
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
    if (site.link == link && !site.closing) site.inbox.push_back(std::move(frame));
}

void World::close(std::uint64_t link) {
  for (Site& site : sites_)
    if (site.link == link) site.closing = true;
}

// The client takes one frame; it may die before, or after its state is on the disk and before anything is sent.
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
    ended.emplace_back(error.what());
    site.over = true;
    return lose(i);
  }
  if (const auto& end = site.participant->ended(); end && !end->again) {
    ended.push_back(end->why);
    site.over = true;
  }
}

std::vector<std::size_t> World::order() {
  std::vector<std::size_t> order(sites_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (faults_.shuffle) std::shuffle(order.begin(), order.end(), random_);
  return order;
}

std::optional<LinkEvent> World::next(Deadline) {
  if (strikes(faults_.kill_server)) throw Killed();
  for (int idle = 0; events_.empty() && idle < 1000; ++idle) {
    for (const std::size_t i : order()) {
      Site& site = sites_[i];
      if (site.link == 0 && !site.over) connect(i);
      if (site.link != 0 && strikes(faults_.cut)) lose(i);
      if (site.link != 0 && !site.inbox.empty()) hear(i);
      if (site.link != 0 && site.inbox.empty() && site.closing) lose(i);
      if (site.link == 0 || site.outbox.empty()) continue;
      Bytes frame = std::move(site.outbox.front());
      site.outbox.pop_front();
      if (tamper) tamper(static_cast<std::uint32_t>(i), frame);
      const bool numbered = wire::type_of(frame) == wire::Type::reply || wire::type_of(frame) == wire::Type::answer;
      if (numbered && strikes(faults_.repeat)) site.outbox.push_back(frame);
      events_.push_back({LinkEvent::What::frame, site.link, {}, std::move(frame)});
      if (faults_.shuffle && random_() % 2 == 0) break;
    }
  }
  if (events_.empty() && ++silent_ > 100)
    throw std::logic_error(fmt::format("nothing happens any more; clients ended: {}", fmt::join(ended, "; ")));
  if (events_.empty()) return std::nullopt;
  silent_ = 0;
  LinkEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

namespace {

// A server's disk.
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

void gather(Hall& hall, Disk& disk) {
  if (disk.federation) {
    Archive archive(*disk.federation);
    hall.archive(archive);
    return archive.finish();
  }
  hall.gather();
  Archive archive;
  hall.archive(archive);
  disk.federation = archive.take();
}

// One server's life.
void serve(World& world, Disk& disk, const HallOptions& hall_options, int kill, FederationOutcome& outcome) {
  Hall hall(world, world.config(), hall_options);
  gather(hall, disk);
  std::atomic<bool> pause = false;
  ExperimentOptions options;
  options.sites = hall.sites();
  options.stop = &pause;
  options.transport = [&](Station& station, std::vector<Client>&) {
    return make_remote_transport(
        hall, station,
        {world.config().federation, static_cast<std::size_t>(world.config().federation.quorum.value_or(1)),
         [](const Notice&) {}, &outcome.statistics});
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
  if (world.before_end) world.before_end(hall);
  hall.end({true, "done"});
}

}  // namespace

FederationOutcome run_federation(World& world, HallOptions options) {
  options.shared_seed = true;
  FederationOutcome outcome;
  Disk disk;
  for (;;) {
    ++outcome.servers;
    try {
      serve(world, disk, options, world.kill_between(), outcome);
      break;
    } catch (const Killed&) {
      world.server_died();
    }
  }
  outcome.draws = std::move(disk.draws);
  outcome.faults = world.faults;
  return outcome;
}

}  // namespace pollen::testing
