// Transports that misbehave as networks do. Draws must not change.
#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "pollen/transport.h"
#include "wire/wire.h"

namespace pollen::testing {

// Every client answers through real frames. `order` decides who answers first, `lose` which replies are lost once.
class OddTransport : public Transport {
 public:
  struct Options {
    bool shuffle = false;
    bool lossy = false;
  };
  OddTransport(ClientView& view, Clients& clients, Options options)
      : view_(view), clients_(clients), options_(options), direct_(make_thread_transport(view, clients, 1)) {}

  void exchange(Server& server) override {
    const Roster& roster = server.broadcast().roster;
    receive(server);
    std::vector<std::size_t> order(roster.clients.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (options_.shuffle) std::shuffle(order.begin(), order.end(), random_);
    std::vector<Bytes> frames(order.size());
    codes_.resize(order.size());
    for (const std::size_t e : order) frames[e] = ask(roster, e);
    std::vector<Index> blocks(static_cast<std::size_t>(server.blocks()));
    for (std::size_t b = 0; b < blocks.size(); ++b) blocks[b] = static_cast<Index>(b);
    if (options_.shuffle) std::shuffle(blocks.begin(), blocks.end(), random_);
    for (const Index block : blocks) {
      const auto [first, last] = server.block_entries(block);
      for (std::size_t e = first; e < last; ++e) {
        Reply reply;
        wire::decode(frames[e], reply);
        if (reply.code.updates != codes_[e].updates) throw std::logic_error("a code's updates are not those sent");
        reply.code = codes_[e];  // what a server knows of its clients' codes
        reply.code_seed = view_.code_seed();
        server.absorb(reply, roster.clients[e], work_);
      }
    }
  }

  void query(const Query& query, PanelView sum) override { direct_->query(query, sum); }

  int lost = 0;

 private:
  void receive(Server& server) {
    const Roster& roster = server.broadcast().roster;
    const auto chains =
        roster.clients.empty() ? std::span<const std::uint32_t>() : roster.chains(roster.clients.front());
    Bytes frame;
    wire::encode(server.broadcast(), chains, frame);
    Broadcast heard;
    std::vector<std::uint32_t> mine;
    wire::decode(frame, heard, mine);
    view_.receive(heard, work_);
  }

  Bytes ask(const Roster& roster, std::size_t e) {
    Client& client = clients_[roster.clients[e].client];
    Reply reply;
    Bytes frame;
    client.answer(view_, roster.chains(roster.clients[e]), reply, work_, roster.weights(roster.clients[e]));
    wire::encode(reply, frame);
    if (options_.lossy && random_() % 3 == 0) {  // lost: the client is told and asked again
      ++lost;
      client.acknowledge(reply, false);
      Bytes again;
      client.answer(view_, roster.chains(roster.clients[e]), reply, work_, roster.weights(roster.clients[e]));
      wire::encode(reply, again);
      if (again != frame) throw std::logic_error("a repeated reply differs");
    }
    client.acknowledge(reply, true);
    codes_[e] = reply.joined ? reply.code : CodeMemory();
    return frame;
  }

  ClientView& view_;
  Clients& clients_;
  Options options_;
  std::unique_ptr<Transport> direct_;
  std::vector<CodeMemory> codes_;  // one per participant: what its message was coded with
  Workspace work_;
  std::mt19937 random_{1};
};

}  // namespace pollen::testing
