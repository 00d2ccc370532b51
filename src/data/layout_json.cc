// Writes and reads DIR/encoder.json. The file may come from anywhere, so every field is checked before it is used.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "data/phrases.h"
#include "data/registries.h"
#include "data/row_layout.h"
#include "encode.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

using Json = nlohmann::ordered_json;

// Version 2 has the levels in the order in which they are encoded, and says which columns are left out. In version 1,
// which can still be read, levels are sorted and nothing is left out.
constexpr int kVersion = 2, kOldest = 1;
constexpr const char* kWhat = "how rows of this run are encoded";
constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 28;
constexpr Index kMostNumbers = Index{1} << 21;  // limit of the numbers per row
constexpr std::array kColumnKinds = {"number", "text"};
constexpr std::array kKinds = {"none", "real", "binary", "classes", "count"};  // in the order of TargetKind

// Writes a text as JSON. JSON strings must be UTF-8, but the bytes of a csv file need not be; other texts become
// {"hex": "6dfc6c6c"}.
Json word(const std::string& text) {
  try {
    Json json = text;
    (void)json.dump();  // throws if the text is not UTF-8
    return json;
  } catch (const Json::exception&) {
    std::string hex;
    for (const char c : text) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return {{"hex", hex}};
  }
}

Json words(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(word(text));
  return list;
}

Json column_json(const LayoutColumn& column) {
  Json json = {{"name", word(column.name)}, {"kind", column.levels.empty() ? "number" : "text"}};
  if (!column.levels.empty()) json["levels"] = words(column.levels);
  if (column.constant) json["constant"] = true;
  return json;
}

class LayoutReader {
 public:
  LayoutReader(const Json& json, const std::string& file) : json_(json), file_(file) {}

  RowLayout read() {
    if (!json_.is_object()) fault("", shown(json_), "an object");
    read_version();
    RowLayout layout;
    std::vector<const char*> formats = {""};
    for (const DataFormat& format : data_formats())
      if (format.read != nullptr) formats.push_back(format.name.c_str());
    layout.format = formats[one_of(json_, "format", formats)];
    layout.header = flag(json_, "header");
    layout.intercept = flag(json_, "intercept");
    read_columns(layout);
    read_dropped(layout);
    read_target(layout);
    const auto numbers = static_cast<std::size_t>(layout.encoded());
    layout.mean = list_of_numbers("mean", numbers);
    layout.sd = list_of_numbers("sd", numbers);
    layout.fill = list_of_numbers("fill", numbers);
    if (layout.mean.size() != layout.sd.size())
      fault("sd", fmt::format("{} numbers", layout.sd.size()),
            fmt::format("{}, as many as of mean", layout.mean.size()));
    for (const double sd : layout.sd)
      if (!(sd > 0)) fault("sd", fmt::format("{}", sd), "numbers above 0");
    return layout;
  }

 private:
  [[noreturn]] void fault(const std::string& key, const std::string& found, const std::string& accepted) const {
    throw ConfigError(key.empty() ? file_ : fmt::format("{}: {}", file_, key),
                      fmt::format("found {}, accepted: {}, as in the encoder.json of a run", found, accepted));
  }
  static std::string shown(const Json& value) { return data::in_quotes(value.dump(-1, ' ', true)); }

  const Json& field(const Json& from, const std::string& key) const {
    if (!from.is_object() || !from.contains(key)) fault(key, "none", "a value under this key");
    return from[key];
  }

  void read_version() const {
    const Json& version = field(json_, "version");
    if (!version.is_number_integer() || version < kOldest || version > kVersion)
      throw ConfigError(file_ + ": version",
                        fmt::format("found {}, accepted: {} to {} (a newer pollen may have written it)", shown(version),
                                    kOldest, kVersion));
  }

  bool flag(const Json& from, const std::string& key) const {
    const Json& value = field(from, key);
    if (!value.is_boolean()) fault(key, shown(value), "true or false");
    return value.get<bool>();
  }

