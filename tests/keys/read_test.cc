// Tests reading certificates and keys from files that may hold anything.
#include "folder.h"
#include "keys/openssl.h"

namespace pollen {
namespace {

using ::testing::AllOf, ::testing::HasSubstr;
using testing::refusal;

class ReadKeys : public testing::FolderTest {
 protected:
  ReadKeys() { make_keys(request("hub", {"a"})); }
  std::string refused_certificate(const std::string& name) const {
    return refusal([&] { read_certificate(path(name)); });
  }
  std::string refused_key(const std::string& name) const {
    ::chmod(path(name).c_str(), 0600);
    return refusal([&] { read_key_file(path(name)); });
  }
};

TEST_F(ReadKeys, FactsOfACertificate) {
  const auto now = KeyClock::now();
  const CertificateFacts facts = read_certificate(path("k/a.pem"), now);
  EXPECT_EQ(facts.name, "a");
  EXPECT_EQ(facts.pem, slurp("k/a.pem"));
  EXPECT_FALSE(facts.expired);
  EXPECT_LT(facts.starts, now);
  EXPECT_TRUE(read_certificate(path("k/a.pem"), facts.expires + std::chrono::seconds(1)).expired);
}

TEST_F(ReadKeys, TheFirstOfSeveralIsTheHolder) {
  put("chain.pem", slurp("k/a.pem") + slurp("k/ca.pem"));
  EXPECT_EQ(read_certificate(path("chain.pem")).name, "a");
}

TEST_F(ReadKeys, WhatIsNoCertificateIsTold) {
  put("empty", "");
  put("words", "hello\n");
  const std::string pem = slurp("k/a.pem");
  put("cut", pem.substr(0, pem.size() / 2));
  put("odd", "-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----\n");
  put("long", std::string((1U << 20) + 1, '\n'));
  EXPECT_THAT(refused_certificate("missing"), AllOf(HasSubstr("missing"), HasSubstr("no such file")));
  EXPECT_THAT(refused_certificate("empty"), HasSubstr("no certificate"));
  EXPECT_THAT(refused_certificate("words"), HasSubstr("no certificate"));
  EXPECT_THAT(refused_certificate("k/a.key"), HasSubstr("no certificate"));
  EXPECT_THAT(refused_certificate("cut"), HasSubstr("damaged"));
  EXPECT_THAT(refused_certificate("odd"), HasSubstr("damaged"));
  EXPECT_THAT(refused_certificate("long"), HasSubstr("1 MiB"));
  EXPECT_THAT(refused_certificate("k"), HasSubstr("no plain file"));
}

TEST_F(ReadKeys, AKeyThatOthersMayReadIsRefused) {
  EXPECT_EQ(read_key_file(path("k/a.key")), slurp("k/a.key"));
  ::chmod(path("k/a.key").c_str(), 0400);
  EXPECT_NO_THROW(read_key_file(path("k/a.key")));
  for (const mode_t mode : {0640U, 0604U, 0620U, 0666U}) {
    ::chmod(path("k/a.key").c_str(), mode);
    EXPECT_THAT(refusal([&] { read_key_file(path("k/a.key")); }),
                AllOf(HasSubstr("chmod 600 " + path("k/a.key")), HasSubstr("mode 06")));
  }
}

TEST_F(ReadKeys, WhatIsNoKeyIsTold) {
  put("empty", "");
  put("secret", "-----BEGIN ENCRYPTED PRIVATE KEY-----\naGVsbG8=\n-----END ENCRYPTED PRIVATE KEY-----\n");
  EXPECT_THAT(refused_key("missing"), HasSubstr("no such file"));
  EXPECT_THAT(refused_key("empty"), HasSubstr("no private key"));
  EXPECT_THAT(refused_key("k/a.pem"), HasSubstr("no private key"));
  EXPECT_THAT(refused_key("secret"), HasSubstr("private key"));
}

std::string encrypted(const std::string& pem) {
  const keys::Key key = keys::parse_key(pem, "test");
  const keys::Bio bio(BIO_new(BIO_s_mem()));
  char passphrase[] = "x";
  PEM_write_bio_PKCS8PrivateKey(bio.get(), key.get(), EVP_aes_256_cbc(), passphrase, 1, nullptr, nullptr);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

TEST_F(ReadKeys, AKeyWithAPassphraseIsRefusedWithoutAskingForIt) {
  put("secret", encrypted(slurp("k/a.key")));
  EXPECT_THAT(refused_key("secret"), HasSubstr("with a passphrase"));
}

TEST(UtcText, IsADateAndATime) { EXPECT_EQ(utc_text(KeyClock::from_time_t(1709251199)), "2024-02-29 23:59 UTC"); }

}  // namespace
}  // namespace pollen
