// The server's end of the wires. Each connection has its own reactor, and all of them report through one queue to the
// server's thread.
#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "accept.h"
#include "base/sha256.h"
#include "chunks.h"
#include "federation.grpc.pb.h"
#include "grpc/wires.h"
#include "keys/keys.h"
#include "settings.h"

namespace pollen {

namespace {

// Describes a new connection by the certificate that it has shown, if any.
LinkEvent opening(const grpc::CallbackServerContext& context, std::uint64_t link) {
  LinkEvent event{LinkEvent::What::opened, link, {}, {}};
  const auto auth = context.auth_context();
  if (!auth || !auth->IsPeerAuthenticated()) return event;
  try {
    const auto certificates = auth->FindPropertyValues("x509_pem_cert");
    if (certificates.empty()) throw ConfigError("certificate", "found none, accepted: one with the client's name");
    const CertificateFacts facts = shown_certificate({certificates.front().data(), certificates.front().size()});
    event.peer = facts.name;
    event.serial = facts.serial;
    event.fingerprint = hex_as_written(facts.fingerprint).value();
  } catch (const std::exception& error) {
    event.unfit = error.what();
  }
  return event;
}

using Reactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

// Ends a stream that is one too many for its connection.
class Crowded final : public Reactor {
 public:
  Crowded() { Finish(grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "this connection has too many streams")); }
  void OnDone() override { delete this; }
};

class Hub;

// One connection. It reads one short frame ahead of what the server's thread has taken and nothing more, so that a
// flood of frames stays in the network.
class Connection final : public Reactor {
 public:
  // gRPC calls from its own threads. Whoever takes the mutex there sees what is written here, also by the rules of the
  // thread sanitizer, which does not look into gRPC.
  Connection(Hub& hub, std::uint64_t id, std::string peer) : hub_(hub), id_(id), peer_(std::move(peer)) {
    const std::lock_guard lock(mutex_);
  }
  const std::string& peer() const { return peer_; }
  void read_on();
  void send(std::span<const Frame> frames);
  void close();

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  // These need the mutex held.
  void read();
  void write_next();
  void finish();

  Hub& hub_;
  std::uint64_t id_;
  std::string peer_;  // address and port of the other side, which all streams of a TCP connection share

  // Guards everything below. gRPC orders its calls by itself, but every one of them takes the mutex first, so that the
  // order can be seen from here, and by the thread sanitizer.
  std::mutex mutex_;
  grpc::ByteBuffer incoming_, outgoing_;
  v1::Chunk chunk_;
  Assembler assembler_;
  std::deque<Frame> frames_;
  std::size_t at_ = 0;  // position in the first of these frames
  bool greeted_ = false, reading_ = false, writing_ = false, closing_ = false, finished_ = false;
};

// Whether a frame is one for which the server's thread may wait until there are others.
bool is_answer(ByteView frame) {
  try {
    const wire::Type type = wire::type_of(frame);
    return type == wire::Type::reply || type == wire::Type::answer;
  } catch (const WireError&) {
    return false;
  }
}

class Hub final : public Links, public v1::Federation::WithRawCallbackMethod_Join<v1::Federation::Service> {
 public:
  ~Hub() override { const std::lock_guard lock(mutex_); }  // the last connection has told of its end
  Reactor* Join(grpc::CallbackServerContext* context) override {
    const std::uint64_t id = ++last_;
    LinkEvent event = opening(*context, id);
    const auto connection = std::make_shared<Connection>(*this, id, context->peer());
    const std::lock_guard lock(mutex_);
    int& streams = streams_[connection->peer()];
    if (streams >= kStreams) return new Crowded;
    ++streams;
    connections_[id] = connection;
    push(std::move(event));
    return connection.get();
  }

  std::optional<LinkEvent> next(Deadline until) override {
    read_on(std::exchange(opened_, 0));
    if (taken_.empty()) {
      for (const std::uint64_t link : std::exchange(answered_, {})) read_on(link);
      std::unique_lock lock(mutex_);
      waiting_ = true;
      changed_.wait_until(lock, until, [&] { return enough(); });
      waiting_ = urgent_ = false;
      taken_.swap(events_);
    }
    if (taken_.empty()) return std::nullopt;
    LinkEvent event = std::move(taken_.front());
    taken_.pop_front();
    if (event.what == LinkEvent::What::opened) opened_ = event.link;
    if (event.what != LinkEvent::What::frame) return event;
    if (is_answer(event.frame))
      answered_.push_back(event.link);
    else
      read_on(event.link);
    return event;
  }
  void expect(std::size_t answers) override {
    const std::lock_guard lock(mutex_);
    expected_ = answers;
  }
  void send(std::uint64_t link, Frame frame) override { send_all(link, {&frame, 1}); }
  void send_all(std::uint64_t link, std::span<const Frame> frames) override {
    if (const auto connection = at(link)) connection->send(frames);
  }
  void close(std::uint64_t link) override {
    if (const auto connection = at(link)) connection->close();
  }
  void limit_frames(std::size_t bytes) override { limit = bytes; }

