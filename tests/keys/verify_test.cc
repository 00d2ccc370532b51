// Tests key files that belong together, and files that do not.
#include "folder.h"

namespace pollen {
namespace {

using std::chrono::hours;
using ::testing::AllOf, ::testing::HasSubstr;
using testing::refusal;

class Verify : public testing::FolderTest {
 protected:
  Verify() {
    make_keys(request("hub", {"a", "b"}));
    KeyRequest other = request("hub", {"a"});
    other.folder = path("other");
    make_keys(other);
  }
  std::string refused(const std::string& certificate, const std::string& authority, KeyRole role,
                      KeyClock::time_point now = KeyClock::now()) const {
    return refusal([&] { check_issued_by(path(certificate), path(authority), role, now); });
  }
};

TEST_F(Verify, AKeyFitsItsOwnCertificateOnly) {
  EXPECT_NO_THROW(check_pair(path("k/a.pem"), path("k/a.key")));
  EXPECT_THAT(refusal([&] { check_pair(path("k/a.pem"), path("k/b.key")); }),
              AllOf(HasSubstr("k/b.key"), HasSubstr("k/a.pem")));
}

TEST_F(Verify, AForeignAuthorityIsRefusedThoughItsNameIsTheSame) {
  EXPECT_EQ(refused("k/a.pem", "k/ca.pem", KeyRole::client), "");
  EXPECT_EQ(refused("k/hub.pem", "k/ca.pem", KeyRole::server), "");
  EXPECT_THAT(refused("k/a.pem", "other/ca.pem", KeyRole::client),
              AllOf(HasSubstr("k/a.pem"), HasSubstr("other/ca.pem has not signed")));
  EXPECT_THAT(refused("k/a.pem", "k/hub.pem", KeyRole::client), HasSubstr("has not signed"));
}

TEST_F(Verify, TwoAuthoritiesInOneFileAreBothGood) {
  put("both.pem", slurp("other/ca.pem") + slurp("k/ca.pem"));
  EXPECT_EQ(refused("k/a.pem", "both.pem", KeyRole::client), "");
  EXPECT_EQ(refused("other/a.pem", "both.pem", KeyRole::client), "");
}

TEST_F(Verify, AClientIsNoServer) {
  EXPECT_THAT(refused("k/a.pem", "k/ca.pem", KeyRole::server), HasSubstr("not for a server"));
  EXPECT_THAT(refused("k/hub.pem", "k/ca.pem", KeyRole::client), HasSubstr("not for a client"));
}

TEST_F(Verify, TimeMatters) {
  const CertificateFacts facts = read_certificate(path("k/a.pem"));
  EXPECT_THAT(refused("k/a.pem", "k/ca.pem", KeyRole::client, facts.expires + hours(1)),
              AllOf(HasSubstr("expired"), HasSubstr(utc_text(facts.expires))));
  EXPECT_THAT(refused("k/a.pem", "k/ca.pem", KeyRole::client, facts.starts - hours(1)),
              AllOf(HasSubstr("not valid yet"), HasSubstr("clock")));
}

}  // namespace
}  // namespace pollen
