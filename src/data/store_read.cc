// Opens store files read-only: makes a federation that refers to the bytes of a store in place, reports the facts of a
// store, and verifies it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "data/phrases.h"
#include "encode.h"
#include "pollen/errors.h"
#include "readers.h"
#include "store_layout.h"

namespace pollen {

namespace data {

namespace {

const char* words(TargetKind target) {
  constexpr std::array kWords = {"no target", "numbers as target", "two classes", "classes", "counts as target"};
  return kWords.at(static_cast<std::size_t>(target));
}

bool fits(TargetKind wanted, TargetKind held, std::size_t classes) {
  if (wanted == held || (wanted == TargetKind::real && held == TargetKind::count)) return true;
  return classes == 2 && has_classes(wanted) && has_classes(held);
}

class StoreReader {
 public:
  StoreReader(ByteView bytes, std::shared_ptr<const void> keeper, const std::string& file)
      : bytes_(bytes),
        keeper_(std::move(keeper)),
        file_(file),
        header_(decode_header(bytes.first(std::min(bytes.size(), kStorePage)), bytes.size(), file)) {}

  Federation read(TargetKind target) const {
    Federation f;
    f.intercept = header_.intercept;
    f.setup_bits = header_.setup_bits;
    f.level_bits = header_.level_bits;
    f.train = table("train", true);
    f.test = table("test", true);
    f.ood = table("ood", false);
    f.distill = table("distill", false);
    for (const Table* other : {&f.test, &f.ood, &f.distill})
      if (other->stride != 0 && other->columns != f.train.columns)
        fault("train.x", fmt::format("{} columns", f.train.columns),
              fmt::format("the {} of another section", other->columns));
    f.train_begin = begins("train.begin", f.train.rows, 1);
    f.test_begin = begins("test.begin", f.test.rows, 0);
    if (f.train_begin.back() != f.train.rows)
      fault("train.begin", fmt::format("the last client's end at row {}", f.train_begin.back()),
            fmt::format("{}, the number of rows", f.train.rows));
    read_names(f);  // needs the number of clients, which is known by now
    if (std::ssize(f.feature_names) != f.train.columns)
      fault("names", fmt::format("{} names of features", f.feature_names.size()),
            fmt::format("one for each of the {} columns", f.train.columns));
    check_classes(target, f.class_names);
    read_columns(f);
    for (const Table* table : {&f.train, &f.test}) check_targets(*table, f.class_names.size());
    return f;
  }

  StoreFacts facts() const {
    StoreFacts facts;
    facts.target = header_.target;
    facts.seed = header_.seed;
    facts.clients = static_cast<Index>(header_.clients);
    facts.bytes = static_cast<std::int64_t>(header_.file_bytes);
    if (const Section* s = find("train.x")) {
      facts.train_rows = static_cast<Index>(s->rows);
      facts.columns = static_cast<Index>(s->columns);
    }
    if (const Section* s = find("test.x")) facts.test_rows = static_cast<Index>(s->rows);
    if (const Section* s = find("keys")) {
      const ByteView keys = content(*s);
      facts.keys.assign(keys.begin(), keys.end());
    }
    if (find("names") == nullptr) return facts;
    Federation texts;
    parse("names", [&](Archive& archive) { archive_names(archive, texts); });
    facts.target_column = texts.layout.target;
    return facts;
  }

  // Verifies all checksums and everything that reading the store checks.
  void check() const {
    for (const Section& section : header_.sections) content(section);
    read(header_.target);
  }

 private:
  [[noreturn]] void fault(const std::string& section, const std::string& found, const std::string& accepted) const {
    throw ConfigError(fmt::format("{}: section {}", file_, section),
                      fmt::format("found {}, accepted: {}", found, accepted));
  }

