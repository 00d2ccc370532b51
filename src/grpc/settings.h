// Credentials and keep-alive of both ends.
#pragma once

#include <grpcpp/grpcpp.h>

#include <optional>

#include "pollen/wires.h"

namespace pollen {

std::shared_ptr<grpc::ServerCredentials> server_credentials(const std::optional<TlsTexts>& tls);
std::shared_ptr<grpc::ChannelCredentials> client_credentials(const std::optional<TlsTexts>& tls);
void set_keepalive(grpc::ServerBuilder& builder);
grpc::ChannelArguments client_arguments();

}  // namespace pollen
