#include "fakes.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>

#include "federation.grpc.pb.h"
#include "grpc/chunks.h"
#include "grpc/settings.h"

namespace pollen::bench {

namespace {

struct Count {
  std::mutex mutex;
  std::condition_variable changed;
  int left = 0;
};

class Fake final : public grpc::ClientBidiReactor<v1::Chunk, v1::Chunk> {
 public:
  Fake(const FakeOptions& options, int number, Count& count) : options_(options), count_(count), reply_(options.reply) {
    grpc::ChannelArguments arguments = client_arguments();
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    const auto& tls = options.tls[options.tls.size() == 1 ? 0 : static_cast<std::size_t>(number)];
    channel_ = grpc::CreateCustomChannel(options.address, client_credentials(tls), arguments);
    stub_ = v1::Federation::NewStub(channel_);
    wire::Hello hello;
    hello.name = fmt::format("c{}", number);
    hello.instance = static_cast<std::uint64_t>(number) + 1;
    context_.set_wait_for_ready(true);
    stub_->async()->Join(&context_, this);
    say(wire::encode(hello));
    StartRead(&incoming_);
    StartCall();
  }

  void OnReadDone(bool ok) override {
    if (!ok) return;
    const std::lock_guard lock(mutex_);
    if (assembler_.add(incoming_, std::size_t{1} << 30)) hear(assembler_.take());
    StartRead(&incoming_);
  }
  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    if (ok && !frames_.empty()) write();
  }
  void OnDone(const grpc::Status& status) override {
    const std::lock_guard lock(count_.mutex);
    if (!status.ok()) fmt::print(stderr, "a client ended: {}\n", status.error_message());
    --count_.left;
    count_.changed.notify_one();
  }

 private:
  void hear(const Bytes& frame) {
    switch (wire::type_of(frame)) {
      case wire::Type::welcome: {
        const std::uint32_t index = wire::decode<wire::Welcome>(frame).index;
        std::memcpy(reply_.data() + wire::kFrameHeader + 8, &index, sizeof index);
        wire::Site site;
        site.facts.features = options_.dimension;
        site.facts.rows = 100;
        return say(wire::encode(site));
      }
      case wire::Type::broadcast:
        std::memcpy(reply_.data() + wire::kFrameHeader, frame.data() + wire::kFrameHeader, 8);  // the round
        return say(reply_);
      case wire::Type::ask: {  // answers as a flat potential of curvature 1
        const auto ask = wire::decode<wire::Ask>(frame);
        wire::Answer answer{ask.number, Panel(ask.rows, ask.columns)};
        if (!ask.direction.empty()) answer.values = ask.direction;
        return say(wire::encode(answer));
      }
      default:
        return;
    }
  }
  void say(const Bytes& frame) {
    frames_.push_back(frame);
    if (!writing_) write();
  }
  void write() {
    cut(frames_.front(), 0, outgoing_);  // sent in one piece, because replies are short here
    frames_.pop_front();
    writing_ = true;
    StartWrite(&outgoing_);
  }

  const FakeOptions& options_;
  Count& count_;
  Bytes reply_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::Federation::Stub> stub_;
  grpc::ClientContext context_;
  std::mutex mutex_;
  v1::Chunk incoming_, outgoing_;
  Assembler assembler_;
  std::deque<Bytes> frames_;
  bool writing_ = false;
};

}  // namespace

void run_fakes(const FakeOptions& options) {
  silence_library();
  Count count;
  count.left = options.clients;
  std::vector<std::unique_ptr<Fake>> fakes;
  for (int i = 0; i < options.clients; ++i) fakes.push_back(std::make_unique<Fake>(options, i, count));
  std::unique_lock lock(count.mutex);
  count.changed.wait(lock, [&] { return count.left == 0; });
}

}  // namespace pollen::bench
