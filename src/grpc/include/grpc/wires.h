// gRPC with mutual TLS as the wires of a federation (an optional part of the build).
//
// One bidirectional stream a client carries frames in both directions, cut into pieces of at most 1 MiB; a frame is
// held once on either side. Keep-alive finds a peer that is gone within half a minute.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "federation/federation.h"

namespace pollen {

// PEM texts. A peer must show a certificate that `ca` has signed.
struct TlsTexts {
  std::string ca, certificate, key;
};

struct WireServer {
  virtual ~WireServer() = default;
  virtual Links& links() = 0;
  virtual int port() const = 0;
};
// "host:port"; port 0 is any free one. Without TLS anybody may connect under any name. IoError where it cannot listen.
std::unique_ptr<WireServer> listen_at(const std::string& address, const std::optional<TlsTexts>& tls);

// A client's stream. Calls block; `stop` ends them within a fraction of a second.
class WireClient {
 public:
  WireClient(const std::string& address, const std::optional<TlsTexts>& tls, const std::atomic<bool>* stop);
  ~WireClient();

  bool connect(double seconds);               // a new stream; false where the server cannot be reached in that time
  bool write(const Bytes& frame);             // false where the stream is gone
  bool read(Bytes& frame, std::size_t most);  // likewise; WireError for a frame of more than `most` bytes
  std::string why();                          // ends the stream and says why it is gone

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pollen
