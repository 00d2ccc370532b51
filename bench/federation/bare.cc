#include "bare.h"

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "federation.grpc.pb.h"
#include "grpc/chunks.h"
#include "grpc/settings.h"
#include "usage.h"
#include "wire/messages.h"

namespace pollen::bench {

namespace {

class Bare final : public v1::Federation::WithRawCallbackMethod_Join<v1::Federation::Service> {
 public:
  Bare(int clients, int turns, int warm, const Bytes& broadcast)
      : turns_(turns),
        warm_(static_cast<std::int64_t>(clients) * warm),
        left_(clients),
        broadcast_(std::make_shared<const Bytes>(broadcast)) {}

  // Reads and writes take turns, so nothing needs a lock.
  class Connection final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
   public:
    Connection(Bare& bare, std::uint32_t index) : bare_(bare), index_(index) { StartRead(&incoming_); }
    void OnReadDone(bool ok) override {
      if (!ok || heard_ == bare_.turns_ + 2) return Finish(grpc::Status::OK);
      v1::Chunk chunk;
      if (!grpc::SerializationTraits<v1::Chunk>::Deserialize(&incoming_, &chunk).ok()) return Finish({});
      if (++heard_ > 2) bare_.count();
      if (heard_ == bare_.turns_ + 2) return Finish(grpc::Status::OK);
      if (heard_ == 2) return bare_.ready(this);
      write(heard_ == 1 ? std::make_shared<const Bytes>(wire::encode(wire::Welcome{index_, 1, "bare", ""}))
                        : bare_.broadcast_);
    }
    void write(const Frame& frame) {
      cut(frame, 0, outgoing_);
      StartWrite(&outgoing_);
    }
    void OnWriteDone(bool ok) override {
      if (!ok) return Finish(grpc::Status::OK);
      StartRead(&incoming_);
    }
    void OnDone() override {
      {
        const std::lock_guard lock(bare_.mutex_);
        --bare_.left_;
        bare_.changed_.notify_one();
      }
      delete this;
    }

   private:
    Bare& bare_;
    std::uint32_t index_;
    int heard_ = 0;
    grpc::ByteBuffer incoming_, outgoing_;
  };

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Join(grpc::CallbackServerContext*) override {
    return new Connection(*this, joined_++);
  }

  double seconds_a_message() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return left_ == 0; });
    return (cpu_seconds() - start_) / static_cast<double>(messages_ - warm_);
  }

 private:
  void count() {
    if (++messages_ == warm_) start_ = cpu_seconds();
  }

  // Waits until all handshakes are over before the first broadcast.
  void ready(Connection* connection) {
    std::vector<Connection*> all;
    {
      const std::lock_guard lock(mutex_);
      ready_.push_back(connection);
      if (std::ssize(ready_) == left_) all.swap(ready_);
    }
    for (Connection* each : all) each->write(broadcast_);
  }

  int turns_;
  std::int64_t warm_;
  std::vector<Connection*> ready_;
  std::atomic<std::int64_t> messages_{0};
  std::atomic<std::uint32_t> joined_{0};
  double start_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  int left_;
  Frame broadcast_;
};

}  // namespace

double bare_seconds(const std::optional<TlsTexts>& tls, int clients, int turns, int warm, const Bytes& broadcast,
                    const std::function<void(int)>& port) {
  Bare service(clients, turns, warm, broadcast);
  grpc::ServerBuilder builder;
  int number = 0;
  set_keepalive(builder);
  builder.AddListeningPort("localhost:0", server_credentials(tls), &number);
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  port(number);
  const double seconds = service.seconds_a_message();
  server->Shutdown();
  return seconds;
}

}  // namespace pollen::bench
