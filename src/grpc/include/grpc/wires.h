// The wires of a federation over gRPC with mutual TLS (an optional part of the build; see docs/federation.md).
//
// One bidirectional stream per client carries frames in both directions, cut into pieces of at most 1 MiB. Each side
// holds a frame once. Keep-alive detects a lost peer within half a minute. A WireClient belongs to one thread.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "federation/federation.h"

namespace pollen {

// PEM texts. A peer must present a certificate that `ca` has signed.
struct TlsTexts {
  std::string ca, certificate, key;
};

// What a server lets one connection do.
struct WireLimits {
  std::chrono::milliseconds idle = std::chrono::minutes(1);  // the longest time without a stream
};

struct WireServer {
  virtual ~WireServer() = default;
  virtual Links& links() = 0;
  virtual int port() const = 0;
};
// Listens at "host:port"; port 0 means any free port. Without TLS anybody may connect under any name. Throws IoError if
// it cannot listen.
std::unique_ptr<WireServer> listen_at(const std::string& address, const std::optional<TlsTexts>& tls,
                                      const WireLimits& limits = {});

// A client's stream. Calls block until they are done; `stop` ends them within a fraction of a second.
class WireClient {
 public:
  WireClient(const std::string& address, const std::optional<TlsTexts>& tls, const std::atomic<bool>* stop);
  ~WireClient();

  bool connect(double seconds);    // opens a new stream; false if the server cannot be reached in that time
  bool write(const Bytes& frame);  // false if the stream is gone
  // False if the stream is gone; throws WireError for a frame of more than `most` bytes.
  bool read(Bytes& frame, std::size_t most);
  std::string why();  // ends the stream and returns why it is gone

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pollen
