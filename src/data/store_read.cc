// Makes a federation that refers to the bytes of a store in place.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "phrases.h"
#include "pollen/errors.h"
#include "store_layout.h"
#include "store_names.h"

namespace pollen::data {

namespace {

const char* words(TargetKind target) {
  switch (target) {
    case TargetKind::none:
      return "no target";
    case TargetKind::real:
      return "numbers as target";
    case TargetKind::binary:
      return "two classes";
    case TargetKind::classes:
      return "classes";
    case TargetKind::count:
      return "counts as target";
  }
  return "";
}

bool fits(TargetKind wanted, TargetKind held, std::size_t classes) {
  if (wanted == held || (wanted == TargetKind::real && held == TargetKind::count)) return true;
  return classes == 2 && (wanted == TargetKind::binary || wanted == TargetKind::classes) &&
         (held == TargetKind::binary || held == TargetKind::classes);
}

class StoreReader {
 public:
  StoreReader(ByteView bytes, std::shared_ptr<const void> keeper, const std::string& file)
      : bytes_(bytes),
        keeper_(std::move(keeper)),
        file_(file),
        header_(decode_header(bytes.first(std::min(bytes.size(), kStorePage)), bytes.size(), file)) {}

  Federation read(TargetKind target) {
    Federation f;
    f.intercept = header_.intercept;
    f.setup_bits = header_.setup_bits;
    f.level_bits = header_.level_bits;
    f.train = table("train", true);
    f.test = table("test", true);
    f.ood = table("ood", false);
    f.distill = table("distill", false);
    for (const Table* other : {&f.test, &f.ood, &f.distill})
      if (other->stride != 0 && (other->columns != f.train.columns || other->stride != f.train.stride))
        fault("train.x", "found other columns than in another section");
    f.train_begin = begins("train.begin", f.train.rows, 1);
    f.test_begin = begins("test.begin", f.test.rows, 0);
    if (f.train_begin.back() != f.train.rows) fault("train.begin", "found rows of no client");
    read_names(f);  // needs the number of clients, which is known by now
    if (std::ssize(f.feature_names) != f.train.columns) fault("names", "found names for another number of columns");
    check_classes(target, f.class_names);
    read_columns(f);
    for (const Table* table : {&f.train, &f.test}) check_targets(*table, f.class_names.size());
    return f;
  }

 private:
  [[noreturn]] void fault(const std::string& section, const std::string& what) const {
    throw ConfigError(fmt::format("{}: section {}", file_, section), what + ", accepted: a store that pollen wrote");
  }

  const Section* find(const std::string& name) const {
    const auto at = std::ranges::find(header_.sections, name, &Section::name);
    return at == header_.sections.end() ? nullptr : &*at;
  }
  // Returns the bytes of a section. They are verified unless the section holds many rows.
  ByteView content(const Section& s, bool rows = false) const {
    const ByteView part = bytes_.subspan(s.offset, s.bytes);
    if (!(rows && s.bytes > kCheckedAtOnce) && checksum(part) != s.crc)
      throw ConfigError(fmt::format("{}: section {}", file_, s.name), "the checksum is wrong: the file is damaged");
    return part;
  }
  const Section& needed(const std::string& name, Cells cells) const {
    const Section* s = find(name);
    if (s == nullptr) fault(name, "found none");
    if (s->cells != cells) fault(name, "found other cells");
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
      fault(x.name, fmt::format("found {} columns {} apart", x.columns, x.stride));
    out.x = numbers(x, true);
    const bool with_targets = always && header_.target != TargetKind::none;
    if (!with_targets) return out;
    const Section& y = needed(name + ".y", Cells::float64);
    if (y.rows != x.rows || y.stride != 1) fault(y.name, fmt::format("found {} targets for {} rows", y.rows, x.rows));
    out.y = numbers(y, false);
    return out;
  }

  // Reads where clients' rows begin. The values must start at 0, be at least `least` apart and not exceed `rows`.
  std::vector<Index> begins(const std::string& name, Index rows, Index least) const {
    const Section& s = needed(name, Cells::int64);
    if (s.stride != 1 || s.rows != header_.clients + 1)
      fault(name, fmt::format("found {} places for {} clients", s.rows, header_.clients));
    const ByteView part = content(s);
    std::vector<Index> begin(s.rows);
    std::memcpy(begin.data(), part.data(), part.size());
    if (begin.front() != 0) fault(name, "found rows of no client");
    for (std::size_t i = 0; i + 1 < begin.size(); ++i)
      if (begin[i + 1] < begin[i] || begin[i + 1] > rows || begin[i + 1] - begin[i] < least)
        fault(name, fmt::format("found client {}'s rows from {} to {} of {}", i + 1, begin[i], begin[i + 1], rows));
    return begin;
  }

  void read_names(Federation& f) const {
    const auto parse = [&](const std::string& name, auto&& fields) {
      try {
        Archive archive(content(needed(name, Cells::bytes)));
        fields(archive);
        archive.finish();
      } catch (const WireError& error) {
        fault(name, fmt::format("found {}", error.what()));
      }
    };
    parse("names", [&](Archive& archive) { archive_names(archive, f); });
    if (find("client.names") == nullptr) {
      f.client_names = ClientNames(header_.clients);
    } else {
      std::vector<std::string> names;
      parse("client.names", [&](Archive& archive) { archive.texts(names); });
      f.client_names = std::move(names);
    }
    if (f.client_names.size() != header_.clients)
      fault("client.names", fmt::format("found {} names of {} clients", f.client_names.size(), header_.clients));
  }

  void read_columns(Federation& f) const {
    const Section& s = needed("columns", Cells::float64);
    const auto p = static_cast<std::size_t>(f.train.columns) - (f.intercept ? 1 : 0);
    if (s.rows == 0) return;
    if (s.rows != p || s.stride != 2) fault(s.name, fmt::format("found {} columns, not {}", s.rows, p));
    const Numbers pairs = numbers(s, false);
    for (std::size_t j = 0; j < p; ++j) {
      f.scaling.mean.push_back(pairs[2 * j]);
      f.scaling.sd.push_back(pairs[2 * j + 1]);
    }
  }

  void check_classes(TargetKind target, const std::vector<std::string>& classes) const {
    const bool classified = header_.target == TargetKind::binary || header_.target == TargetKind::classes;
    const bool right = !classified                            ? classes.empty()
                       : header_.target == TargetKind::binary ? classes.size() == 2
                                                              : classes.size() >= 2;
    if (!right) fault("names", fmt::format("found {} classes", classes.size()));
    if (!fits(target, header_.target, classes.size()))
      throw ConfigError(
          file_, fmt::format("found rows with {}{}, accepted: {}, which the model wants (convert the data again with "
                             "this model's kind)",
                             words(header_.target), classified ? fmt::format(" ({})", listed(classes, 10)) : "",
                             words(target)));
  }

  void check_targets(const Table& table, std::size_t classes) const {
    const bool real = header_.target == TargetKind::real;
    const double most = classes > 0 ? static_cast<double>(classes) : INFINITY;
    for (const double y : table.y)
      if (!(real ? std::isfinite(y) : y >= 0.0 && y < most && y == std::floor(y) && std::isfinite(y)))
        fault("train.y or test.y", fmt::format("found the target {}", y));
  }

  ByteView bytes_;
  std::shared_ptr<const void> keeper_;
  const std::string& file_;
  StoreHeader header_;
};

}  // namespace

Federation federation_of(ByteView bytes, std::shared_ptr<const void> keeper, TargetKind target,
                         const std::string& file) {
  return StoreReader(bytes, std::move(keeper), file).read(target);
}

}  // namespace pollen::data
