// The transport for a run whose clients are all in this process.
#include "pollen/transport.h"
#include "transport/local_executor.h"

namespace pollen {

namespace {

class ThreadTransport final : public Transport {
 public:
  ThreadTransport(ClientView& view, Clients& clients, int threads)
      : local_(view, clients, BlockRange::all(std::ssize(clients)), threads) {}

  void exchange(Server& server) override { local_.answer_round(server); }

  void query(const Query& query, PanelView sum) override {
    if (Query::by_client(query.what)) return local_.answer_columns(query, sum);
    local_.answer(query, sum.rows, sum.columns);
    fill(sum, 0.0);
    local_.sums().add_finished(sum);
  }

  Team team() override { return local_.team(); }

 private:
  LocalExecutor local_;
};

}  // namespace

std::unique_ptr<Transport> make_thread_transport(ClientView& view, Clients& clients, int threads) {
  return std::make_unique<ThreadTransport>(view, clients, threads);
}

}  // namespace pollen
