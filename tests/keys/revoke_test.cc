// Tests revocation lists: what they hold, who may sign them, and what is refused.
#include "folder.h"

namespace pollen {
namespace {

using ::testing::HasSubstr;
using testing::refusal;

class Revoke : public testing::FolderTest {
 protected:
  Revoke() { make_keys(request("hub", {"a", "b", "c"})); }
  std::string serial(const std::string& name) const { return read_certificate(path("k/" + name + ".pem")).serial; }
  std::set<std::string> revoked() const { return read_revocations(path("k/crl.pem"), path("k/ca.pem")); }
};

TEST_F(Revoke, AListGrowsAndNamesEachCertificateOnce) {
  EXPECT_EQ(revoke_keys(path("k"), {"a"}), path("k/crl.pem"));
  EXPECT_EQ(revoked(), std::set<std::string>{serial("a")});
  revoke_keys(path("k"), {"b", "a"});
  EXPECT_EQ(revoked(), (std::set<std::string>{serial("a"), serial("b")}));
  EXPECT_NE(serial("a"), serial("c"));
}

TEST_F(Revoke, ARenewedCertificateIsGood) {
  revoke_keys(path("k"), {"a"});
  std::filesystem::remove(path("k/a.pem"));
  std::filesystem::remove(path("k/a.key"));
  make_keys(request("", {"a"}));
  EXPECT_FALSE(revoked().contains(serial("a")));
}

TEST_F(Revoke, WhatCannotBeUsedIsToldAndChangesNothing) {
  revoke_keys(path("k"), {"a"});
  const std::string list = slurp("k/crl.pem");
  EXPECT_THAT(refusal([&] { revoke_keys(path("k"), {"b", "nobody"}); }), HasSubstr("nobody.pem: found no such file"));
  EXPECT_EQ(slurp("k/crl.pem"), list);
  make_keys({.folder = path("other"), .server = "hub", .clients = {"x"}});
  EXPECT_THAT(refusal([&] { read_revocations(path("k/crl.pem"), path("other/ca.pem")); }),
              HasSubstr("another authority"));
  EXPECT_THAT(refusal([&] { revoke_keys(folder_, {"a"}); }), HasSubstr("found no authority"));
  put("k/crl.pem", list.substr(0, list.size() / 2));
  EXPECT_THAT(refusal([&] { revoked(); }), HasSubstr("damaged revocation list"));
  put("k/crl.pem", "words\n");
  EXPECT_THAT(refusal([&] { revoked(); }), HasSubstr("found no revocation list"));
  put("k/crl.pem", list);
  EXPECT_EQ(revoked().size(), 1U);
}

}  // namespace
}  // namespace pollen
