// Tests pollen keys on the command line, and its files with the openssl program.
#include "program.h"

namespace pollen {
namespace {

class Keys : public ProgramTest {
 protected:
  Outcome openssl(const Words& words) const {
    ProgramOptions options;
    options.folder = folder_;
    return run_program("openssl", words, options);
  }
  bool has_openssl() const { return openssl({"version"}).code == 0; }
  Outcome verify(const std::string& purpose, const std::string& name, const std::string& authority = "k/ca.pem") const {
    return openssl({"verify", "-x509_strict", "-CAfile", authority, "-purpose", purpose, "k/" + name + ".pem"});
  }
  void make() const {
    const Outcome made = run({"keys", "k", "--server", "hub.example.org", "--clients", "hospital-a,hospital-b",
                              "--address", "10.0.0.7", "--address", "fd00::7"});
    ASSERT_EQ(made.code, 0) << made.err;
  }
};

TEST_F(Keys, SaysWhatWasMadeAndWhoGetsIt) {
  const Outcome made = run({"keys", "k/", "--server", "hub", "--clients", "a,b", "--clients", "c"});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.err, "");
  for (const char* piece :
       {"authority", "fingerprint", "UTC", "to client b only: k/ca.pem k/b.pem k/b.key", "k/ca.key", "offline",
        "pollen serve CONFIG.toml --listen 0.0.0.0:50051 --out DIR --ca ca.pem --cert hub.pem --key hub.key",
        "pollen join --server hub:50051 --data FILE --dry-run --ca ca.pem --cert a.pem --key a.key"})
    EXPECT_NE(made.out.find(piece), std::string::npos) << "no \"" << piece << "\" in\n" << made.out;
  EXPECT_EQ(listing("k"),
            (Words{"a.key", "a.pem", "b.key", "b.pem", "c.key", "c.pem", "ca.key", "ca.pem", "hub.key", "hub.pem"}));
}

// The limit admits keys but not certificates, so that some files are complete when the disk is full.
TEST_F(Keys, AFullDiskLeavesNothing) {
  ProgramOptions full;
  full.file_limit = 400;
  const Outcome failed = run({"keys", "k", "--server", "hub", "--clients", "a"}, full);
  EXPECT_EQ(failed.code, 1) << failed.out;
  EXPECT_NE(failed.err.find("cannot write"), std::string::npos) << failed.err;
  EXPECT_TRUE(listing().empty());
  make();
  const auto before = listing("k");
  EXPECT_EQ(run({"keys", "k", "--clients", "c"}, full).code, 1);
  EXPECT_EQ(listing("k"), before);
}

TEST_F(Keys, OpensslAcceptsThemForTheirUseOnly) {
  if (!has_openssl()) GTEST_SKIP() << "no openssl program";
  make();
  ASSERT_EQ(run({"keys", "k", "--clients", "hospital-c"}).code, 0);
  EXPECT_EQ(verify("sslserver", "hub.example.org").code, 0) << verify("sslserver", "hub.example.org").err;
  for (const char* client : {"hospital-a", "hospital-b", "hospital-c"}) {
    EXPECT_EQ(verify("sslclient", client).code, 0) << verify("sslclient", client).err;
    EXPECT_NE(verify("sslserver", client).code, 0);
  }
  EXPECT_NE(verify("sslclient", "hub.example.org").code, 0);
}

TEST_F(Keys, OpensslRefusesAForeignAuthority) {
  if (!has_openssl()) GTEST_SKIP() << "no openssl program";
  make();
  ASSERT_EQ(run({"keys", "other", "--server", "hub.example.org"}).code, 0);
  EXPECT_NE(verify("sslclient", "hospital-a", "other/ca.pem").code, 0);
}

TEST_F(Keys, OpensslFindsTheNames) {
  if (!has_openssl()) GTEST_SKIP() << "no openssl program";
  make();
  const auto matches = [&](const char* option, const char* name) {
    const Outcome said = openssl({"x509", "-in", "k/hub.example.org.pem", "-noout", option, name});
    return said.out.find("does match") != std::string::npos;
  };
  for (const char* host : {"hub.example.org", "localhost"}) EXPECT_TRUE(matches("-checkhost", host)) << host;
  for (const char* ip : {"127.0.0.1", "10.0.0.7", "fd00::7"}) EXPECT_TRUE(matches("-checkip", ip)) << ip;
  EXPECT_FALSE(matches("-checkhost", "hub.example.com"));
  EXPECT_FALSE(matches("-checkip", "10.0.0.8"));
}

TEST_F(Keys, TheFingerprintShownIsOpenssls) {
  if (!has_openssl()) GTEST_SKIP() << "no openssl program";
  const Outcome made = run({"keys", "k", "--server", "hub"});
  const Outcome print = openssl({"x509", "-in", "k/hub.pem", "-noout", "-fingerprint", "-sha256"});
  ASSERT_GT(print.out.size(), 95U);
  EXPECT_NE(made.out.find(print.out.substr(print.out.find('=') + 1, 95)), std::string::npos) << print.out;
}

TEST_F(Keys, OpensslReadsTheAuthorityAsOneThatSignsHoldersOnly) {
  if (!has_openssl()) GTEST_SKIP() << "no openssl program";
  make();
  const std::string text = openssl({"x509", "-in", "k/ca.pem", "-noout", "-text"}).out;
  for (const char* piece : {"CA:TRUE, pathlen:0", "Certificate Sign", "prime256v1", "ecdsa-with-SHA256", "Version: 3"})
    EXPECT_NE(text.find(piece), std::string::npos) << text;
}

}  // namespace
}  // namespace pollen
