#include "own_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/column_handshake.h"
#include "data/file_digests.h"
#include "personal/baselines.h"
#include "pollen/errors.h"
#include "wire/messages.h"

namespace pollen {

namespace {

// Collects one Message per client, from all ranks, in client order at rank 0.
template <class Message>
std::vector<Message> gather_each(Ranks& ranks, std::vector<Message> mine) {
  Archive out;
  for (Message& message : mine) message.archive(out);
  const std::vector<Bytes> frames = gather(ranks, out.take());
  std::vector<Message> all;
  for (const Bytes& frame : frames)
    for (Archive in(frame); in.left() > 0;) all.emplace_back().archive(in);
  return all;
}

template <class Message>
Message share_one(Ranks& ranks, Message of_rank_zero) {
  Archive out;
  of_rank_zero.archive(out);
  const Bytes frame = share(ranks, out.take());
  Archive in(frame);
  Message message;
  message.archive(in);
  return message;
}

std::vector<double> numbers_of(const Numbers& all) { return {all.begin(), all.end()}; }

void append(std::span<const double> more, Numbers& to) {
  const std::size_t size = to.size();
  to.resize(size + more.size());
  std::ranges::copy(more, to.begin() + size);
}

// What rank 0 is told about a client once the client's rows are read.
struct Rows {
  std::int64_t train = 0, test = 0;
  std::vector<double> x, y;  // test rows, padded to the stride
  std::vector<std::string> notes;
  std::int64_t bytes = 0;  // the file's digest
  std::uint32_t crc = 0;
  void archive(Archive& a) {
    a.field(train);
    a.field(test);
    a.field(bytes);
    a.field(crc);
    a.list(x);
    a.list(y);
    a.texts(notes);
  }
};

// What all ranks are told about the whole data set.
struct Whole {
  std::vector<std::int64_t> train_begin, test_begin;
  std::vector<std::string> notes;
  std::int64_t setup_bits = 0, level_bits = 0;
  void archive(Archive& a) {
    a.list(train_begin);
    a.list(test_begin);
    a.texts(notes);
    a.field(setup_bits);
    a.field(level_bits);
  }
};

class OwnFiles {
 public:
  OwnFiles(const Config& config, TargetKind target, Ranks& ranks)
      : spec_(config.data),
        target_(target),
        seed_(config.seed),
        ranks_(ranks),
        own_(client_range(ranks.rank(), ranks.size(), std::ssize(spec_.sources), 0)),
        handshake_(spec_, target, spec_.sources.size()) {}

  Federation load() {
    agree_on_columns();
    for (Index i = own_.first; i < own_.last; ++i)
      parts_.push_back(load_part(file(i), spec_, *handshake_.layout, target_, static_cast<std::uint32_t>(i), seed_));
    if (pools_columns(spec_, target_)) agree_on_scaling();
    return put_together();
  }

 private:
  const std::string& file(Index client) const { return spec_.sources[static_cast<std::size_t>(client)]; }
  bool first() const { return ranks_.rank() == 0; }

  void agree_on_columns() {
    std::vector<wire::Columns> mine;
    for (Index i = own_.first; i < own_.last; ++i)
      mine.push_back({column_facts(file(i), spec_, target_, static_cast<std::uint32_t>(i), seed_)});
    handshake_.layout = agree<wire::Layout>(std::move(mine), handshake_.layout).facts;
    if (first()) bits_ = level_bits_ = handshake_.level_bits();
  }

  void agree_on_scaling() {
    std::vector<wire::Moments> mine;
    for (const Federation& part : parts_) mine.push_back({moments_of(part, 0, spec_.target_moments)});
    scaling_ = agree<wire::Scaling>(std::move(mine), handshake_.scaling).scaling;
    if (first()) {
      const Federation& part = parts_.front();
      const Index columns = part.train.columns - (part.intercept ? 1 : 0);
      bits_ += pooling_bits(std::ssize(spec_.sources), static_cast<std::size_t>(columns), scaling_);
    }
    for (Federation& part : parts_) standardize(scaling_, part);
  }

  // Rank 0 hears what all clients say, and tells all ranks what follows from it, which the handshake leaves in
  // `agreed`.
  template <class Answer, class Message, class Agreed>
  Answer agree(std::vector<Message> mine, const std::optional<Agreed>& agreed) {
    std::vector<Message> all = gather_each(ranks_, std::move(mine));
    Answer answer;
    if (first()) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        auto& [said] = all[i];
        refuse({{i, handshake_.take(i, std::move(said))}});
      }
      refuse(handshake_.agree(spec_.sources));
      answer = {*agreed};
    }
    return share_one(ranks_, std::move(answer));
  }