  void frame(std::uint64_t id, Bytes bytes) {
    const bool answer = is_answer(bytes);
    const Deadline at = now();
    const std::lock_guard lock(mutex_);
    push({.what = LinkEvent::What::frame, .link = id, .peer = {}, .frame = std::move(bytes), .at = at}, answer);
  }
  void gone(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    const auto connection = connections_.find(id);
    const auto streams = streams_.find(connection->second->peer());
    if (--streams->second == 0) streams_.erase(streams);
    connections_.erase(connection);
    push({LinkEvent::What::closed, id, {}, {}});
  }

  std::atomic<std::size_t> limit{std::size_t{64} << 20};

 private:
  std::shared_ptr<Connection> at(std::uint64_t link) {
    const std::lock_guard lock(mutex_);
    const auto found = connections_.find(link);
    return found == connections_.end() ? nullptr : found->second;
  }
  void read_on(std::uint64_t link) {
    if (const auto connection = at(link)) connection->read_on();
  }
  // These two need the mutex held.
  void push(LinkEvent event, bool answer = false) {
    events_.push_back(std::move(event));
    urgent_ = urgent_ || !answer;
    if (waiting_ && enough()) changed_.notify_one();
  }
  bool enough() const { return urgent_ || events_.size() >= expected_; }

  // Used by the server's thread only: what it has taken from the queue, the connection that it may close before
  // anything is read from it, and those whose answers it has taken. They are read again when it sends them something,
  // or else when it waits for more.
  std::deque<LinkEvent> taken_;
  std::uint64_t opened_ = 0;
  std::vector<std::uint64_t> answered_;

  std::mutex mutex_;  // guards everything below; never held together with a connection's mutex
  std::condition_variable changed_;
  bool waiting_ = false, urgent_ = false;  // whether next() waits; whether an event is there that is not an answer
  std::size_t expected_ = 1;               // so many events are enough
  std::deque<LinkEvent> events_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Connection>> connections_;
  std::unordered_map<std::string, int> streams_;  // by the other side's address: how many it has
  std::atomic<std::uint64_t> last_ = 0;
};

void Connection::read_on() {
  const std::lock_guard lock(mutex_);
  read();
}

void Connection::read() {
  if (reading_ || finished_ || closing_) return;  // gRPC may have released a finished call
  reading_ = true;
  StartRead(&incoming_);
}

void Connection::OnReadDone(bool ok) {
  std::unique_lock lock(mutex_);
  try {
    if (!ok || !grpc::SerializationTraits<v1::Chunk>::Deserialize(&incoming_, &chunk_).ok()) return finish();
    const std::size_t limit = hub_.limit;
    if (!assembler_.add(chunk_, greeted_ ? limit : std::min(limit, kHello)))
      return finished_ ? void() : StartRead(&incoming_);
    Bytes frame = assembler_.take();
    greeted_ = true;
    reading_ = false;
    lock.unlock();
    hub_.frame(id_, std::move(frame));
  } catch (const WireError&) {
    finish();
  }
}

void Connection::send(std::span<const Frame> frames) {
  const std::lock_guard lock(mutex_);
  if (closing_ || finished_ || frames.empty()) return;
  frames_.insert(frames_.end(), frames.begin(), frames.end());
  if (!writing_) write_next();
  if (greeted_) read();
}

void Connection::write_next() {
  at_ = cut(frames_.front(), at_, outgoing_);
  writing_ = true;
  if (at_ == frames_.front()->size()) {
    frames_.pop_front();
    at_ = 0;
  }
  grpc::WriteOptions options;
  if (!frames_.empty()) options.set_buffer_hint();  // short frames are sent together with the ones that follow
  StartWrite(&outgoing_, options);
}

void Connection::OnWriteDone(bool ok) {
  const std::lock_guard lock(mutex_);
  writing_ = false;
  if (!ok) return finish();
  if (!frames_.empty()) return write_next();
  if (closing_) finish();
}

void Connection::close() {
  const std::lock_guard lock(mutex_);
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
  const std::lock_guard lock(mutex_);
  finish();
}

// Tells the hub, whose thread may still hold this connection for a moment.
void Connection::OnDone() {
  { const std::lock_guard lock(mutex_); }  // whoever used the connection last has let it go
  hub_.gone(id_);
}

class GrpcServer final : public WireServer {
 public:
  GrpcServer(const std::string& address, const std::optional<TlsTexts>& tls, const WireLimits& limits)
      : door_(std::in_place, address) {
    silence_library();
    grpc::ServerBuilder builder;
    set_keepalive(builder);
    set_limits(builder, limits);
    using From = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
    auto inside = builder.experimental().AddExternalConnectionAcceptor(From::FROM_FD, server_credentials(tls));
    builder.RegisterService(&hub_);
    server_ = builder.BuildAndStart();
    if (!server_) throw IoError(fmt::format("cannot start a gRPC server at {}", address));
    door_->open(std::move(inside));
  }
  ~GrpcServer() override {
    door_.reset();  // nobody comes in while the server ends
    server_->Shutdown(std::chrono::system_clock::now());
  }
  Links& links() override { return hub_; }
  int port() const override { return door_->port(); }

 private:
  Hub hub_;
  std::optional<Door> door_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

std::unique_ptr<WireServer> listen_at(const std::string& address, const std::optional<TlsTexts>& tls,
                                      const WireLimits& limits) {
  return std::make_unique<GrpcServer>(address, tls, limits);
}

}  // namespace pollen
