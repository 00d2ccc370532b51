#include "wire/messages.h"

#include "codec.h"

namespace pollen::wire {

namespace {

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

void Acknowledged::archive(Archive& a) { a.field(counted); }
void CatchUp::archive(Archive& a) { a.list(view); }

void Ask::archive(Archive& a) {
  a.field(number);
  a.field(what);
  a.panel(at);
  a.panel(direction);
  a.field(rows);
  a.field(columns);
  a.field(step);
}

Ask Ask::of(const Query& query, ConstPanelView answer) {
  return {0,
          static_cast<std::uint8_t>(query.what),
          copy_of(query.at),
          copy_of(query.direction),
          answer.rows,
          answer.columns,
          query.step};
}

Query Ask::query(Index batch) const { return {static_cast<Query::What>(what), at, direction, step, batch}; }

void Answer::archive(Archive& a) {
  a.field(number);
  a.panel(values);
}

void Draws::archive(Archive& a) {
  a.field(chain);
  a.field(first);
  a.panel(positions);
}

void End::archive(Archive& a) {
  a.flag(complete);
  a.text(why);
}

}  // namespace pollen::wire