  std::string text(const Json& value, const std::string& key) const {
    if (value.is_string()) return value.get<std::string>();
    if (!value.is_object() || value.size() != 1 || !value.contains("hex") || !value["hex"].is_string())
      fault(key, shown(value), "text, or {\"hex\": ...} for bytes that are not UTF-8");
    const std::string hex = value["hex"].get<std::string>();
    std::string out;
    const auto digit = [&](char c) {
      const std::size_t at = std::string_view("0123456789abcdef").find(c);
      if (at == std::string_view::npos) fault(key, data::in_quotes(hex), "hexadecimal digits 0 to 9 and a to f");
      return static_cast<unsigned>(at);
    };
    if (hex.size() % 2 != 0) fault(key, fmt::format("{} hexadecimal digits", hex.size()), "an even number");
    for (std::size_t i = 0; i < hex.size(); i += 2) out += static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1]));
    return out;
  }

  // Returns the index in `names` of the text under `key`.
  std::size_t one_of(const Json& from, const std::string& key, std::span<const char* const> names) const {
    const std::string found = text(field(from, key), key);
    for (std::size_t i = 0; i < names.size(); ++i)
      if (found == names[i]) return i;
    fault(key, data::in_quotes(found), fmt::format("one of \"{}\"", fmt::join(names, "\", \"")));
  }

  const Json& list(const Json& from, const std::string& key) const {
    const Json& value = field(from, key);
    if (!value.is_array()) fault(key, shown(value), "a list");
    return value;
  }

  // Reads a list of texts, which must be distinct.
  std::vector<std::string> list_of_texts(const Json& from, const std::string& key, const std::string& place) const {
    std::vector<std::string> out;
    for (const Json& value : list(from, key)) out.push_back(text(value, place));
    if (std::set<std::string>(out.begin(), out.end()).size() != out.size())
      fault(place, "a name twice", "different names");
    return out;
  }

  std::vector<double> list_of_numbers(const std::string& key, std::size_t count) const {
    std::vector<double> out;
    for (const Json& value : list(json_, key)) {
      if (!value.is_number() || !std::isfinite(value.get<double>())) fault(key, shown(value), "finite numbers");
      out.push_back(value.get<double>());
    }
    if (!out.empty() && out.size() != count)
      fault(key, fmt::format("{} numbers", out.size()), fmt::format("none, or {}, one per encoded number", count));
    return out;
  }

  void read_columns(RowLayout& layout) const {
    std::set<std::string> seen;
    for (const Json& json : list(json_, "columns")) {
      LayoutColumn column{text(field(json, "name"), "columns")};
      const bool is_text = one_of(json, "kind", kColumnKinds) == 1;
      if (is_text) column.levels = list_of_texts(json, "levels", "levels of " + data::in_quotes(column.name));
      if (is_text && column.levels.empty())
        fault("levels of " + data::in_quotes(column.name), "none", "at least one level");
      column.constant = json.contains("constant") && flag(json, "constant");
      if (!seen.insert(column.name).second)
        fault("columns", data::in_quotes(column.name) + " twice", "different names");
      layout.columns.push_back(std::move(column));
    }
    const Json& width = field(json_, "width");
    if (!width.is_number_integer() || width < 0 || width > kMostNumbers)
      fault("width", shown(width), fmt::format("a whole number from 0 to {}", kMostNumbers));
    layout.width = width.get<Index>();
    layout.prefix = text(field(json_, "prefix"), "prefix");
    if (layout.width > 0 && !layout.columns.empty())
      fault("width", fmt::format("{} beside {} columns", layout.width, layout.columns.size()), "0, or no columns");
    if (layout.encoded() > kMostNumbers)
      fault("columns", fmt::format("rows of {} numbers", layout.encoded()), fmt::format("at most {}", kMostNumbers));
  }

  // Places must be rising, and below the count of numbers that a row has before any of them is left out.
  void read_dropped(RowLayout& layout) const {
    const Index count = layout.encoded();
    if (json_.contains("dropped"))
      for (const Json& place : list(json_, "dropped")) {
        const Index least = layout.dropped.empty() ? 0 : layout.dropped.back() + 1;
        if (!place.is_number_integer() || place < least || place >= count)
          fault("dropped", shown(place), fmt::format("rising whole numbers from {} to {}", least, count - 1));
        layout.dropped.push_back(place.get<std::int64_t>());
      }
    if (layout.features() < 1) fault("columns", "rows of 0 numbers", "at least one column, or an intercept");
  }

  void read_target(RowLayout& layout) const {
    const Json& target = field(json_, "target");
    layout.kind = static_cast<TargetKind>(one_of(target, "kind", kKinds));
    layout.target = text(field(target, "name"), "target");
    layout.labels = list_of_texts(target, "labels", "labels");
    layout.positive = list_of_texts(target, "positive", "positive");
    for (const Json& name : list(target, "classes")) layout.classes.push_back(text(name, "classes"));
    if (std::ranges::any_of(layout.columns, [&](const LayoutColumn& c) { return c.name == layout.target; }))
      fault("target", data::in_quotes(layout.target) + " among the columns", "another column");
    for (const std::string& label : layout.positive)
      if (std::ranges::count(layout.labels, label) == 0)
        fault("positive", data::in_quotes(label), "labels of the target");
    const std::size_t classes = layout.classes.size();
    const bool merged = !layout.positive.empty();
    bool right = classes == 0 && layout.labels.empty() && !merged;
    if (layout.classifies())
      right =
          merged
              ? layout.kind == TargetKind::binary && classes == 2 && layout.labels.size() > layout.positive.size()
              : classes >= 2 && layout.labels.size() == classes && (layout.kind == TargetKind::classes || classes == 2);
    if (!right)
      fault("classes",
            fmt::format("{} classes of {} labels, {} of them positive", classes, layout.labels.size(),
                        layout.positive.size()),
            "a class per label, two classes where labels are positive, and none for a target without classes");
  }

  const Json& json_;
  const std::string& file_;
};

}  // namespace

std::string to_json(const RowLayout& layout) {
  Json columns = Json::array();
  for (const LayoutColumn& column : layout.columns) columns.push_back(column_json(column));
  const Json json = {{"version", kVersion},
                     {"what", kWhat},
                     {"format", layout.format},
                     {"header", layout.header},
                     {"intercept", layout.intercept},
                     {"target",
                      {{"name", word(layout.target)},
                       {"kind", kKinds[static_cast<std::size_t>(layout.kind)]},
                       {"labels", words(layout.labels)},
                       {"positive", words(layout.positive)},
                       {"classes", words(layout.classes)}}},
                     {"columns", std::move(columns)},
                     {"width", layout.width},
                     {"prefix", word(layout.prefix)},
                     {"dropped", layout.dropped},
                     {"mean", layout.mean},
                     {"sd", layout.sd},
                     {"fill", layout.fill}};
  return json.dump(1) + '\n';
}

RowLayout parse_layout(std::string_view text, const std::string& file) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw ConfigError(file, "found text that is not JSON, accepted: the encoder.json of a run");
  return LayoutReader(json, file).read();
}

RowLayout read_layout(const std::string& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error || size > kMostBytes)
    throw ConfigError(file, error ? "cannot be read: " + error.message()
                                  : fmt::format("found {} bytes, accepted: at most {}", size, kMostBytes));
  return parse_layout(read_text(file), file);
}

}  // namespace pollen
