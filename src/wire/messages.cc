#include "wire/messages.h"

#include "codec.h"

namespace pollen::wire {

namespace {

// A panel as rows, columns and its numbers without padding.
void panel(Archive& a, Panel& values) {
  std::uint64_t rows = static_cast<std::uint64_t>(values.rows()),
                columns = static_cast<std::uint64_t>(values.columns());
  a.field(rows);
  a.field(columns);
  if (!a.reading()) {
    for (Index c = 0; c < values.columns(); ++c) a.numbers(values.column(c));
    return;
  }
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  if (rows > kMost || columns > kMost || (rows > 0 && columns > a.left() / sizeof(double) / rows))
    throw WireError("message: a panel larger than the frame");
  if (rows == 0) columns = 0;
  values = Panel(static_cast<Index>(rows), static_cast<Index>(columns));
  for (Index c = 0; c < values.columns(); ++c) a.numbers(values.column(c));
}

void index(Archive& a, Index& value) {
  std::int64_t wide = value;
  a.field(wide);
  if (wide < 0) throw WireError("message: a negative count");
  value = static_cast<Index>(wide);
}

void facts(Archive& a, ColumnFacts& f) {
  a.texts(f.columns);
  a.text(f.target);
  index(a, f.width);
  std::vector<std::string> names;
  for (const auto& [name, levels] : f.levels) names.push_back(name);
  a.texts(names);
  if (a.reading()) f.levels.clear();
  for (const std::string& name : names) a.texts(f.levels[name]);
}

}  // namespace

void seal(Type type, const Bytes& body, Bytes& out) {
  Writer writer(out, type);
  writer.put_bytes(body.data(), body.size());
  writer.finish();
}

ByteView open(ByteView frame, Type type) {
  Reader reader(frame, type);
  return frame.subspan(kFrameHeader);
}

void Hello::archive(Archive& a) {
  a.field(protocol);
  a.text(version);
  a.text(name);
  a.field(instance);
  a.field(part);
  a.text(config);
  a.text(run);
  a.flag(ready);
  a.flag(shared_seed);
}

void Welcome::archive(Archive& a) {
  a.field(index);
  a.field(clients);
  a.text(run);
  a.text(config);
}

void Refusal::archive(Archive& a) {
  a.text(why);
  a.flag(again);
}

void Columns::archive(Archive& a) { wire::facts(a, facts); }
void Layout::archive(Archive& a) { wire::facts(a, facts); }

void Moments::archive(Archive& a) {
  a.field(moments.count);
  a.list(moments.sum);
  a.list(moments.squares);
}

void Scaling::archive(Archive& a) {
  a.list(scaling.mean);
  a.list(scaling.sd);
}

void Site::archive(Archive& a) {
  index(a, facts.features);
  index(a, facts.classes);
  a.texts(facts.feature_names);
  a.texts(facts.class_names);
  index(a, facts.rows);
  a.flag(facts.curvature_is_bound);
}

void Seat::archive(Archive& a) { a.field(weight); }

void Settings::archive(Archive& a) {
  a.field(step);
  a.field(smoothness);
  a.field(convexity);
}

void Acknowledged::archive(Archive& a) { a.field(counted); }
void CatchUp::archive(Archive& a) { a.list(view); }

void Ask::archive(Archive& a) {
  a.field(number);
  a.field(what);
  panel(a, at);
  panel(a, direction);
  a.field(rows);
  a.field(columns);
  a.field(step);
}

void Answer::archive(Archive& a) {
  a.field(number);
  panel(a, values);
}

void Draws::archive(Archive& a) {
  a.field(chain);
  a.field(first);
  panel(a, positions);
}

void End::archive(Archive& a) {
  a.flag(complete);
  a.text(why);
}

}  // namespace pollen::wire
