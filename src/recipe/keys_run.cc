// The keys of the small sections: [participation], [run], [output], [warm_up], [privacy] and [federation].
#include <set>

#include "base/sha256.h"
#include "key_kinds.h"
#include "parts.h"

namespace pollen {

namespace {

template <class... Policies>
auto policy_is(Policies... policies) {
  return [=](const Config& c, const Recipe&) { return ((c.participation.policy == policies) || ...); };
}

Key probability_key() {
  Key key = numbers("participation.probability", kShare, "client", AT(participation.probability));
  key.read = [read = key.read](const Value& v, Config& c) {
    c.participation.probability_is_list = v.is(Value::Type::list);
    return read(v, c);
  };
  key.value = [value = key.value](const Config& c) {
    return c.participation.probability_is_list ? write_numbers(c.participation.probability) : value(c);
  };
  return key;
}

Key init_key() {
  return {"run.init", "string or list",
          "\"auto\", \"zero\", \"prior\", \"mode\", \"random\" (networks), \"model\" (torchscript), \"file:PATH\" or a "
          "list of "
          "numbers, one per coefficient",
          [](const Value& v, Config& c) {
            if (v.is(Value::Type::list)) {
              c.run.init = "list";
              return read_numbers(v, kAny, c.run.init_values);
            }
            return read_choice(v, {"auto", "zero", "prior", "mode", "random", "model"}, c.run.init) ||
                   (c.run.init.starts_with("file:") && c.run.init.size() > 5);
          },
          [](const Config& c) {
            return c.run.init == "list" ? write_numbers(c.run.init_values) : toml_string(c.run.init);
          }};
}

Key expect_key() {
  return {"federation.expect", "integer or list", "a number of clients, or a list of their names, each once",
          [](const Value& v, Config& c) {
            if (v.is(Value::Type::integer)) return read_integer(v, 1, kMost, c.federation.expect_count.emplace());
            std::vector<std::string>& names = c.federation.expect;
            if (!v.is(Value::Type::list) || !read_texts(v, names) || names.empty()) return false;
            const std::set<std::string> once(names.begin(), names.end());
            return once.size() == names.size() && !once.contains("");
          },
          [](const Config& c) {
            if (c.federation.expect_count) return fmt::format("{}", *c.federation.expect_count);
            return c.federation.expect.empty() ? std::string() : write_texts(c.federation.expect);
          }};
}

// Fingerprints are accepted as programs print them, and kept as 64 digits.
Key fingerprints_key() {
  Key key = texts("federation.fingerprints",
                  "a list of SHA-256 fingerprints of certificates, as pollen keys prints them, one per name in "
                  "federation.expect",
                  AT(federation.fingerprints));
  key.read = [read = key.read](const Value& v, Config& c) {
    if (!v.is(Value::Type::list) || !read(v, c)) return false;
    for (std::string& text : c.federation.fingerprints) {
      const auto digits = hex_as_written(text);
      if (!digits) return false;
      text = *digits;
    }
    return true;
  };
  return key;
}

}  // namespace

std::vector<Key> seed_keys() {
  return {integer("seed", 0, std::numeric_limits<std::int64_t>::max(), AT(seed))
              .help("The number that all randomness follows from: the same seed gives the same draws.")};
}

std::vector<Key> run_keys() {
  return {
      choice("participation.policy", {"full", "bernoulli", "fixed-size"}, AT(participation.policy))
          .help("Who takes part in a round: all, each with a probability, or a random set of a fixed size."),
      probability_key()
          .help("The probability that a client takes part.")
          .used("with policy = \"bernoulli\"", policy_is("bernoulli")),
      choice("participation.scaling", {"active", "inverse-probability"}, AT(participation.scaling))
          .help("How the messages of those who take part are weighted: by their number, or each by 1/probability.")
          .absent("\"active\"; \"inverse-probability\" for a list of probabilities")
          .used("with policy = \"bernoulli\"", policy_is("bernoulli")),
      integer("participation.size", 1, kMost, AT(participation.size))
          .help("How many clients take part in a round.")
          .used("with policy = \"fixed-size\"", policy_is("fixed-size")),
      boolean("participation.replacement", AT(participation.replacement))
          .help("Whether the same client may be drawn twice.")
          .used("with policy = \"fixed-size\"", policy_is("fixed-size")),
      integer("run.iterations", 1, std::int64_t{1} << 43, AT(run.iterations))
          .help("How many iterations each chain has, burn-in included.")
          .absent("20000; 2000 for nuts, hmc and mala; 1 for ensemble"),
      integer("run.burn_in", 0, kMost, AT(run.burn_in))
          .help("How many of the first iterations leave no draws; below run.iterations.")
          .absent("a tenth of the iterations; half of them for nuts, hmc and mala"),
      integer("run.thin", 1, kMost, AT(run.thin)).help("One of so many states after the burn-in is kept."),
      integer("run.chains", 1, 4096, AT(run.chains)).help("The number of chains, which advance together."),
      boolean("run.coupled", AT(run.coupled))
          .help("Whether chains share who takes part, as in a real federation; they are dependent then."),
      init_key()
          .help("Where the chains start: \"auto\" is the mode plus twice a draw from the normal law with the curvature "
                "there; random and model are for networks, a file has one number per coefficient.")
          .absent("\"auto\"; \"zero\" for gaussian and mixed-effects models, \"random\" for networks; under [privacy] "
                  "\"prior\", or \"zero\" with a flat prior"),
  };
}

std::vector<Key> output_keys() {
  Key draws = words("output.draws", {"csv", "none"}, AT(output.draws));
  draws.value = [](const Config& c) { return write_texts(c.output.draws); };
  std::vector<Key> rows = {
      text("output.dir", "a path", AT(output.dir)).help("The folder that a run writes to."),
      std::move(draws).help("Whether draws are written as CSV files; none leaves out clients/ too."),
      integer("output.metrics_every", 1, kMost, AT(output.metrics_every))
          .help("How many rounds pass between two rows of metrics.csv."),
      boolean("output.lp", AT(output.lp))
          .help("Whether the log posterior is computed at every draw that is kept.")
          .absent("true; false for networks"),
      choice("output.scale", {"data", "standardized"}, AT(output.scale))
          .help("The units of coefficients in draws and tables: those of the data, or of standardized columns."),
      integer("output.ece_bins", 1, 10000, AT(output.ece_bins)).help("The number of bins of the calibration error."),
      integer("output.clients", 0, kMost, AT(output.clients))
          .help("How many clients, the first ones, leave draws in clients/ and scores of their own.")
          .only("for models with personal parts", is_mixed),
      integer("output.client_draws", 1, 1 << 24, AT(output.client_draws))
          .help("How many draws per client and chain are kept.")
          .only("for models with personal parts", is_mixed),
  };
  return rows;
}

std::vector<Key> warm_up_keys() {
  std::vector<Key> rows = {
      integer("warm_up.epochs", 0, 1 << 30, AT(warm_up.epochs))
          .help("How often the descent goes over all rows; 0 is no warm-up."),
      integer("warm_up.batch", 1, kMost, AT(warm_up.batch)).help("How many rows of each client a step uses."),
      number("warm_up.rate", kPositive, AT(warm_up.rate))
          .help("The rate on the mean loss of a row; with one-cycle the largest."),
      number("warm_up.momentum", kRest, AT(warm_up.momentum)).help("The share of the last step that goes on."),
      choice("warm_up.schedule", {"one-cycle", "constant"}, AT(warm_up.schedule))
          .help("Whether the rate rises and falls or stays."),
      words("warm_up.augment", {"flip", "crop"}, AT(warm_up.augment))
          .help("How images are varied: mirrored, or moved by up to four pixels."),
  };
  const auto warm = [](const Config& c) { return c.warm_up.epochs > 0; };
  for (Key& key : rows) {
    key.written = warm;
    if (key.path == "warm_up.epochs") continue;
    key.when = {"with warm_up.epochs above 0", [=](const Config& c, const Recipe&) { return warm(c); }};
  }
  return rows;
}

// All keys are optional: without any of them, config.toml has no [privacy] section.
std::vector<Key> privacy_keys() {
  const auto budget = [](const Config& c, const Recipe&) { return c.privacy.target_epsilon.has_value(); };
  // The ways in which a run can use the data without the accountants' knowledge, each named by its key (data.missing,
  // data.levels, ...).
  const std::vector<std::string> uncovered = {"prior",    "init",        "precondition", "step",
                                              "schedule", "standardize", "constant",     "missing",
                                              "min_cell", "levels",      "lp",           "scores"};
  std::vector<Key> rows = {
      number("privacy.target_epsilon", kPositive, AT(privacy.target_epsilon))
          .help("The budget: the ε that a run may spend."),
      number("privacy.delta", kInside, AT(privacy.delta)).help("The δ that ε is stated for.").absent("1e-5"),
      number("privacy.delta_0", kInside, AT(privacy.delta_0))
          .help("The first part of the theorem's δ, set by hand.")
          .absent("from privacy.delta"),
      number("privacy.delta_1", kInside, AT(privacy.delta_1))
          .help("The second part of the theorem's δ, set by hand.")
          .absent("from privacy.delta"),
      number("privacy.delta_2", kInside, AT(privacy.delta_2))
          .help("The third part of the theorem's δ, set by hand.")
          .absent("from privacy.delta"),
      choice("privacy.on_spent", {"stop", "warn"}, AT(privacy.on_spent))
          .help("Whether a run stops before the round that would exceed the budget, or warns.")
          .absent("\"stop\"")
          .used("with privacy.target_epsilon", budget),
      choice("privacy.accountant", {"theorem", "renyi"}, AT(privacy.accountant))
          .help("Whose ε the budget is held against.")
          .absent("\"theorem\"")
          .used("with privacy.target_epsilon", budget),
      choice("privacy.adversary", {"server", "outside"}, AT(privacy.adversary))
          .help("Who looks: the server, which sees who takes part, or somebody outside, who does not.")
          .absent("\"server\""),
      words("privacy.accept", uncovered, AT(privacy.accept))
          .help("What may touch the data although the accountants do not cover it.")
          .absent("[]"),
  };
  for (Key& key : rows)
    key.when = {"for fa-ld, the only sampler that the accountants cover" +
                    (key.when.words.empty() ? "" : ", " + key.when.words),
                [own = key.when.test](const Config& c, const Recipe& r) {
                  return r.local && r.local->by_size && (!own || own(c, r));
                }};
  return rows;
}

// All keys are optional: without any of them, config.toml has no [federation] section.
std::vector<Key> federation_keys() {
  std::vector<Key> rows = {
      expect_key()
          .help("The clients' names in the order of their numbers, or how many there are.")
          .absent("the clients of [data] or [[client]]"),
      fingerprints_key().help(
          "The certificates of these clients, so that sites can compare them: the server takes no other, and contracts "
          "have them."),
      integer("federation.quorum", 1, kMost, AT(federation.quorum))
          .help("The least number of clients to start with and, with on_missing = \"skip\", to go on with.")
          .absent("all to start with; 1 to go on with"),
      number("federation.start_timeout", kPositive, AT(federation.start_timeout))
          .help("How many seconds the server waits for the rest once there is a quorum."),
      number("federation.round_deadline", kPositive, AT(federation.round_deadline))
          .help("How many seconds a round waits for its clients; skip and abort need it."),
      choice("federation.on_missing", {"wait", "skip", "abort"}, AT(federation.on_missing))
          .help("What happens where a client misses the deadline; skip needs policy = \"bernoulli\" or "
                "\"fixed-size\" with scaling = \"active\".")
          .absent("\"wait\""),
      choice("federation.scores", {"end", "none"}, AT(federation.scores))
          .help("Whether the clients are asked, once at the end, for sums of scores over their own test rows.")
          .absent("\"end\", but \"none\" under [privacy]"),
  };
  for (Key& key : rows) key.when.words = "by pollen serve";
  return rows;
}

}  // namespace pollen
