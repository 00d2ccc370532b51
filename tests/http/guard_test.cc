// Tests who may see a dashboard.
#include "http/guard.h"

#include <gtest/gtest.h>

namespace pollen::http {
namespace {

TEST(Guard, KnowsThisMachinesOwnAddresses) {
  for (const char* own : {"127.0.0.1", "127.8.9.10", "::1", "localhost"}) EXPECT_TRUE(is_loopback(own)) << own;
  for (const char* other : {"0.0.0.0", "::", "192.168.1.2", "127.0.0.1.example.org", "127.example.org", "example.org",
                            "", "localhost.example.org", "1270.0.0.1"})
    EXPECT_FALSE(is_loopback(other)) << other;
}

TEST(Guard, TakesAHostHeaderOnlyByNamesNobodyElseCanOwn) {
  for (const char* own : {"127.0.0.1", "127.0.0.1:7655", "localhost:1", "LocalHost", "[::1]:7655", "[::1]"})
    EXPECT_TRUE(names_loopback(own)) << own;
  for (const char* other : {"evil.example:7655", "127.0.0.1.evil.example", "localhost.evil.example:80", "", ":7655",
                            "127.0.0.1:7655@evil.example", "[::1]evil", "evil.example:127.0.0.1", "[::1"})
    EXPECT_FALSE(names_loopback(other)) << other;
}

TEST(Guard, TakesTheNamesOfThisMachine) {
  for (const char* own :
       {"127.0.0.1:9464", "localhost", "10.0.0.7:9464", "[fd00::7]:9464", "hub.example.org", "Hub.Example.Org:1"})
    EXPECT_TRUE(names_this_machine(own, "hub.example.org")) << own;
  for (const char* other :
       {"evil.example:9464", "10.0.0.7.evil.example", "", "hub.example.org.evil.example", "[fd00::7"})
    EXPECT_FALSE(names_this_machine(other, "hub.example.org")) << other;
  EXPECT_FALSE(names_this_machine("", ""));
}

TEST(Guard, ComparesSecretsWhole) {
  EXPECT_TRUE(same_secret("0123abcd", "0123abcd"));
  for (const char* wrong : {"", "0123abce", "0123abc", "0123abcd0", "1123abcd"})
    EXPECT_FALSE(same_secret(wrong, "0123abcd")) << wrong;
}

}  // namespace
}  // namespace pollen::http
