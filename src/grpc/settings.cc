#include "settings.h"

#include <absl/synchronization/mutex.h>
#include <grpc/support/log.h>

#include <cstdlib>

#include "accept.h"
#include "chunks.h"

namespace pollen {

namespace {

// Keep-alive at both ends: a silent peer is pinged after ten seconds and given up ten seconds later.
constexpr std::pair<const char*, int> kAlive[] = {{GRPC_ARG_KEEPALIVE_TIME_MS, 10'000},
                                                  {GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000},
                                                  {GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1},
                                                  {GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0}};
constexpr int kLeastBetweenPings = 1'000;

}  // namespace

std::shared_ptr<grpc::ServerCredentials> server_credentials(const std::optional<TlsTexts>& tls) {
  if (!tls) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = tls->ca;
  options.pem_key_cert_pairs.push_back({tls->key, tls->certificate});
  return grpc::SslServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> client_credentials(const std::optional<TlsTexts>& tls) {
  if (!tls) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({tls->ca, tls->key, tls->certificate});
}

void silence_library() {
  static const bool once = [] {
    if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function([](gpr_log_func_args*) {});
    // Debian's build leaves this check switched on.
    absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
    return true;
  }();
  static_cast<void>(once);
}

void set_keepalive(grpc::ServerBuilder& builder) {
  for (const auto& [name, value] : kAlive) builder.AddChannelArgument(name, value);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kLeastBetweenPings);
}

void set_limits(grpc::ServerBuilder& builder, const WireLimits& limits) {
  constexpr int kAround = 64;  // bytes around a piece's data
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kStreams);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                             static_cast<int>(std::chrono::milliseconds(kHandshakeWithin).count()));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, static_cast<int>(limits.idle.count()));
  builder.SetMaxReceiveMessageSize(static_cast<int>(kChunk) + kAround);
}

grpc::ChannelArguments client_arguments() {
  grpc::ChannelArguments arguments;
  for (const auto& [name, value] : kAlive) arguments.SetInt(name, value);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // Pollen's own back-off decides when to try again, so gRPC's is kept short.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1'000);
  return arguments;
}

}  // namespace pollen