  const Section* find(const std::string& name) const {
    const auto at = std::ranges::find(header_.sections, name, &Section::name);
    return at == header_.sections.end() ? nullptr : &*at;
  }
  // Returns the bytes of a section. They are verified unless the section holds many rows.
  ByteView content(const Section& s, bool rows = false) const {
    const ByteView part = bytes_.subspan(s.offset, s.bytes);
    if (!(rows && s.bytes > kCheckedAtOnce) && checksum(part) != s.crc)
      throw ConfigError(fmt::format("{}: section {}", file_, s.name),
                        "the checksum is wrong: found another than the header has for it; the file is damaged");
    return part;
  }
  const Section& needed(const std::string& name, Cells cells) const {
    const Section* s = find(name);
    if (s == nullptr) fault(name, "none", "a store with this section");
    if (s->cells != cells)
      fault(name, fmt::format("cells of kind {}", static_cast<int>(s->cells)),
            fmt::format("kind {}", static_cast<int>(cells)));
    return *s;
  }
  Numbers numbers(const Section& s, bool rows) const {
    const ByteView part = content(s, rows);
    if (part.empty()) return {};
    // The mapping is read-only although the type allows writing.
    auto* data = reinterpret_cast<double*>(const_cast<std::uint8_t*>(part.data()));
    return Numbers(data, part.size() / sizeof(double), keeper_);
  }

  Table table(const std::string& name, bool always) const {
    Table out;
    if (!always && find(name + ".x") == nullptr) return out;
    const Section& x = needed(name + ".x", Cells::float64);
    out.rows = static_cast<Index>(x.rows);
    out.columns = static_cast<Index>(x.columns);
    out.stride = static_cast<Index>(x.stride);
    if (out.columns == 0 || out.stride != padded(out.columns))
      fault(x.name, fmt::format("{} columns in rows of {} cells", x.columns, x.stride),
            fmt::format("at least one column, and rows of {} cells", padded(out.columns)));
    out.x = numbers(x, true);
    const bool with_targets = always && header_.target != TargetKind::none;
    if (!with_targets) return out;
    const Section& y = needed(name + ".y", Cells::float64);
    if (y.rows != x.rows || y.stride != 1)
      fault(y.name, fmt::format("{} rows of {} targets", y.rows, y.stride), fmt::format("{} rows of 1", x.rows));
    out.y = numbers(y, false);
    return out;
  }

  // Reads where clients' rows begin. The values must start at 0, be at least `least` apart and not exceed `rows`.
  std::vector<Index> begins(const std::string& name, Index rows, Index least) const {
    const Section& s = needed(name, Cells::int64);
    if (s.stride != 1 || s.rows != header_.clients + 1)
      fault(name, fmt::format("{} rows of {} places", s.rows, s.stride),
            fmt::format("{} rows of 1 for {} clients", header_.clients + 1, header_.clients));
    const ByteView part = content(s);
    std::vector<Index> begin(s.rows);
    std::memcpy(begin.data(), part.data(), part.size());
    if (begin.front() != 0) fault(name, fmt::format("the first client's start at row {}", begin.front()), "0");
    for (std::size_t i = 0; i + 1 < begin.size(); ++i)
      if (begin[i + 1] < begin[i] || begin[i + 1] > rows || begin[i + 1] - begin[i] < least)
        fault(name, fmt::format("client {}'s rows from {} to {}", i + 1, begin[i], begin[i + 1]),
              fmt::format("at least {} rows per client, of {} in all", least, rows));
    return begin;
  }

  // Reads a section of texts; fields(archive) lists them.
  template <class Fields>
  void parse(const std::string& name, const Fields& fields) const {
    try {
      Archive archive(content(needed(name, Cells::bytes)));
      fields(archive);
      archive.finish();
    } catch (const WireError& error) {
      fault(name, fmt::format("texts that cannot be read ({})", error.what()), "the texts of a whole store");
    }
  }

  void read_names(Federation& f) const {
    parse("names", [&](Archive& archive) { archive_names(archive, f); });
    if (find("client.names") == nullptr) {
      f.client_names = ClientNames(header_.clients);
    } else {
      std::vector<std::string> names;
      parse("client.names", [&](Archive& archive) { archive.texts(names); });
      f.client_names = std::move(names);
    }
    if (f.client_names.size() != header_.clients)
      fault("client.names", fmt::format("{} names", f.client_names.size()),
            fmt::format("one for each of the {} clients", header_.clients));
  }

