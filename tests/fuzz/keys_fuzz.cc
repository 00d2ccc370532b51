// Fuzzes certificates, private keys and revocation lists in PEM. If the first byte is odd, the input's bytes are put
// into base64 lines, so that the fuzzer changes the certificate and not its encoding.
#include "fuzz.h"
#include "keys/openssl.h"
#include "pollen/errors.h"

namespace pollen::fuzz {
namespace {

std::string wrapped(const Bytes& bytes, const char* kind) {
  std::string text(4 * (bytes.size() / 3 + 1) + 1, '\0');
  const int used =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes.data(), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(used));
  for (std::size_t at = 64; at < text.size(); at += 65) text.insert(at, 1, '\n');
  return std::string("-----BEGIN ") + kind + "-----\n" + text + "\n-----END " + kind + "-----\n";
}

void look_at_certificate(const std::string& pem) {
  const CertificateFacts facts = keys::facts_of(pem, "fuzz", KeyClock::from_time_t(1'700'000'000));
  HOLDS(!facts.name.empty() && facts.name.find('\n') == std::string::npos);
  HOLDS(facts.fingerprint.size() == 95);
  HOLDS(facts.pem == pem);
}

}  // namespace
}  // namespace pollen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollen;
  fuzz::Input input(data, size);
  const unsigned how = input.byte();
  const bool key = (how & 2U) != 0, list = (how & 4U) != 0;
  const std::string pem = (how & 1U) != 0 ? fuzz::wrapped(input.bytes(), list  ? "X509 CRL"
                                                                         : key ? "PRIVATE KEY"
                                                                               : "CERTIFICATE")
                                          : input.text();
  try {
    if (list)
      keys::revoked_in(pem, "fuzz", {});
    else if (key)
      HOLDS(keys::parse_key(pem, "fuzz") != nullptr);
    else
      fuzz::look_at_certificate(pem);
  } catch (const ConfigError&) {
  }
  return 0;
}
