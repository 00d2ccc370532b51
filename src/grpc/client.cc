#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <thread>

#include "chunks.h"
#include "federation.grpc.pb.h"
#include "grpc/wires.h"
#include "settings.h"

namespace pollen {

namespace {

using namespace std::chrono_literals;

bool set(const std::atomic<bool>* flag) { return flag != nullptr && flag->load(std::memory_order_relaxed); }

// Rewords gRPC's message about a failed connection for users.
std::string explained(std::string error) {
  constexpr std::string_view kLast = "last error: ";
  if (const std::size_t at = error.find(kLast); at != std::string::npos) error.erase(0, at + kLast.size());
  const auto has = [&](const char* words) { return error.find(words) != std::string::npos; };
  if (error.empty() || has("Connection refused")) return "there is no server at that address";
  if (has("certificate verify failed") || has("CERTIFICATE_VERIFY_FAILED"))
    return "the server's certificate is not one the authority in --ca has signed for a server, or not valid now";
  if (has("is not in peer certificate") || has("Hostname Verification"))
    return "the server's certificate is not for the host name or address in --server";
  if (has("wrong version number") || has("WRONG_VERSION_NUMBER"))
    return "the server does not use TLS: it was started with --insecure, or it is another program; start it with --ca, "
           "--cert and --key";
  if (has("Socket closed") || has("Connection reset") || has("Broken pipe") || has("settings"))
    return "the server hung up at once: it accepts no such certificate, or only one side uses TLS";
  return error;
}

}  // namespace

struct WireClient::Parts {
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<v1::Federation::Stub> stub;
  const std::atomic<bool>* stop = nullptr;
  std::unique_ptr<grpc::ClientContext> context;
  std::unique_ptr<grpc::ClientReaderWriter<v1::Chunk, v1::Chunk>> stream;
  v1::Chunk incoming, outgoing;
  std::string unreachable;  // why there is no stream
  bool broken = false;      // true after a failed call; the stream knows why
  std::jthread watch;       // cancels a blocked call when the user wants to stop

  void end() {
    watch = {};
    stream.reset();
    context.reset();
  }

  // Finds out why a channel does not connect. The channel does not tell, but a call over it fails with the latest
  // reason.
  std::string reason() const {
    grpc::ClientContext call;
    call.set_deadline(std::chrono::system_clock::now() + 1s);
    const grpc::Status status = stub->Join(&call)->Finish();
    return status.error_code() == grpc::StatusCode::UNAVAILABLE ? explained(status.error_message())
                                                                : "the server does not answer";
  }
};

WireClient::WireClient(const std::string& address, const std::optional<TlsTexts>& tls, const std::atomic<bool>* stop)
    : parts_(std::make_unique<Parts>()) {
  silence_library();
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
  using Clock = std::chrono::steady_clock;  // gRPC's default is the system clock, which may jump
  const auto until = Clock::now() + std::chrono::duration<double>(seconds);
  while (!p.channel->WaitForConnected(std::chrono::system_clock::now() + 100ms)) {
    if (!set(p.stop) && Clock::now() < until) continue;
    p.unreachable = set(p.stop) ? "stopped" : p.reason();
    return false;
  }
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
  Assembler assembler(std::move(frame));
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
  if (!p.stream) return p.unreachable;
  // After a failed call the status holds its reason, which a cancellation would replace.
  if (!p.broken) p.context->TryCancel();
  const grpc::Status status = p.stream->Finish();
  p.end();
  if (status.ok() || status.error_message().empty()) return "the server hung up";
  if (status.error_code() == grpc::StatusCode::CANCELLED) return "the connection was lost";
  return fmt::format("the connection was lost ({})", status.error_message());
}

}  // namespace pollen
