// pollen serve and pollen join with nonsensical arguments: exit code 2, one line per problem, nothing written.
#include <fmt/format.h>

#include "bad_input/case.h"

namespace pollen::bad_input {
namespace {

using Lines = std::vector<Words>;

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Case serve(const std::string& name, const Words& more, const Lines& lines, const Keys& keys = {}) {
  return {name, keys, lines, {}, "", with({"serve", "a.toml", "--out", "out"}, more)};
}

Case served(const std::string& name, const Keys& keys, const Lines& lines) {
  return serve(name, {"--listen", "127.0.0.1:0", "--insecure"}, lines, keys);
}

Case join(const std::string& name, const Words& more, const Lines& lines) {
  return {name, {}, lines, {}, "", with({"join", "--give-up", "1"}, more)};
}

const Words kHere = {"--server", "127.0.0.1:9", "--insecure", "--name", "a"};

const std::vector<Case> kServe = {
    serve("no_address", {"--insecure"}, {{"--listen"}}),
    serve("no_port", {"--listen", "127.0.0.1", "--insecure"}, {{"--listen", "\"127.0.0.1\"", "HOST:PORT"}}),
    serve("no_host", {"--listen", ":5000", "--insecure"}, {{"--listen", "\":5000\"", "HOST:PORT"}}),
    serve("port_in_words", {"--listen", "127.0.0.1:http", "--insecure"}, {{"--listen", "127.0.0.1:http"}}),
    serve("port_too_large", {"--listen", "127.0.0.1:65536", "--insecure"}, {{"--listen", "127.0.0.1:65536"}}),
    serve("plain_text_for_all", {"--listen", "0.0.0.0:0", "--insecure"}, {{"--insecure", "0.0.0.0:0", "said twice"}}),
    serve("no_keys", {"--listen", "127.0.0.1:0"}, {{"--ca, --cert, --key", "pollen keys", "--insecure"}}),
    serve("both", {"--listen", "127.0.0.1:0", "--insecure", "--ca", "a.toml"}, {{"--insecure", "--ca"}}),
    serve("missing_files", {"--listen", "127.0.0.1:0", "--ca", "no.pem", "--cert", "nor.pem", "--key", "nor.key"},
          {{"nor.pem"}}),
    serve("no_certificate", {"--listen", "127.0.0.1:0", "--ca", "a.toml", "--cert", "a.toml", "--key", "a.toml"},
          {{"a.toml"}}),
    serve("log_format", {"--listen", "127.0.0.1:0", "--insecure", "--log-format", "xml"},
          {{"--log-format", "\"xml\"", "text, json"}}),
    serve("misspelt", {"--listen", "127.0.0.1:0", "--insecure", "--sate", "x"}, {{"--sate", "--state?"}}),
    served("ula", {{"sampler.name", "\"ula\""}}, {{"sampler.name", "ula", "pollen run"}}),
    served("l2gd", {{"sampler.name", "\"l2gd\""}, {"model.kind", "\"mixed-linear\""}},
           {{"sampler.name", "l2gd", "whole models"}}),
    served("local", {{"sampler.name", "\"local\""}, {"model.kind", "\"mixed-linear\""}},
           {{"sampler.name", "local", "sends nothing"}}),
    served("not_coupled", {{"run.coupled", "false"}}, {{"run.coupled", "false", "true"}}),
    served("skip_with_all", {{"federation.on_missing", "\"skip\""}, {"federation.round_deadline", "1"}},
           {{"federation.on_missing", "skip", "full"}}),
    served("skip_without_a_deadline",
           {{"federation.on_missing", "\"skip\""},
            {"participation.policy", "\"bernoulli\""},
            {"participation.probability", "0.5"}},
           {{"federation.round_deadline", "needed", "skip"}}),
    served("skip_with_inverse_weights",
           {{"federation.on_missing", "\"skip\""},
            {"federation.round_deadline", "1"},
            {"participation.policy", "\"bernoulli\""},
            {"participation.scaling", "\"inverse-probability\""},
            {"participation.probability", "0.5"}},
           {{"federation.on_missing", "inverse-probability"}}),
    served("two_problems", {{"federation.on_missing", "\"skip\""}},
           {{"federation.round_deadline"}, {"federation.on_missing"}}),
    served("quorum_of_more", {{"federation.quorum", "3"}}, {{"federation.quorum", "3", "at most the 2"}}),
    served("name_twice", {{"federation.expect", "[\"a\", \"a\"]"}}, {{"federation.expect"}}),
    served("unknown_key", {{"federation.expects", "3"}}, {{"federation.expects", "federation.expect"}}),
    {"out_is_a_file",
     {},
     {{"output.dir", "d.csv"}},
     {},
     "",
     {"serve", "a.toml", "--listen", "127.0.0.1:0", "--insecure", "--out", "d.csv"}},
    {"no_config",
     {},
     {{"no.toml"}},
     {},
     "",
     {"serve", "no.toml", "--listen", "127.0.0.1:0", "--insecure", "--out", "out"}},
};
POLLEN_BAD_INPUT(Serve, kServe);

const std::vector<Case> kJoin = {
    join("no_server", {"--data", "d.csv", "--insecure", "--name", "a"}, {{"--server"}}),
    join("bad_server", {"--server", "there", "--data", "d.csv", "--insecure", "--name", "a"},
         {{"--server", "\"there\"", "HOST:PORT"}}),
    join("plain_text_abroad", {"--server", "192.0.2.1:9", "--data", "d.csv", "--insecure", "--name", "a"},
         {{"--insecure", "192.0.2.1:9", "said twice"}}),
    join("no_data", kHere, {{"--data", "--config"}}),
    join("both_data", with(kHere, {"--data", "d.csv", "--config", "a.toml", "--client", "0"}),
         {{"--data", "--config"}}),
    join("no_part", with(kHere, {"--config", "a.toml"}), {{"--client", "--config"}}),
    join("part_in_words", with(kHere, {"--config", "a.toml", "--client", "first"}), {{"--client", "first"}}),
    join("part_of_own_data", with(kHere, {"--data", "d.csv", "--client", "0"}), {{"--client"}}),
    join("no_such_config", with(kHere, {"--config", "no.toml", "--client", "0"}), {{"no.toml"}}),
    join("no_such_file", with(kHere, {"--data", "no.csv"}), {{"no.csv"}}),
    join("no_name", {"--server", "127.0.0.1:9", "--insecure", "--data", "d.csv"}, {{"--name", "--insecure"}}),
    join("no_keys", {"--server", "127.0.0.1:9", "--data", "d.csv"}, {{"--ca, --cert, --key"}}),
    join("missing_keys",
         {"--server", "127.0.0.1:9", "--data", "d.csv", "--ca", "no.pem", "--cert", "nor.pem", "--key", "nor.key"},
         {{"nor.pem"}}),
    join("give_up", with(kHere, {"--data", "d.csv", "--max-rounds", "0"}), {{"--max-rounds", "0"}}),
    join("no_policy", with(kHere, {"--data", "d.csv", "--policy", "no.toml"}), {{"--policy", "\"no.toml\""}}),
    join("wrong_policy", with(kHere, {"--data", "d.csv", "--policy", "d.csv"}), {{"d.csv:1:"}}),
    join("allow_unknown", with(kHere, {"--data", "d.csv", "--allow", "qlsd+"}), {{"--allow", "qlsd+"}}),
};
POLLEN_BAD_INPUT(Join, kJoin);

}  // namespace
}  // namespace pollen::bad_input
