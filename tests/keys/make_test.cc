// Tests what pollen keys leaves in a folder, and what it never touches.
#include <unistd.h>

#include <chrono>

#include "folder.h"

namespace pollen {
namespace {

using std::chrono::hours, std::chrono::minutes;
using ::testing::AllOf, ::testing::HasSubstr, ::testing::ElementsAre;
using testing::refusal;

class MakeKeys : public testing::FolderTest {};

TEST_F(MakeKeys, FilesAndModes) {
  const mode_t before = ::umask(0027);  // an umask must not make certificates unreadable
  const auto issued = make_keys(request("hub", {"a", "b"}));
  ::umask(before);
  EXPECT_THAT(listing("k"), ElementsAre("a.key", "a.pem", "b.key", "b.pem", "ca.key", "ca.pem", "hub.key", "hub.pem"));
  EXPECT_EQ(mode("k"), 0700U);
  for (const char* name : {"k/a.key", "k/b.key", "k/ca.key", "k/hub.key"}) EXPECT_EQ(mode(name), 0600U) << name;
  for (const char* name : {"k/a.pem", "k/b.pem", "k/ca.pem", "k/hub.pem"}) EXPECT_EQ(mode(name), 0644U) << name;
  ASSERT_EQ(issued.size(), 4U);
  EXPECT_EQ(issued[0].role, KeyRole::authority);
  EXPECT_EQ(issued[1].role, KeyRole::server);
  EXPECT_EQ(issued[3].role, KeyRole::client);
  EXPECT_EQ(issued[3].name, "b");
  EXPECT_THAT(slurp("k/a.key"), HasSubstr("-----BEGIN PRIVATE KEY-----"));
}

TEST_F(MakeKeys, WhatIsReturnedIsWhatIsWritten) {
  for (const IssuedKey& key : make_keys(request("hub", {"a"}))) {
    const CertificateFacts facts = read_certificate(key.certificate_path);
    EXPECT_EQ(facts.name, key.role == KeyRole::authority ? "pollen authority" : key.name);
    EXPECT_EQ(facts.fingerprint, key.fingerprint);
    EXPECT_EQ(facts.fingerprint.size(), 95U);
    EXPECT_EQ(facts.expires, key.expires);
    EXPECT_FALSE(facts.expired);
    EXPECT_NO_THROW(check_pair(key.certificate_path, key.key_path));
  }
}

TEST_F(MakeKeys, EveryKeyIsAnother) {
  make_keys(request("hub", {"a", "b"}));
  EXPECT_NE(slurp("k/a.key"), slurp("k/b.key"));
  EXPECT_NE(slurp("k/hub.key"), slurp("k/ca.key"));
}

TEST_F(MakeKeys, NothingIsReplaced) {
  make_keys(request("hub", {"a"}));
  const std::string key = slurp("k/a.key"), pem = slurp("k/a.pem");
  EXPECT_THAT(refusal([&] {
                make_keys(request("", {"b", "a"}));
              }),
              AllOf(HasSubstr(path("k/a.pem")), HasSubstr(path("k/a.key")), HasSubstr("never replaced")));
  EXPECT_EQ(slurp("k/a.key"), key);
  EXPECT_EQ(slurp("k/a.pem"), pem);
  EXPECT_EQ(listing("k").size(), 6U);
}

TEST_F(MakeKeys, ALinkThatLeadsNowhereIsNotWrittenThrough) {
  std::filesystem::create_directory(path("k"));
  std::filesystem::create_symlink(path("elsewhere"), path("k/a.key"));
  EXPECT_THAT(refusal([&] { make_keys(request("hub", {"a"})); }), HasSubstr(path("k/a.key")));
  EXPECT_THAT(listing("k"), ElementsAre("a.key"));
  EXPECT_FALSE(std::filesystem::exists(path("elsewhere")));
}

TEST_F(MakeKeys, ClientsAreAddedByTheAuthorityThatIsThere) {
  make_keys(request("hub", {"a"}));
  const std::string authority = slurp("k/ca.pem") + slurp("k/ca.key");
  const auto added = make_keys(request("", {"c"}));
  ASSERT_EQ(added.size(), 1U);
  EXPECT_EQ(added[0].name, "c");
  EXPECT_EQ(slurp("k/ca.pem") + slurp("k/ca.key"), authority);
  EXPECT_NO_THROW(check_issued_by(path("k/c.pem"), path("k/ca.pem"), KeyRole::client));
  make_keys(request("hub-2", {}));
  EXPECT_NO_THROW(check_issued_by(path("k/hub-2.pem"), path("k/ca.pem"), KeyRole::server));
}

TEST_F(MakeKeys, AnAuthorityMustBeWholeAndFit) {
  EXPECT_THAT(refusal([&] { make_keys(request("", {"c"})); }), AllOf(HasSubstr("--server"), HasSubstr("no ca.pem")));
  EXPECT_FALSE(std::filesystem::exists(path("k")));
  make_keys(request("hub", {"a"}));
  const auto refused = [&] { return refusal([&] { make_keys(request("", {"c"})); }); };
  std::filesystem::rename(path("k/ca.key"), path("saved.key"));
  EXPECT_THAT(refused(), AllOf(HasSubstr(path("k/ca.key")), HasSubstr("ca.pem")));
  std::filesystem::copy_file(path("k/a.key"), path("k/ca.key"));
  EXPECT_THAT(refused(), AllOf(HasSubstr("ca.key"), HasSubstr("not the one of")));
  std::filesystem::rename(path("saved.key"), path("k/ca.key"));
  ::chmod(path("k/ca.key").c_str(), 0640);
  EXPECT_THAT(refused(), HasSubstr("chmod 600"));
  std::filesystem::copy_file(path("k/a.key"), path("k/ca.key"), std::filesystem::copy_options::overwrite_existing);
  ::chmod(path("k/ca.key").c_str(), 0600);
  std::filesystem::copy_file(path("k/a.pem"), path("k/ca.pem"), std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(refused(), HasSubstr("may not sign"));
  EXPECT_FALSE(std::filesystem::exists(path("k/c.pem")));
}

TEST_F(MakeKeys, DaysCountFromNowAndEndWithTheAuthority) {
  const auto now = std::chrono::floor<std::chrono::seconds>(KeyClock::now());
  KeyRequest asked = request("hub", {"a"});
  asked.now = now;
  asked.days = 30;
  const auto issued = make_keys(asked);
  EXPECT_EQ(issued[0].expires, now + hours(24) * KeyRequest::kMostDays);
  EXPECT_EQ(issued[2].expires, now + hours(24) * 30);
  EXPECT_EQ(read_certificate(issued[2].certificate_path).starts, now - minutes(5));
  asked = request("", {"late"});
  asked.now = now + hours(24) * (KeyRequest::kMostDays - 10);
  EXPECT_EQ(make_keys(asked)[0].expires, issued[0].expires);
  asked = request("", {"too-late"});
  asked.now = now + hours(24) * (KeyRequest::kMostDays + 1);
  EXPECT_THAT(refusal([&] { make_keys(asked); }), AllOf(HasSubstr("ca.pem"), HasSubstr("expired on")));
}

TEST_F(MakeKeys, FoldersThatCannotBe) {
  put("file", "mine");
  KeyRequest asked = request("hub", {"a"});
  const auto refused = [&](const std::string& folder) {
    asked.folder = folder;
    return refusal([&] { make_keys(asked); });
  };
  EXPECT_THAT(refused(path("file")), HasSubstr("found a file"));
  EXPECT_THAT(refused(path("file/k")), HasSubstr("found no folder"));
  EXPECT_THAT(refused(path("missing/k")), AllOf(HasSubstr("found no folder"), HasSubstr(path("missing"))));
  EXPECT_EQ(refused(path("k///")), "");
  EXPECT_TRUE(std::filesystem::exists(path("k/ca.pem")));
}

// Drops all rights to write, also for root.
class Nobody {
 public:
  Nobody() : changed_(::geteuid() == 0 && ::seteuid(65534) == 0) {}
  ~Nobody() {
    if (changed_ && ::seteuid(0) != 0) std::abort();
  }

 private:
  bool changed_;
};

TEST_F(MakeKeys, AFolderThatMayNotBeWrittenIsAFailureOfTheMachine) {
  std::filesystem::create_directory(path("k"));
  ::chmod(folder_.c_str(), 0555);
  ::chmod(path("k").c_str(), 0555);
  {
    const Nobody nobody;
    EXPECT_THROW(make_keys(request("hub", {"a"})), IoError);  // in an existing folder
    KeyRequest other = request("hub", {"a"});
    other.folder = path("other");
    EXPECT_THROW(make_keys(other), IoError);  // in a folder that does not exist yet
  }
  ::chmod(folder_.c_str(), 0755);
  ::chmod(path("k").c_str(), 0755);
  EXPECT_THAT(listing("."), ElementsAre("k"));
  EXPECT_TRUE(listing("k").empty());
}

}  // namespace
}  // namespace pollen
