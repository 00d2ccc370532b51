// The server's end: one reactor a connection; everything they have to say goes through one queue to the server's
// thread.
#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <span>
#include <unordered_map>

#include "federation.grpc.pb.h"
#include "grpc/chunks.h"
#include "grpc/settings.h"
#include "pollen/wires.h"

namespace pollen {

namespace {

std::string name_in_certificate(const grpc::CallbackServerContext& context) {
  const auto auth = context.auth_context();
  if (!auth || !auth->IsPeerAuthenticated()) return {};
  const auto names = auth->FindPropertyValues("x509_common_name");
  return names.empty() ? std::string() : std::string(names.front().data(), names.front().size());
}

using Reactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

class Hub;

// One connection. A frame waits in the queue before the next one is read, so that a flood stays in the network.
class Connection final : public Reactor {
 public:
  Connection(Hub& hub, std::uint64_t id) : hub_(hub), id_(id) {}
  void begin() { StartRead(&incoming_); }
  void read_on() {
    if (!finished_) StartRead(&incoming_);  // gRPC may have let go of a finished call
  }
  void send(std::span<const Frame> frames);
  void close();

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  void write_next();
  void finish();

  Hub& hub_;
  std::uint64_t id_;
  grpc::ByteBuffer incoming_, outgoing_;
  v1::Chunk chunk_;
  Assembler assembler_;
  std::deque<Frame> frames_;
  std::size_t at_ = 0;  // in the first of them
  bool writing_ = false, closing_ = false, finished_ = false;
};

class Hub final : public Links, public v1::Federation::WithRawCallbackMethod_Join<v1::Federation::Service> {
 public:
  Reactor* Join(grpc::CallbackServerContext* context) override {
    const std::lock_guard lock(mutex);
    const std::uint64_t id = ++last_;
    auto* connection = new Connection(*this, id);
    connections_[id] = connection;
    push({LinkEvent::What::opened, id, name_in_certificate(*context), {}});
    connection->begin();
    return connection;
  }

  std::optional<LinkEvent> next(Deadline until) override {
    std::unique_lock lock(mutex);
    changed_.wait_until(lock, until, [&] { return !events_.empty(); });
    if (events_.empty()) return std::nullopt;
    LinkEvent event = std::move(events_.front());
    events_.pop_front();
    if (event.what == LinkEvent::What::frame)
      if (const auto at = connections_.find(event.link); at != connections_.end()) at->second->read_on();
    return event;
  }
  void send(std::uint64_t link, Frame frame) override {
    const std::lock_guard lock(mutex);
    if (const auto at = connections_.find(link); at != connections_.end()) at->second->send({&frame, 1});
  }
  void send_all(std::uint64_t link, std::span<const Frame> frames) override {
    const std::lock_guard lock(mutex);
    if (const auto at = connections_.find(link); at != connections_.end()) at->second->send(frames);
  }
  void close(std::uint64_t link) override {
    const std::lock_guard lock(mutex);
    if (const auto at = connections_.find(link); at != connections_.end()) at->second->close();
  }
  void limit_frames(std::size_t bytes) override { limit = bytes; }

  // With the mutex held.
  void push(LinkEvent event) {
    events_.push_back(std::move(event));
    changed_.notify_one();
  }
  void gone(std::uint64_t id) {
    connections_.erase(id);
    push({LinkEvent::What::closed, id, {}, {}});
  }

  std::mutex mutex;
  std::atomic<std::size_t> limit{std::size_t{64} << 20};

 private:
  std::condition_variable changed_;
  std::deque<LinkEvent> events_;
  std::unordered_map<std::uint64_t, Connection*> connections_;
  std::uint64_t last_ = 0;
};

void Connection::OnReadDone(bool ok) {
  const std::lock_guard lock(hub_.mutex);
  if (!ok) return finish();
  if (!grpc::SerializationTraits<v1::Chunk>::Deserialize(&incoming_, &chunk_).ok()) return finish();
  try {
    if (!assembler_.add(chunk_, hub_.limit)) return StartRead(&incoming_);
    hub_.push({LinkEvent::What::frame, id_, {}, assembler_.take()});
  } catch (const WireError&) {
    finish();
  }
}

void Connection::send(std::span<const Frame> frames) {
  if (closing_ || finished_ || frames.empty()) return;
  frames_.insert(frames_.end(), frames.begin(), frames.end());
  if (!writing_) write_next();
}

void Connection::write_next() {
  at_ = cut(frames_.front(), at_, outgoing_);
  writing_ = true;
  if (at_ == frames_.front()->size()) {
    frames_.pop_front();
    at_ = 0;
  }
  grpc::WriteOptions options;
  if (!frames_.empty()) options.set_buffer_hint();  // short frames leave with what follows them
  StartWrite(&outgoing_, options);
}

void Connection::OnWriteDone(bool ok) {
  const std::lock_guard lock(hub_.mutex);
  writing_ = false;
  if (!ok) return finish();
  if (!frames_.empty()) return write_next();
  if (closing_) finish();
}

void Connection::close() {
  closing_ = true;
  if (!writing_) finish();
}

void Connection::finish() {
  if (finished_) return;
  finished_ = true;
  frames_.clear();
  Finish(grpc::Status::OK);
}

void Connection::OnCancel() {
  const std::lock_guard lock(hub_.mutex);
  finish();
}

void Connection::OnDone() {
  {
    const std::lock_guard lock(hub_.mutex);
    hub_.gone(id_);
  }
  delete this;
}

class GrpcServer final : public WireServer {
 public:
  GrpcServer(const std::string& address, const std::optional<TlsTexts>& tls) {
    silence_library();
    grpc::ServerBuilder builder;
    set_keepalive(builder);
    builder.AddListeningPort(address, server_credentials(tls), &port_);
    builder.RegisterService(&hub_);
    server_ = builder.BuildAndStart();
    if (!server_ || port_ == 0)
      throw IoError(fmt::format("cannot listen at {}: the address is taken or not this machine's", address));
  }
  ~GrpcServer() override { server_->Shutdown(std::chrono::system_clock::now()); }
  Links& links() override { return hub_; }
  int port() const override { return port_; }

 private:
  Hub hub_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

std::unique_ptr<WireServer> listen_at(const std::string& address, const std::optional<TlsTexts>& tls) {
  return std::make_unique<GrpcServer>(address, tls);
}

}  // namespace pollen
