// pollen keys with wrong names, folders and authorities. The files here are not real keys, because everything is
// refused before that matters.
#include "case.h"

namespace pollen::bad_input {
namespace {

Case keys(const std::string& name, const Words& more, const std::vector<Words>& lines, const Files& files = {}) {
  Words command = {"keys"};
  command.insert(command.end(), more.begin(), more.end());
  return {name, {}, lines, files, "", command};
}

Case client(const std::string& name, const std::string& clients, const std::vector<Words>& lines) {
  return keys(name, {"k", "--server", "hub", "--clients", clients}, lines);
}

const std::vector<Case> kKeys = {
    keys("no_folder", {"--server", "hub"}, {{"DIR"}}),
    keys("empty_folder", {"", "--server", "hub"}, {{"DIR", "a folder's path"}}),
    keys("nobody", {"k"}, {{"neither --server nor --clients"}}),
    keys("no_server", {"k", "--clients", "a"}, {{"--server", "no ca.pem in k"}}),
    keys("misspelt_option", {"k", "--server", "hub", "--client", "a"}, {{"--client", "--clients?"}}),
    keys("two_folders", {"k", "l", "--server", "hub"}, {{"\"l\"", "one word too many"}}),
    keys("two_servers", {"k", "--server", "a", "--server", "b"}, {{"--server"}}),
    keys("no_days", {"k", "--server", "hub", "--days", "0"}, {{"--days", "\"0\"", "from 1 to 3650"}}),
    keys("days_in_words", {"k", "--server", "hub", "--days", "many"}, {{"--days", "\"many\""}}),
    keys("too_many_days", {"k", "--server", "hub", "--days", "3651"}, {{"--days", "3651"}}),
    keys("address_with_port", {"k", "--server", "hub", "--address", "hub:50051"}, {{"--address", "hub:50051", "port"}}),
    keys("broken_ip", {"k", "--server", "10.0.0.300"}, {{"--server", "10.0.0.300", "no IP address"}}),
    keys("address_without_server", {"k", "--clients", "a", "--address", "hub"}, {{"--address", "without --server"}}),
    keys("server_is_a_path", {"k", "--server", "../hub"}, {{"--server", "../hub", "accepted"}}),
    client("empty_name", "a,,b", {{"--clients", "found \"\""}}),
    client("comma_at_the_end", "a,", {{"--clients", "found \"\""}}),
    client("name_with_a_space", "hospital a", {{"--clients", "\"hospital a\""}}),
    client("name_ca", "ca", {{"--clients", "\"ca\""}}),
    client("hidden_name", ".a", {{"--clients", "\".a\""}}),
    client("name_like_an_option", "a,-b", {{"--clients", "\"-b\""}}),
    client("long_name", std::string(65, 'x'), {{"--clients", "1 to 64"}}),
    client("name_twice", "a,b,a", {{"--clients", "\"a\" twice"}}),
    client("name_of_the_server", "hub", {{"--clients", "\"hub\" twice"}}),
    client("all_told", "a/b,ca", {{"\"a/b\""}, {"\"ca\""}}),
    keys("folder_is_a_file", {"d.csv", "--server", "hub"}, {{"d.csv", "found a file"}}),
    keys("folder_below_a_file", {"d.csv/k", "--server", "hub"}, {{"d.csv/k", "no folder"}}),
    keys("parent_is_missing", {"x/k", "--server", "hub"}, {{"x/k", "no folder \"x\""}}),
    keys("key_is_there", {"k", "--server", "hub", "--clients", "a"}, {{"k/a.key", "never replaced"}},
         {{"k/a.key", "mine"}}),
    keys("certificate_is_there", {"k", "--server", "hub"}, {{"k/hub.pem", "never replaced"}}, {{"k/hub.pem", "mine"}}),
    keys("half_an_authority", {"k", "--server", "hub"}, {{"k/ca.key", "beside k/ca.pem"}}, {{"k/ca.pem", "mine"}}),
    keys("other_half", {"k", "--server", "hub"}, {{"k/ca.pem", "beside k/ca.key"}}, {{"k/ca.key", "mine"}}),
    keys("authority_of_words", {"k", "--clients", "a"}, {{"k/ca.pem", "no certificate"}},
         {{"k/ca.pem", "mine"}, {"k/ca.key", "mine"}}),
};

POLLEN_BAD_INPUT(WrongKeys, kKeys);

}  // namespace
}  // namespace pollen::bad_input
