#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <thread>

#include "federation.grpc.pb.h"
#include "grpc/chunks.h"
#include "grpc/settings.h"
#include "pollen/wires.h"

namespace pollen {

namespace {

using namespace std::chrono_literals;

bool set(const std::atomic<bool>* flag) { return flag != nullptr && flag->load(std::memory_order_relaxed); }

}  // namespace

struct WireClient::Parts {
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<v1::Federation::Stub> stub;
  const std::atomic<bool>* stop = nullptr;
  std::unique_ptr<grpc::ClientContext> context;
  std::unique_ptr<grpc::ClientReaderWriter<v1::Chunk, v1::Chunk>> stream;
  v1::Chunk incoming, outgoing;
  bool broken = false;  // a call has failed: the stream knows why
  std::jthread watch;   // cancels a call that blocks when the user wants to stop

  void end() {
    watch = {};
    stream.reset();
    context.reset();
  }
};

WireClient::WireClient(const std::string& address, const std::optional<TlsTexts>& tls, const std::atomic<bool>* stop)
    : parts_(std::make_unique<Parts>()) {
  parts_->channel = grpc::CreateCustomChannel(address, client_credentials(tls), client_arguments());
  parts_->stub = v1::Federation::NewStub(parts_->channel);
  parts_->stop = stop;
}

WireClient::~WireClient() {
  if (parts_->context) parts_->context->TryCancel();
  parts_->end();
}

bool WireClient::connect(double seconds) {
  Parts& p = *parts_;
  p.end();
  const auto until = std::chrono::system_clock::now() + std::chrono::duration_cast<std::chrono::system_clock::duration>(
                                                            std::chrono::duration<double>(seconds));
  while (!p.channel->WaitForConnected(std::min(until, std::chrono::system_clock::now() + 200ms)))
    if (set(p.stop) || std::chrono::system_clock::now() >= until) return false;
  p.context = std::make_unique<grpc::ClientContext>();
  p.stream = p.stub->Join(p.context.get());
  p.broken = false;
  p.watch = std::jthread([flag = p.stop, context = p.context.get()](const std::stop_token& token) {
    while (!token.stop_requested()) {
      if (set(flag)) return context->TryCancel();
      std::this_thread::sleep_for(50ms);
    }
  });
  return true;
}

bool WireClient::write(const Bytes& frame) {
  for (std::size_t at = 0; at < frame.size();) {
    at = cut(frame, at, parts_->outgoing);
    parts_->broken = !parts_->stream->Write(parts_->outgoing);
    if (parts_->broken) return false;
  }
  return true;
}

bool WireClient::read(Bytes& frame, std::size_t most) {
  Assembler assembler;
  while (parts_->stream->Read(&parts_->incoming))
    if (assembler.add(parts_->incoming, most)) {
      frame = assembler.take();
      return true;
    }
  parts_->broken = true;
  return false;
}

std::string WireClient::why() {
  Parts& p = *parts_;
  if (!p.stream) return "there is no server at that address";
  if (!p.broken) p.context->TryCancel();  // else it would be all that there is to say
  const grpc::Status status = p.stream->Finish();
  p.end();
  return status.error_message().empty() ? "the server hung up" : status.error_message();
}

}  // namespace pollen