  // Throws ConfigError if a client's file cannot be taken with the others.
  void refuse(const std::map<std::size_t, std::string>& clients) const {
    Problems problems;
    for (const auto& [client, why] : clients)
      if (!why.empty()) problems.add(fmt::format("client {}", spec_.sources[client]), why);
    problems.raise();
  }

  // Joins the clients' parts. Rank 0 always has clients.
  Federation put_together() {
    std::vector<Rows> mine;
    for (const Federation& part : parts_) {
      const FileDigest digest = digest_of(file(own_.first + std::ssize(mine)));
      mine.push_back({part.train.rows, part.test.rows, numbers_of(part.test.x), numbers_of(part.test.y), part.notes,
                      digest.bytes, digest.crc});
    }
    const std::vector<Rows> all = gather_each(ranks_, std::move(mine));
    Federation data;
    Whole whole;
    if (first()) {
      whole = describe(all);
      data = std::move(parts_.front());
      data.test = gather_test(all, data.test);
      for (const Rows& rows : all) data.files.push_back({file(std::ssize(data.files)), rows.bytes, rows.crc});
      parts_.erase(parts_.begin());
    }
    whole = share_one(ranks_, std::move(whole));
    take(whole, data);
    for (const Federation& part : parts_) {
      append(part.train.x, data.train.x);
      append(part.train.y, data.train.y);
      data.train.rows += part.train.rows;
    }
    return data;
  }

  Whole describe(const std::vector<Rows>& all) const {
    Whole whole{{0}, {0}, {}, bits_, level_bits_};
    for (const Rows& rows : all) {
      whole.train_begin.push_back(whole.train_begin.back() + rows.train);
      whole.test_begin.push_back(whole.test_begin.back() + rows.test);
      whole.notes.insert(whole.notes.end(), rows.notes.begin(), rows.notes.end());
    }
    const std::vector<std::string> constants = handshake_.notes(names_of_files(spec_.sources));
    whole.notes.insert(whole.notes.end(), constants.begin(), constants.end());
    return whole;
  }

  static Table gather_test(const std::vector<Rows>& all, const Table& like) {
    Table test{0, like.columns, like.stride, {}, {}};
    for (const Rows& rows : all) {
      test.rows += rows.test;
      append(rows.x, test.x);
      append(rows.y, test.y);
    }
    return test;
  }

  void take(const Whole& whole, Federation& data) const {
    const RowLayout rows = layout_of(*handshake_.layout, scaling_, spec_, target_);
    data.train_begin.assign(whole.train_begin.begin(), whole.train_begin.end());
    data.test_begin.assign(whole.test_begin.begin(), whole.test_begin.end());
    data.feature_names = rows.feature_names();
    data.class_names = rows.classes;
    data.notes = whole.notes;
    data.intercept = rows.intercept;
    data.setup_bits = whole.setup_bits;
    data.level_bits = whole.level_bits;
    data.train.columns = rows.features();
    data.train.stride = padded(rows.features());
    data.client_names = names_of_files(spec_.sources);
    data.scaling = scaling_;
  }

  const DataSpec& spec_;
  TargetKind target_;
  std::uint64_t seed_;
  Ranks& ranks_;
  ClientRange own_;
  ColumnHandshake handshake_;      // rank 0 hears all clients; the other ranks are told the layout
  std::vector<Federation> parts_;  // one per client of this rank
  ColumnScaling scaling_;          // agreed by all clients
  std::int64_t bits_ = 0, level_bits_ = 0;
};

}  // namespace

bool reads_own_files(const Config& config) {
  const DataSpec& spec = config.data;
  return spec.partition == "given" && spec.sources.size() > 1 && spec.missing != "mean" && spec.positive.empty() &&
         spec.test_source.empty() && spec.ood_source.empty() && spec.distill_source.empty() && !is_mixed(config) &&
         std::ranges::all_of(spec.sources, [&](const std::string& source) { return is_csv(spec, source); });
}

Federation load_own_files(const Config& config, TargetKind target, Ranks& ranks) {
  return OwnFiles(config, target, ranks).load();
}

Index kept_numbers(const Config& config, Index dimension) {
  const PersonalBaseline* baseline = find_baseline(config.sampler.name);
  return reads_own_files(config) ? 0 : dimension * config.run.chains * (baseline ? baseline->per_coordinate : 1);
}

}  // namespace pollen
