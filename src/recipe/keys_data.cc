// The keys of [data] and [[client]].
#include "compress/compressors.h"
#include "data/registries.h"
#include "key_kinds.h"
#include "model/models.h"
#include "parts.h"

namespace pollen {

namespace {

bool split_reads(const Config& c, const std::string& key) {
  const PartitionRow* row = partitions().find(c.data.partition);
  return row != nullptr && has_word(row->keys, key);
}

bool set_reads(const Config& c, const std::string& key) {
  const BuiltinSet* set = c.data.sources.size() == 1 ? builtin_sets().find(c.data.sources[0]) : nullptr;
  return set != nullptr && has_word(set->keys, key);
}

// If the format is not given, the files' names decide, and no key is said to be unused.
bool format_reads(const Config& c, const std::string& key) {
  const DataFormat* format = data_formats().find(c.data.format);
  return format == nullptr || has_word(format->keys, key);
}

// These three mark a key as used only with the partitions, built-in sets or file formats whose rows name it.
Key of_partition(Key key) {
  const std::string name = key.name();
  return std::move(key).used("with data.partition " + rows_with(partitions(), name),
                             [=](const Config& c, const Recipe&) { return split_reads(c, name); });
}
Key of_set(Key key) {
  const std::string name = key.name();
  return std::move(key).used("for " + rows_with(builtin_sets(), name),
                             [=](const Config& c, const Recipe&) { return set_reads(c, name); });
}
Key of_format(Key key) {
  const std::string name = key.name();
  return std::move(key).used("for files of the format " + rows_with(data_formats(), name),
                             [=](const Config& c, const Recipe&) { return format_reads(c, name); });
}

// Makes a key written only where it is used.
Key only_used(Key key) {
  key.written = [used = key.when.test](const Config& c) { return used(c, Recipe{}); };
  return key;
}

auto after(bool (*test)(const Config&)) {
  return [=](const Config& c, const Recipe&) { return test(c); };
}

// Makes config.toml show the value in effect, given or not, for a key whose default depends on the source or the
// partition.
Key shows_effective_value(Key key) {
  key.value = [value = key.value](const Config& c) {
    Config filled_in;
    filled_in.data = with_defaults(c.data);
    return value(filled_in);
  };
  return key;
}

Key levels_key() {
  return {"data.levels", "table", "a table of columns, each with the list of its levels",
          [](const Value& v, Config& c) {
            return v.is(Value::Type::table) && std::ranges::all_of(v.entries, [&](const auto& entry) {
                     return entry.second.is(Value::Type::list) && read_texts(entry.second, c.data.levels[entry.first]);
                   });
          },
          [](const Config& c) {
            std::string out;
            for (const auto& [column, values] : c.data.levels)
              out += fmt::format("{}{} = {}", out.empty() ? "{" : ", ", toml_string(column), write_texts(values));
            return out.empty() ? out : out + "}";
          }};
}

// A list of labels, which the user may also write as numbers.
Key labels(std::string path, Place<std::vector<std::string>> at) {
  Key key = texts(std::move(path), "a list of labels", at);
  key.read = [=](const Value& v, Config& c) {
    at(c).clear();
    return v.is(Value::Type::list) && std::ranges::all_of(v.items, [&](const Value& item) {
             std::string& label = at(c).emplace_back();
             if (!item.is(Value::Type::integer)) return read_text(item, label);
             label = fmt::format("{}", item.integer);
             return true;
           });
  };
  return key;
}

Key source_key() {
  Key key = texts("data.source",
                  "a built-in name (see pollen list datasets), a path, or a list of paths with partition = \"given\"",
                  AT(data.sources));
  key.type = "string or list";
  key.read = [](const Value& v, Config& c) { return read_texts(v, c.data.sources) && !c.data.sources.empty(); };
  key.value = [list = key.value](const Config& c) {
    return c.data.sources.size() == 1 ? toml_string(c.data.sources[0]) : list(c);
  };
  return key;
}

Key format_key() {
  Key key = name(
      "data.format", +[] { return data_formats().names(); }, AT(data.format));
  // An empty string means the same as an absent key.
  key.read = [read = key.read](const Value& v, Config& c) {
    return read(v, c) || (v.is(Value::Type::text) && v.text.empty());
  };
  return key;
}

bool has_two_classes(const Config& config) {
  const ModelRow* row = models().find(config.model.kind);
  return row != nullptr && row->family->target({}) == TargetKind::binary;
}

std::vector<std::string> partition_names() { return partitions().names(); }

std::vector<Key> file_keys() {
  return {
      source_key().help("Where the rows come from; a store (`pollen convert`) settles the other keys of [data]."),
      format_key().help("The format of the files; `pollen list formats` explains each.").absent("by the file's name"),
      of_format(text("data.labels", "a path", AT(data.labels))
                    .help("The file of the labels.")
                    .absent("by the file's name: images-idx3 becomes labels-idx1")),
      of_format(text("data.target", "a column's name", AT(data.target))
                    .help("The column to predict.")
                    .absent("the last column")),
      of_format(texts("data.categorical", "a list of columns' names", AT(data.categorical))
                    .help("The columns that are read as text whatever they hold.")),
      of_format(
          levels_key()
              .help(
                  "The levels of text columns and of the target, so that clients need not exchange them. The first is "
                  "the reference; of a target's two labels the second is the event.")
              .absent("found in the data")),
      labels("data.positive", AT(data.positive))
          .help("The labels that count as class 1, the event, such as [\"yes\"] or [1, 2, 3, 4]; all others count as "
                "class 0.")
          .used("for models of two classes, such as logistic", after(has_two_classes)),
      choice("data.missing", {"error", "drop", "mean"}, AT(data.missing))
          .help("What happens to an empty cell: an error, the row is dropped, or the column's mean takes its place "
                "(where clients read their own files, the client's own mean)."),
      shows_effective_value(choice("data.constant", {"drop", "error", "keep"}, AT(data.constant)))
          .help(
              "What happens to a column that is the same in all training rows: it is left out with a warning, it is an "
              "error, or it stays.")
          .absent("\"drop\"; \"keep\" for synthetic-mixed, for images, for networks, and with [privacy] unless "
                  "features are standardised"),
      of_format(boolean("data.header", AT(data.header)).help("Whether the first row names the columns.")),
      of_format(texts("data.features", "a list of columns' names", AT(data.features))
                    .help("The columns to predict from.")
                    .absent("all columns but the target")),
      of_format(texts("data.exclude", "a list of columns' names", AT(data.exclude))
                    .help("The columns that are never read, such as names and keys of persons.")),
      shows_effective_value(boolean("data.standardize", AT(data.standardize)))
          .help("Whether features are scaled to mean 0 and sd 1 over the training rows of all clients.")
          .absent("true; false for synthetic-mixed and for images under a network"),
      shows_effective_value(boolean("data.intercept", AT(data.intercept)))
          .help("Whether a column of ones is added.")
          .absent("true; false for synthetic-mixed and for networks"),
      number("data.test_fraction", kRest, AT(data.test_fraction))
          .help("The share of each client's rows that is held out for testing.")
          .used("without data.test_source", after([](const Config& c) { return c.data.test_source.empty(); })),
      text("data.test_source", "a path", AT(data.test_source))
          .help("A file of test rows that belong to no client; nothing is held out then."),
      of_format(text("data.test_labels", "a path", AT(data.test_labels))
                    .help("The file of the labels of data.test_source.")
                    .absent("by the file's name")),
      text("data.ood_source", "a path", AT(data.ood_source))
          .help("A file of rows from elsewhere, on which the summary says how uncertain predictions are.")
          .used("for classifiers without personal models",
                [](const Config&, const Recipe& recipe) { return !recipe.personal; }),
      text("data.distill_source", "a path", AT(data.distill_source))
          .help("A file of rows that the server has, without labels, to distil the ensemble with.")
          .used("for fedbe with sampler.distill = true",
                after([](const Config& c) { return c.sampler.name == "fedbe" && c.reference.distill; })),
  };
}

std::vector<Key> split_keys() {
  return {
      name("data.partition", partition_names, AT(data.partition))
          .help("How rows are split over clients; `pollen list partitions` explains each."),
      of_partition(shows_effective_value(integer("data.clients", 1, 0xffffffff, AT(data.clients)))
                       .help("How many clients there are; with by-writer the first so many writers.")
                       .absent("10; 20 for dominant-label and label-pairs; all writers for by-writer")),
      of_partition(number("data.dirichlet_alpha", kPositive, AT(data.dirichlet_alpha))
                       .help("How alike clients are: small numbers give each client few labels.")),
      of_partition(integer("data.shards", 1, kMost, AT(data.shards))
                       .help("How many shards of the sorted rows each client gets.")),
      of_partition(
          text("data.column", "a column's name", AT(data.column)).help("The column whose values are the clients.")),
      integer("data.limit", 0, kMost, AT(data.limit)).help("Only the first so many rows are read; 0 is all."),
      integer("data.min_cell", 0, kMost, AT(data.min_cell))
          .help("The least training rows of a client behind a level, an indicator, or a pair of these in its "
                "curvature; rarer ones are pooled (pollen serve sets 5 unless it is given).")
          .used("for tables", [](const Config& c, const Recipe&) { return c.model.kind != "gaussian"; }),
  };
}

std::vector<Key> synthetic_keys() {
  return {
      of_set(integer("data.dimension", 1, 100'000'000, AT(data.dimension)).help("How many features are made.")),
      of_set(shows_effective_value(number("data.heterogeneity", kFromZero, AT(data.heterogeneity)))
                 .help("The standard deviation of the clients' means (synthetic-gaussian) or latents "
                       "(synthetic-mixed).")
                 .absent("5.0; 1.0 for synthetic-mixed")),
      of_set(integer("data.min_size", 1, kMost, AT(data.min_size)).help("The least number of rows of a client.")),
      of_set(integer("data.max_size", 1, kMost, AT(data.max_size)).help("The largest number of rows of a client.")),
      of_set(number("data.alpha", kFromZero, AT(data.alpha))
                 .help("How much the clients' true coefficients differ: the α of SYNTHETIC(α, β).")),
      of_set(number("data.beta", kFromZero, AT(data.beta))
                 .help("How much the clients' features differ: the β of SYNTHETIC(α, β).")),
  };
}

std::vector<Key> other_keys() {
  return {
      only_used(of_partition(
          shows_effective_value(number("data.dominant_share", kUnit, AT(data.dominant_share)))
              .help("The share of a label that goes to its own client (dominant-label) or clients (label-pairs).")
              .absent("0.4; 0.8 for label-pairs"))),
      only_used(of_partition(number("data.other_share", kUnit, AT(data.other_share))
                                 .help("The share of every other label that a client gets."))),
      only_used(of_partition(integer("data.classes_per_client", 1, kMost, AT(data.classes_per_client))
                                 .help("How many labels each client has."))),
      of_partition(
          text("data.writers", "a path", AT(data.writers)).help("The idx file with the number of each row's writer.")),
      only_used(of_partition(
          integer("data.least_rows", 1, kMost, AT(data.least_rows)).help("Clients with fewer rows are left out."))),
      only_used(of_set(integer("data.latent_dimension", 1, 100'000'000, AT(data.latent_dimension))
                           .help("How many coordinates a client's true latent has, at most data.dimension."))),
      only_used(of_set(number("data.noise_sd", kFromZero, AT(data.noise_sd))
                           .help("The standard deviation of the response; the default is a variance of 0.1."))),
      only_used(of_set(
          number("data.small_share", kUnit, AT(data.small_share))
              .help("The share of clients, the first ones, with data.min_size rows; the others have data.max_size."))),
  };
}

bool read_rows(const Value& v, std::vector<std::vector<double>>& out) {
  out.clear();
  return v.is(Value::Type::list) && !v.items.empty() && std::ranges::all_of(v.items, [&](const Value& row) {
           return row.is(Value::Type::list) && read_numbers(row, kAny, out.emplace_back());
         });
}

Key matrix(std::string path, Place<std::vector<std::vector<double>>> at) {
  return {std::move(path), "list", "a list of rows of numbers",
          [=](const Value& v, Config& c) { return read_rows(v, at(c)); },
          [=](const Config& c) {
            std::string out;
            for (const auto& row : get(at, c)) out += (out.empty() ? "" : ", ") + write_numbers(row);
            return out.empty() ? out : fmt::format("[{}]", out);
          }};
}

}  // namespace

std::vector<std::string> compressor_names() { return compressors().names(); }

std::vector<Key> data_keys() {
  std::vector<Key> rows = file_keys();
  for (auto part : {split_keys(), synthetic_keys(), other_keys()})
    for (Key& key : part) rows.push_back(std::move(key));
  return rows;
}

const std::vector<Key>& client_keys() {
  static const std::vector<Key> rows = [] {
    Key mean = numbers("client.mean", kAny, "coordinate", AT(clients.back().mean));
    mean.type = "list", mean.accepted = "a list of numbers";
    mean.read = [](const Value& v, Config& c) {
      return v.is(Value::Type::list) && read_numbers(v, kAny, c.clients.back().mean);
    };
    mean.value = [](const Config& c) {
      return c.clients.back().mean.empty() ? std::string() : write_numbers(c.clients.back().mean);
    };
    std::vector<Key> all = {
        std::move(mean).help("The mean of the client's Gaussian.").absent("none").used("for gaussian"),
        matrix("client.precision", AT(clients.back().precision))
            .help("The precision matrix of the client's Gaussian.")
            .absent("none")
            .used("for gaussian"),
        matrix("client.data", AT(clients.back().data))
            .help("The client's rows of numbers, in place of a mean and a precision.")
            .absent("none")
            .used("for gaussian"),
        name("client.compressor", compressor_names, AT(clients.back().compressor))
            .help("The client's own compressor.")
            .absent("sampler.compressor"),
        integer("client.levels", 1, 1 << 20, AT(clients.back().levels))
            .help("The client's own number of levels.")
            .absent("sampler.levels"),
        integer("client.k", 1, kMost, AT(clients.back().k))
            .help("The client's own number of coordinates.")
            .absent("sampler.k"),
    };
    return all;
  }();
  return rows;
}

}  // namespace pollen
