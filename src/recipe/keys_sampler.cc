// The keys of [sampler]: those of samplers defined by a recipe, of personal models, and of references and baselines.
#include "base/words.h"
#include "compress/compressors.h"
#include "key_kinds.h"
#include "oracle/oracles.h"
#include "parts.h"
#include "personal/baselines.h"
#include "recipe/samplers.h"

namespace pollen {

namespace {

std::vector<std::string> oracle_choices() { return oracles().names(); }

// Returns the samplers whose rows name a key, for example "hmc, nuts".
std::string readers(const std::string& key) {
  std::vector<std::string> names;
  const auto add = [&](const auto& row) {
    if (has_word(row.keys, key) && std::ranges::count(names, row.name) == 0) names.emplace_back(row.name);
  };
  std::ranges::for_each(recipe_samplers(), add);
  std::ranges::for_each(reference_table(), add);
  std::ranges::for_each(baseline_table(), add);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Tells whether any compressor in the recipe reads `key`: the downlink's only (`back_alone`), or that of either
// direction.
bool coded_with(const Recipe& recipe, const std::string& key, bool back_alone) {
  const auto reads = [&](const CompressorSpec& spec) { return has_word(compressors().at(spec.kind).keys, key); };
  if (recipe.down.feedback && reads(recipe.down.compressor)) return true;
  if (back_alone) return false;
  return recipe.up.per_client.empty() ? reads(recipe.up.compressor) : std::ranges::any_of(recipe.up.per_client, reads);
}

bool codes_without_bias(const Config&, const Recipe& r) {
  const auto unbiased = [](const CompressorSpec& spec) { return compressors().at(spec.kind).unbiased; };
  return unbiased(r.up.compressor) || std::ranges::any_of(r.up.per_client, unbiased) ||
         (r.down.feedback && unbiased(r.down.compressor));
}
bool steps_locally(const Config&, const Recipe& r) { return r.local.has_value(); }
bool decays(const Config&, const Recipe& r) { return r.local && r.local->decaying; }
bool averages(const Recipe& r) { return r.up.memory == Memory::average; }

Key batch_key() {
  return {"sampler.batch", "integer or number",
          "a count (an integer from 1) or a fraction (a decimal above 0 up to 1.0)",
          [](const Value& v, Config& c) {
            const bool count = v.is(Value::Type::integer);
            c.sampler.batch = Batch{};
            return count ? read_integer(v, 1, kMost, c.sampler.batch->count.emplace())
                         : read_number(v, kShare, c.sampler.batch->fraction.emplace());
          },
          [](const Config& c) {
            if (!c.sampler.batch) return std::string();
            const Batch& b = *c.sampler.batch;
            return b.count ? fmt::format("{}", *b.count) : toml_number(b.fraction.value_or(1.0));
          }};
}

Key bits_key() {
  Key key = integer("sampler.bits", 32, 64, AT(sampler.bits));
  key.accepted = "32 or 64";
  key.read = [read = key.read](const Value& v, Config& c) {
    return read(v, c) && (c.sampler.bits == 32 || c.sampler.bits == 64);
  };
  return key;
}

std::vector<Key> gradient_keys() {
  return {
      name("sampler.name", sampler_names, AT(sampler.name))
          .help("The algorithm; `pollen list samplers` explains each.")
          .absent("\"qlsd++\"; \"fedsoul\" for models with personal parts"),
      number_or_auto("sampler.step", AT(sampler.step))
          .help("The size of a step, in the units of the sampler's paper; auto finds one by the curvature.")
          .used("unless sampler.schedule = \"decaying\"",
                [](const Config& c, const Recipe& r) { return !decays(c, r); }),
      batch_key()
          .help("The rows of a minibatch: how many of each client's, or which share of them.")
          .absent("all rows; 0.1 for sgld and qlsd#"),
      name("sampler.oracle", oracle_choices, AT(sampler.oracle))
          .help("How a client estimates its gradient; `pollen list oracles` explains each.")
          .absent("\"full\""),
      name("sampler.compressor", compressor_names, AT(sampler.compressor))
          .help("How messages to the server are compressed; `pollen list compressors` explains each.")
          .absent("the sampler's own"),
      integer("sampler.levels", 1, 1 << 20, AT(sampler.levels))
          .help("The number of levels that a coordinate is rounded to."),
      integer("sampler.k", 1, kMost, AT(sampler.k))
          .help("How many coordinates are sent.")
          .absent("a tenth of the dimension, at least 1"),
      boolean("sampler.scaled", AT(sampler.scaled))
          .help("Whether an unbiased compressor is divided by ω+1, which makes it contractive.")
          .used("for messages coded by an unbiased compressor", codes_without_bias),
      bits_key().help("The width of an uncompressed number."),
      number("sampler.noise_share", kShare, AT(sampler.noise_share))
          .help("How much of the Langevin noise the errors of coded messages supply; the server adds the rest. Less "
                "makes the errors smaller and the messages longer, and draws have the same law."),
      choice("sampler.wire", {"bytes", "lengths"}, AT(sampler.wire))
          .help("Whether a simulation makes the messages' bytes or only computes their lengths; draws are the same."),
      boolean("sampler.memory", AT(sampler.memory))
          .help("Whether clients send changes to a memory that the server keeps too.")
          .absent("true for qlsd++, lsd++ and compressed local steps"),
      choice("sampler.memory_init", {"zero", "gradient"}, AT(sampler.memory_init))
          .help("Where the memory starts.")
          .used("with a memory and without local steps",
                [](const Config&, const Recipe& r) { return averages(r) && !r.local; }),
      number("sampler.memory_rate", kShare, AT(sampler.memory_rate))
          .help("The share of a message that the memory takes over.")
          .absent("1/(1+ω) of the worst compressor")
          .used("with a memory", [](const Config&, const Recipe& r) { return averages(r); }),
      boolean("sampler.error_feedback", AT(sampler.error_feedback))
          .help("Whether messages to the server are EF21's: compressed changes, with nothing forgotten.")
          .absent("false"),
      name("sampler.downlink", compressor_names, AT(sampler.downlink))
          .help("How the server's messages are compressed, with EF21-P's error feedback.")
          .absent("none; the uplink's for p-elf and b-elf"),
      integer("sampler.downlink_k", 1, kMost, AT(sampler.downlink_k))
          .help("How many coordinates the server sends.")
          .absent("sampler.k")
          .used("for messages coded by " + rows_with(compressors(), "k") + " going down",
                [](const Config&, const Recipe& r) { return coded_with(r, "k", true); }),
      integer("sampler.downlink_levels", 1, 1 << 20, AT(sampler.downlink_levels))
          .help("The number of levels that the server rounds a coordinate to.")
          .absent("sampler.levels")
          .used("for messages coded by " + rows_with(compressors(), "levels") + " going down",
                [](const Config&, const Recipe& r) { return coded_with(r, "levels", true); }),
      integer("sampler.refresh", 1, kMost, AT(sampler.refresh)).help("How many rounds pass between two anchors."),
      choice("sampler.prior_at", {"server", "clients"}, AT(sampler.prior_at))
          .help("Who adds the prior's gradient; the target is the same.")
          .absent("\"server\"; \"clients\" for local steps"),
      choice("sampler.precondition", {"auto", "none", "diagonal", "full"}, AT(sampler.precondition))
          .help(
              "Coordinates to sample in: the model's own, or a linear change of them after which the curvature at the "
              "mode is the same in all directions (\"full\") or along all axes (\"diagonal\"). The step and the clip "
              "are in the new coordinates; draws are written in the model's own.")
          .absent("\"auto\": \"full\" up to 1,024 coefficients if it costs little, else \"diagonal\"; \"none\" with a "
                  "number for sampler.step or sampler.clip, for gaussian, networks and under [privacy]")
          .used("for all but networks, mixed models, references and baselines"),
      integer("sampler.curvature_clients", 0, kMost, AT(sampler.curvature_clients))
          .help(
              "How many clients, drawn at random, set-up asks for their whole Hessian, from which it takes how columns "
              "are correlated; 0 asks all. Scales are always taken from all clients.")
          .absent("0, or as many as cost little where all would cost much")
          .used(
              "for sampler.precondition = \"full\" and run.init = \"auto\"",
              [](const Config& c, const Recipe&) { return c.sampler.precondition == "full" || c.run.init == "auto"; }),
      number("sampler.mode_tolerance", kPositive, AT(sampler.mode_tolerance))
          .help("The gradient's norm at which the search for the mode stops.")
          .used("for qlsd*, lsd*, clsd*, sampler.precondition and run.init = \"mode\"",
                [](const Config& c, const Recipe& r) {
                  return r.oracle == OracleKind::fixed_point || c.run.init == "mode" || c.run.init == "auto" ||
                         c.sampler.precondition != "none";
                }),
  };
}

std::vector<Key> local_keys() {
  return {
      integer("sampler.local_steps", 1, kMost, AT(sampler.local_steps))
          .help("How many steps a client takes between two averages.")
          .absent("10"),
      number("sampler.communicate", kShare, AT(sampler.communicate))
          .help("The probability of an average after each step, in place of local_steps.")
          .used("if clients take local steps", steps_locally),
      number("sampler.refresh_probability", kShare, AT(sampler.refresh_probability))
          .help("The probability that the control variates are renewed after a step.")
          .absent("communicate, or 1/local_steps"),
      number("sampler.correlation", kUnit, AT(sampler.correlation))
          .help("How much of the noise all clients share: fald's τ, fa-ld's ρ.")
          .absent("1.0")
          .used("if clients take local steps", steps_locally),
      choice("sampler.scheme", {"full", "I", "II"}, AT(sampler.scheme))
          .help("Which clients fa-ld averages: all, participation.size draws with replacement (I) or without (II).")
          .used("if clients take local steps", steps_locally),
      choice("sampler.emit", {"communication", "every"}, AT(sampler.emit))
          .help("Whether states are kept at averages or, for studies, after every step.")
          .used("if clients take local steps", steps_locally),
      number("sampler.clip", kPositive, AT(sampler.clip))
          .help("The norm that the gradient of every row is cut to.")
          .used("if clients take local steps", steps_locally),
      choice("sampler.schedule", {"constant", "decaying"}, AT(sampler.schedule))
          .help("Whether the step stays or is 1/(2L + m k/12) in iteration k.")
          .used("if clients take local steps", steps_locally),
      number("sampler.smoothness", kPositive, AT(sampler.smoothness))
          .help("The L of the decaying schedule and of `pollen plan`: a bound on every client's curvature.")
          .absent("found")
          .used("with sampler.schedule = \"decaying\"", decays),
      number("sampler.convexity", kPositive, AT(sampler.convexity))
          .help("The m of the decaying schedule and of `pollen plan`: what every client's curvature is above.")
          .absent("found")
          .used("with sampler.schedule = \"decaying\"", decays),
      boolean("sampler.allow_unbalanced", AT(sampler.allow_unbalanced))
          .help("Whether scheme II may run on clients of unequal size, where it is biased.")
          .used("with sampler.scheme = \"II\"",
                [](const Config& c, const Recipe&) { return c.sampler.scheme == "II"; }),
  };
}

std::vector<Key> personal_keys() {
  std::vector<Key> rows = {
      choice("sampler.kernel", {"langevin", "mala", "hmc"}, AT(sampler.kernel))
          .help("What the clients' own chains are made of; fedsoul has langevin alone.")
          .absent("\"langevin\"; \"mala\" for fedsouk"),
      boolean("sampler.warm_start", AT(sampler.warm_start))
          .help("Whether a client's chain goes on where its last round ended, or starts from the population."),
      integer("sampler.local_leapfrogs", 1, 1 << 20, AT(sampler.local_leapfrogs))
          .help("The leapfrog steps of one transition.")
          .used("with sampler.kernel = \"hmc\"",
                [](const Config& c, const Recipe& r) { return r.personal && c.sampler.kernel == "hmc"; }),
      number_or_auto("sampler.shared_step", AT(sampler.shared_step))
          .help("The step of the shared parameters; auto goes by the information that the clients' rows have; networks "
                "need a "
                "number."),
      number_or_auto("sampler.population_step", AT(sampler.population_step))
          .help("The step of the population's parameters; auto goes by the information that known latents would have."),
      number_or_auto("sampler.step_decay", AT(sampler.step_decay), kUnit)
          .help("The a of the factor 1/(1+k)^a that both steps have in round k; auto is 0 if a step is given; "
                "otherwise steps are constant during burn-in and then shrink like (k/burn_in)^-0.6."),
      number("sampler.shared_radius", kPositive, AT(sampler.shared_radius))
          .help("The radius of the ball that the shared parameters are kept in."),
  };
  for (Key& key : rows) key.written = is_mixed;
  return rows;
}

// The keys that every recipe reads, and those that decide by their own test alone when they are used.
const char* const kEveryRecipe = "step compressor scaled wire downlink prior_at precondition";
const char* const kEveryExact = "step precondition";
const char* const kOwnTest = "name curvature_clients mode_tolerance downlink_k downlink_levels";

// Tells whether the sampler reads a key: its row names it, or for a recipe the row of its oracle or of a compressor.
bool reads(const Config& c, const Recipe& r, const std::string& key) {
  if (row_reads(c, key)) return true;
  if (r.exact) return has_word(kEveryExact, key);
  return has_recipe(c) &&
         (has_word(kEveryRecipe, key) || has_word(oracles().at(r.oracle_name).keys, key) || coded_with(r, key, false));
}

// Says who reads a key, from the rows of all tables.
std::string readers_in_words(const std::string& key) {
  std::vector<std::string> words;
  const auto add = [&](const char* before, const std::string& names) {
    if (!names.empty()) words.push_back(before + names);
  };
  add("with the oracle ", rows_with(oracles(), key));
  add("for messages coded by ", rows_with(compressors(), key));
  add("for ", readers(key));
  return fmt::format("{}", fmt::join(words, "; "));
}

// Completes when a key is used: by the samplers that read it, and if the key's own test holds as well.
void add_readers(Key& key) {
  const std::string name = key.name();
  if (has_word(kOwnTest, name)) return;
  std::string& words = key.when.words;
  if (!has_word(kEveryRecipe, name))
    words = readers_in_words(name) + (words.empty() ? "" : ", ") + words;
  else if (words.empty())
    words = has_word(kEveryExact, name) ? "for all but references and baselines"
                                        : "for all but nuts, hmc, mala, references and baselines";
  key.when.test = [name, own = key.when.test](const Config& c, const Recipe& r) {
    return reads(c, r, name) && (!own || own(c, r));
  };
}

}  // namespace

std::vector<Key> sampler_keys() {
  std::vector<Key> rows;
  for (auto part : {gradient_keys(), local_keys(), personal_keys(), reference_keys()})
    for (Key& key : part) add_readers(rows.emplace_back(std::move(key)));
  return rows;
}

}  // namespace pollen