  void read_columns(Federation& f) const {
    read_dropped(f);
    const Section& s = needed("columns", Cells::float64);
    const auto p = static_cast<std::size_t>(f.train.columns) - (f.intercept ? 1 : 0);
    if (s.rows == 0) return;
    if (s.rows != p || s.stride != 2)
      fault(s.name, fmt::format("{} rows of {} numbers", s.rows, s.stride), fmt::format("{} rows of 2", p));
    const Numbers pairs = numbers(s, false);
    for (std::size_t j = 0; j < p; ++j) {
      f.scaling.mean.push_back(pairs[2 * j]);
      f.scaling.sd.push_back(pairs[2 * j + 1]);
    }
  }

  // Reads the places of encoded columns that were left out: rising, and below the number of all encoded columns.
  void read_dropped(Federation& f) const {
    if (find("dropped") == nullptr) return;
    const Section& s = needed("dropped", Cells::int64);
    if (s.stride != 1) fault(s.name, fmt::format("rows of {} places", s.stride), "rows of 1");
    const ByteView part = content(s);
    std::vector<std::int64_t>& dropped = f.scaling.dropped;
    dropped.resize(s.rows);
    std::memcpy(dropped.data(), part.data(), part.size());
    const auto columns = static_cast<std::int64_t>(f.train.columns - (f.intercept ? 1 : 0)) + std::ssize(dropped);
    for (std::size_t k = 0; k < dropped.size(); ++k)
      if (const std::int64_t least = k == 0 ? 0 : dropped[k - 1] + 1; dropped[k] < least || dropped[k] >= columns)
        fault(s.name, fmt::format("the place {}", dropped[k]),
              fmt::format("rising places from {} to {}", least, columns - 1));
  }

  void check_classes(TargetKind target, const std::vector<std::string>& classes) const {
    const TargetKind held = header_.target;
    const bool right = !has_classes(held)           ? classes.empty()
                       : held == TargetKind::binary ? classes.size() == 2
                                                    : classes.size() >= 2;
    if (!right)
      fault("names", fmt::format("{} classes in a store with {}", classes.size(), words(held)),
            !has_classes(held)           ? "no classes"
            : held == TargetKind::binary ? "2 classes"
                                         : "2 classes or more");
    if (!fits(target, held, classes.size()))
      throw ConfigError(
          file_,
          fmt::format("found rows with {}{}, accepted: {}, which the model wants (convert the data again with "
                      "this model's kind)",
                      words(held), has_classes(held) ? fmt::format(" ({})", listed(classes, 10)) : "", words(target)));
  }

  void check_targets(const Table& table, std::size_t classes) const {
    const bool real = header_.target == TargetKind::real;
    const double most = classes > 0 ? static_cast<double>(classes) : INFINITY;
    for (const double y : table.y)
      if (!(real ? std::isfinite(y) : y >= 0.0 && y < most && y == std::floor(y) && std::isfinite(y)))
        fault("train.y or test.y", fmt::format("the target {}", y),
              real          ? "a finite number"
              : classes > 0 ? fmt::format("a class from 0 to {}", classes - 1)
                            : "a count: 0, 1, 2, ...");
  }

  ByteView bytes_;
  std::shared_ptr<const void> keeper_;
  const std::string& file_;
  StoreHeader header_;
};

StoreReader open(const std::string& file) {
  const auto mapping = std::make_shared<const MappedFile>(file);
  return StoreReader(mapping->bytes(), mapping, file);
}

}  // namespace

Federation federation_of(ByteView bytes, std::shared_ptr<const void> keeper, TargetKind target,
                         const std::string& file) {
  return StoreReader(bytes, std::move(keeper), file).read(target);
}

Federation map_store(const std::string& file, TargetKind target) { return open(file).read(target); }

}  // namespace data

bool is_store(const DataSpec& spec) {
  return spec.sources.size() == 1 && (spec.format == data::kStoreFormat || spec.sources.front().ends_with(".pollen"));
}

StoreFacts store_facts(const std::string& file) { return data::open(file).facts(); }

void check_store(const std::string& file) { data::open(file).check(); }

}  // namespace pollen
