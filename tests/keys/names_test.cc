// Tests names and addresses: which are accepted, which are refused, and how they appear in a certificate.
#include <gmock/gmock.h>

#include "keys/holder.h"
#include "pollen/errors.h"

namespace pollen::keys {
namespace {

using ::testing::HasSubstr;

std::string refusal(const KeyRequest& request) {
  try {
    check_request(request);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

std::string refusal_of_client(const std::string& name) { return refusal({.folder = "k", .clients = {name}}); }
std::string refusal_of_address(const std::string& address) {
  return refusal({.folder = "k", .server = "hub", .addresses = {address}});
}

TEST(Names, Taken) {
  for (const std::string& name : {std::string("a"), std::string("Hospital-A_2.north"), std::string("_x"),
                                  std::string("7"), std::string("10.0.0.7"), std::string("cat"), std::string(64, 'x')})
    EXPECT_EQ(refusal_of_client(name), "") << name;
}

TEST(Names, RefusedByName) {
  for (const std::string& name : {std::string(""), std::string("ca"), std::string(".a"), std::string("-a"),
                                  std::string("a b"), std::string("a/b"), std::string("../a"), std::string("a,DNS:b"),
                                  std::string("*"), std::string("klinik-m\xc3\xbcnchen"), std::string(65, 'x')}) {
    EXPECT_THAT(refusal_of_client(name), HasSubstr("found \"" + name + "\"")) << name;
    if (name.empty()) continue;  // no server is asked for
    EXPECT_THAT(refusal({.folder = "k", .server = name}), HasSubstr("--server")) << name;
  }
  EXPECT_THAT(refusal_of_client(std::string("a\nb")), HasSubstr("a\\x0ab"));
  EXPECT_THAT(refusal_of_client(std::string("a\0b", 3)), HasSubstr("a\\x00b"));
}

TEST(Names, EveryNameOnce) {
  EXPECT_THAT(refusal({.folder = "k", .clients = {"a", "b", "a"}}), HasSubstr("found \"a\" twice"));
  EXPECT_THAT(refusal({.folder = "k", .server = "a", .clients = {"a"}}), HasSubstr("found \"a\" twice"));
}

TEST(Names, AllThatIsWrongIsToldAtOnce) {
  try {
    check_request({.folder = "", .server = "-", .addresses = {"x:1"}, .clients = {"ca", "a b"}, .days = 0});
    FAIL() << "was taken";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.problems().size(), 6U) << error.what();
  }
}

TEST(Addresses, TakenAndRefused) {
  for (const char* good : {"hub.example.org", "localhost", "10.0.0.7", "fd00::7", "::1"})
    EXPECT_EQ(refusal_of_address(good), "") << good;
  for (const char* bad : {"", "hub:50051", "10.0.0.300", "1.2.3", "http://hub", "*.example.org", "a,b", "fd00::7%eth0"})
    EXPECT_THAT(refusal_of_address(bad), HasSubstr(std::string("--address: found \"") + bad)) << bad;
  EXPECT_THAT(refusal({.folder = "k", .server = "10.0.0.300"}), HasSubstr("no IP address"));
  EXPECT_THAT(refusal({.folder = "k", .addresses = {"h"}, .clients = {"a"}}), HasSubstr("without --server"));
}

TEST(Days, HaveLimits) {
  EXPECT_THAT(refusal({.folder = "k", .clients = {"a"}, .days = 0}), HasSubstr("1 to 3650"));
  EXPECT_THAT(refusal({.folder = "k", .clients = {"a"}, .days = 3651}), HasSubstr("found 3651"));
  EXPECT_EQ(refusal({.folder = "k", .clients = {"a"}, .days = 3650}), "");
  EXPECT_THAT(refusal({.folder = "k"}), HasSubstr("neither --server nor --clients"));
}

TEST(AlternativeNames, AreThoseAskedForOnce) {
  EXPECT_EQ(server_names({.server = "hub", .addresses = {"10.0.0.7", "hub", "fd00::7", "127.0.0.1"}}),
            "DNS:hub,DNS:localhost,IP:127.0.0.1,IP:10.0.0.7,IP:fd00::7");
  EXPECT_EQ(server_names({.server = "10.0.0.7"}), "IP:10.0.0.7,DNS:localhost,IP:127.0.0.1");
  EXPECT_EQ(server_names({.server = "localhost"}), "DNS:localhost,IP:127.0.0.1");
  EXPECT_EQ(client_names("10.0.0.7"), "DNS:10.0.0.7");
}

// Returns the name in a certificate with this common name and these alternative names, or why it has none.
std::string name_in(const std::string& common, const std::string& alternatives) {
  const auto now = KeyClock::now();
  static const Holder authority = make_authority("test", now, now + std::chrono::hours(1));
  const Holder holder = make_holder(
      {.role = KeyRole::client, .name = common, .alternative_names = alternatives, .starts = now, .ends = now},
      authority);
  try {
    return name_of(holder.certificate.get(), "c.pem");
  } catch (const ConfigError& error) {
    return error.what();
  }
}

TEST(NameOfACertificate, IsItsCommonNameOrItsOnlyAlternativeName) {
  EXPECT_EQ(name_in("a", ""), "a");
  EXPECT_EQ(name_in("a", "DNS:a"), "a");
  EXPECT_EQ(name_in("a", "DNS:b,DNS:a"), "a");
  EXPECT_EQ(name_in("a", "IP:10.0.0.7,email:a@example.org"), "a");
  EXPECT_EQ(name_in("10.0.0.7", "IP:10.0.0.7,DNS:localhost"), "10.0.0.7");
  EXPECT_EQ(name_in("", "DNS:a,IP:10.0.0.7"), "a");
}

TEST(NameOfACertificate, IsRefusedWhereItCouldBeAnother) {
  EXPECT_THAT(name_in("", ""), HasSubstr("c.pem: found a certificate without a common name and with no alternative"));
  EXPECT_THAT(name_in("", "DNS:a,DNS:b"), HasSubstr("with several alternative names"));
  EXPECT_THAT(name_in("", "IP:10.0.0.7"), HasSubstr("with no alternative names"));
  EXPECT_THAT(name_in("a", "DNS:b"), HasSubstr("found the common name a and the alternative names b"));
}

}  // namespace
}  // namespace pollen::keys
