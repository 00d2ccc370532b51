// Credentials and keep-alive settings of both ends.
#pragma once

#include <grpcpp/grpcpp.h>

#include <optional>

#include "grpc/wires.h"

namespace pollen {

// Streams that one connection may have: a client needs one, and another while the old one dies.
inline constexpr int kStreams = 4;

std::shared_ptr<grpc::ServerCredentials> server_credentials(const std::optional<TlsTexts>& tls);
std::shared_ptr<grpc::ChannelCredentials> client_credentials(const std::optional<TlsTexts>& tls);
// Silences gRPC's log, which writes a line to stderr for every failed handshake of a stranger and could fill a disk.
// Call it before the first use of gRPC. GRPC_VERBOSITY in the environment brings the lines back.
void silence_library();
void set_keepalive(grpc::ServerBuilder& builder);
void set_limits(grpc::ServerBuilder& builder,
                const WireLimits& limits);  // bounds what one connection can make the server hold
grpc::ChannelArguments client_arguments();

}  // namespace pollen
