// Credentials and keep-alive of both ends.
#pragma once

#include <grpcpp/grpcpp.h>

#include <optional>

#include "grpc/wires.h"

namespace pollen {

std::shared_ptr<grpc::ServerCredentials> server_credentials(const std::optional<TlsTexts>& tls);
std::shared_ptr<grpc::ChannelCredentials> client_credentials(const std::optional<TlsTexts>& tls);
// The library writes a line to stderr for every stranger's handshake: not for people, and a way to fill a disk.
// Before its first use; GRPC_VERBOSITY in the environment brings the lines back.
void silence_library();
void set_keepalive(grpc::ServerBuilder& builder);
grpc::ChannelArguments client_arguments();

}  // namespace pollen
