#include "hub.h"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <random>

#include "data/column_handshake.h"
#include "pollen/errors.h"
#include "wire/messages.h"

namespace pollen::attacks {

namespace {

constexpr const char* kNames[] = {"age", "weight", "dose", "income", "height"};
constexpr double kCentre[] = {54, 78, 250, 41000, 171}, kScale[] = {12, 14, 60, 15000, 9};

constexpr double kWeight = 1.0 / 3;  // of the site among all

double centre_of(Units units, Index column) { return units == Units::natural ? kCentre[column] : 0; }
double scale_of(Units units, Index column) { return units == Units::natural ? kScale[column] : 1; }

}  // namespace

Site::Site(Index rows, unsigned seed, Index columns, Units units) : units_(units), rows_(columns, rows) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::ofstream csv(file());
  for (Index j = 0; j < columns; ++j) csv << kNames[j] << ',';
  csv << "recovered\n";
  for (Index i = 0; i < rows; ++i) {
    double odds = 0.2;
    std::string line;
    for (Index j = 0; j < columns; ++j) {
      const double z = normal(random);
      rows_(j, i) = std::stod(fmt::format("{:.6g}", centre_of(units, j) + scale_of(units, j) * z));
      odds += (j % 2 == 0 ? 0.6 : -0.4) * z;
      line += fmt::format("{:.6g},", rows_(j, i));
    }
    const bool event = std::uniform_real_distribution<double>()(random) < 1 / (1 + std::exp(-odds));
    csv << line << (event ? "yes" : "no") << '\n';
  }
}

Index Site::recovered(const std::vector<Vector>& found) const {
  Index count = 0;
  for (Index i = 0; i < rows_.cols(); ++i) {
    const auto same = [&](const Vector& row) {
      if (row.size() != rows_.rows()) return false;
      for (Index j = 0; j < row.size(); ++j)
        if (!(std::abs(row(j) - rows_(j, i)) <= 1e-6 * scale_of(units_, j))) return false;
      return true;
    };
    if (std::ranges::any_of(found, same)) ++count;
  }
  return count;
}

Hub::Hub(const Site& site, Guards guards, const std::string& ledger) : guards_(guards) {
  ParticipantOptions options;
  options.name = "a";
  options.data = site.file();
  options.state = site.state();
  options.policy = guards == Guards::off ? open_policy() : Policy();
  options.policy.trust_server = guards != Guards::without_word;
  options.shared_seed = guards == Guards::off;
  options.new_run = guards == Guards::consenting;
  options.ledger = options.new_run ? site.ledger() : ledger;
  options.tell = [this](const Notice& notice) {
    if (notice.level == Notice::Level::warning || notice.event == "refused") why += notice.text + "\n";
  };
  client_ = std::make_unique<Participant>(options);
}

std::vector<Bytes> Hub::say(const Bytes& frame) {
  std::vector<Bytes> said;
  if (client_->ended()) return said;
  try {
    client_->handle(frame, [&](const Bytes& out) { said.push_back(out); });
  } catch (const std::exception& error) {  // what `pollen join` ends with
    why += error.what();
    said.clear();
  }
  if (client_->ended()) why += client_->ended()->why;
  return said;
}

bool Hub::set_up(const std::string& text, const std::string& run) {
  config_ = for_federation(read_config_text(text, "study.toml"), guards_ == Guards::off);
  if (const auto said = ask<wire::Columns>(wire::encode(wire::Welcome{0, 3, run, to_toml(config_)})))
    columns_ = said->facts;
  if (!columns_) return false;
  ColumnHandshake handshake(config_.data, target_of(config_), 1);
  if (!handshake.take(0, *columns_).empty()) return false;
  if (!handshake.agree({"a"}).empty()) return false;
  std::vector<Bytes> said = say(wire::encode(wire::Layout{*handshake.layout}));
  if (!said.empty() && wire::type_of(said.front()) == wire::Type::moments) {
    moments_ = wire::decode<wire::Moments>(said.front()).moments;
    if (!handshake.take(0, *moments_).empty() || !handshake.agree({"a"}).empty()) return false;
    scaling_ = *handshake.scaling;
    said = say(wire::encode(wire::Scaling{scaling_}));
  }
  if (said.empty() || wire::type_of(said.front()) != wire::Type::site) return false;
  dimension_ = wire::decode<wire::Site>(said.front()).facts.features;
  say(wire::encode(wire::Seat{kWeight}));
  return !client_->ended();
}

std::optional<Vector> Hub::question(Query::What what, const Vector& theta, Index columns, std::uint64_t step) {
  Panel at(dimension_, columns);
  for (Index c = 0; c < columns; ++c) std::copy_n(theta.data(), dimension_, at.column(c).begin());
  wire::Ask message{1, static_cast<std::uint8_t>(what), at, {}, dimension_, columns, step};
  const auto said = ask<wire::Answer>(wire::encode(message));
  if (!said) return std::nullopt;
  ++answered;
  return Vector(Vector::Map(said->values.column(0).data(), dimension_));
}

bool Hub::answers_points(Index points) {
  wire::Ask message{
      1, static_cast<std::uint8_t>(Query::What::gradient), Panel(dimension_, points), {}, dimension_, points, 0};
  return ask<wire::Answer>(wire::encode(message)).has_value();
}

std::optional<Vector> Hub::gradient(const Vector& theta) { return question(Query::What::gradient, theta, 1, 0); }

std::optional<Vector> Hub::warm_up_gradient(const Vector& theta, std::uint64_t step) {
  return question(Query::What::descent, theta, config_.run.chains, step);
}

std::optional<Vector> Hub::round(std::uint64_t number, const Vector& theta) {
  Broadcast broadcast;
  broadcast.round = number;
  broadcast.whole = broadcast.segment.starts = broadcast.segment.ends = true;
  broadcast.segment.first = number;
  broadcast.segment.steps = config_.sampler.name == "fa-ld" ? 1 : 0;
  broadcast.step.size = *config_.sampler.step;
  const auto bytes = static_cast<std::size_t>(dimension_) * sizeof(double);
  const auto* const place = reinterpret_cast<const std::uint8_t*>(theta.data());
  std::vector<std::uint32_t> chains;
  for (Index c = 0; c < config_.run.chains; ++c) {
    broadcast.offset.push_back(broadcast.payload.size());
    broadcast.payload.insert(broadcast.payload.end(), place, place + bytes);
    chains.push_back(static_cast<std::uint32_t>(c));
  }
  broadcast.offset.push_back(broadcast.payload.size());
  Bytes frame;
  wire::encode(broadcast, chains, frame);
  for (const Bytes& out : say(frame)) {
    if (wire::type_of(out) != wire::Type::reply) continue;
    Reply reply;
    wire::decode(out, reply);
    Vector answer(dimension_);
    if (bytes > 0) std::memcpy(answer.data(), reply.payload.data(), bytes);
    // A local step from θ has led to θ - (γ/w) g and noise, where w is the client's weight.
    if (config_.sampler.name == "fa-ld") answer = (theta - answer) * (kWeight / *config_.sampler.step);
    ++answered;
    return answer;
  }
  return std::nullopt;
}

Vector Hub::in_units_of_file(const Vector& scaled) const {
  Vector row = scaled.tail(scaled.size() - 1);
  for (Index j = 0; j < row.size() && !scaling_.mean.empty(); ++j) {
    const auto place = static_cast<std::size_t>(j);
    row(j) = scaling_.mean[place] + scaling_.sd[place] * row(j);
  }
  return row;
}

std::string study(const std::string& sampler, const std::string& data, const std::string& model) {
  return fmt::format(
      "seed = 5\n[model]\nkind = \"logistic\"\n{}\n[data]\ntarget = \"recovered\"\ntest_fraction = 0.0\n{}\n"
      "[federation]\nexpect = [\"a\", \"b\", \"c\"]\n[sampler]\n{}\n",
      model, data, sampler);
}

namespace {

class Thresholds {
 public:
  Thresholds(const std::function<std::optional<Vector>(const Vector&)>& gradient, Index dimension, double steep)
      : gradient_(gradient), steep_(steep), line_(Vector::Zero(dimension)) {
    // Any direction in which no two rows lie at the same place.
    for (Index j = 1; j < dimension; ++j) line_(j) = 1 / std::sqrt(static_cast<double>(j) + 0.37);
  }

  Found scan(int places) {
    constexpr double kFar = 6;
    std::optional<Vector> before;
    for (int n = 0; n < places; ++n) {
      const auto beyond = sum_beyond(-kFar + 2 * kFar * n / places);
      if (!beyond) break;
      if (before) found_.rows.emplace_back(*before - *beyond);
      before = beyond;
    }
    return found_;
  }

  Found find() {
    constexpr double kFar = 64;  // standard deviations
    const auto low = sum_beyond(-kFar), high = sum_beyond(kFar);
    if (low && high) split(-kFar, *low, kFar, *high);
    return found_;
  }

 private:
  // The gradient where all probabilities are 0 or 1: the sum of the rows that lie beyond `place` on the line, and the
  // same for all places less the sum of the rows with the event.
  std::optional<Vector> sum_beyond(double place) {
    Vector theta = steep_ * line_;
    theta(0) = -steep_ * place;
    auto sum = gradient_(theta);
    if (sum) ++found_.questions;
    return sum;
  }

  void split(double low, const Vector& beyond_low, double high, const Vector& beyond_high) {
    const Vector between = beyond_low - beyond_high;
    const double count = std::round(between(0));
    if (count < 1 || high - low < 1e-7) return;
    if (count < 2) {
      found_.rows.push_back(between);
      return;
    }
    const double middle = (low + high) / 2;
    const auto beyond = sum_beyond(middle);
    if (!beyond) return;
    split(low, beyond_low, middle, *beyond);
    split(middle, *beyond, high, beyond_high);
  }

  const std::function<std::optional<Vector>(const Vector&)>& gradient_;
  double steep_;
  Vector line_;
  Found found_;
};

// The rows' sums of gradients at all points, less what they should be, and their derivatives.
struct Residuals {
  Vector value;
  Matrix derivative;
};

Residuals residuals(const Matrix& points, const Matrix& gradients, const Matrix& rows, const Vector& events) {
  const Index d = points.rows(), n = rows.cols(), free = d - 1;
  Residuals out{Vector(gradients.size()), Matrix::Zero(gradients.size(), n * free + d)};
  for (Index m = 0; m < points.cols(); ++m) {
    const Vector p = (1 + (-(rows.transpose() * points.col(m)).array()).exp()).inverse();
    out.value.segment(m * d, d) = rows * p - events - gradients.col(m);
    for (Index i = 0; i < n; ++i) {
      auto block = out.derivative.block(m * d, i * free, d, free);
      block = p(i) * (1 - p(i)) * rows.col(i) * points.col(m).tail(free).transpose();
      block.bottomRows(free).diagonal().array() += p(i);
    }
    out.derivative.block(m * d, n * free, d, d) = -Matrix::Identity(d, d);
  }
  return out;
}

}  // namespace

Found by_thresholds(const std::function<std::optional<Vector>(const Vector&)>& gradient, Index dimension,
                    double steep) {
  return Thresholds(gradient, dimension, steep).find();
}

Found by_scan(const std::function<std::optional<Vector>(const Vector&)>& gradient, Index dimension, double steep,
              int places) {
  return Thresholds(gradient, dimension, steep).scan(places);
}

std::vector<Vector> by_least_squares(const Matrix& points, const Matrix& gradients, Index count, unsigned seed) {
  const Index d = points.rows(), free = d - 1;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Matrix rows = Matrix::NullaryExpr(d, count, [&] { return normal(random); });
  rows.row(0).setOnes();
  Vector events = Vector::Zero(d);
  Residuals at = residuals(points, gradients, rows, events);
  double damping = 1e-2;
  constexpr int kSteps = 200;
  for (int step = 0; step < kSteps && at.value.squaredNorm() > 1e-24 && damping < 1e12;) {
    const Matrix normal_matrix = at.derivative.transpose() * at.derivative;
    Matrix damped = normal_matrix;
    damped.diagonal() += damping * (normal_matrix.diagonal().array() + 1e-12).matrix();
    const Vector move = damped.ldlt().solve(-at.derivative.transpose() * at.value);
    Matrix moved = rows;
    for (Index i = 0; i < count; ++i) moved.col(i).tail(free) += move.segment(i * free, free);
    const Vector moved_events = events + move.tail(d);
    Residuals there = residuals(points, gradients, moved, moved_events);
    if (there.value.squaredNorm() < at.value.squaredNorm()) {
      rows = moved, events = moved_events, at = std::move(there);
      damping = std::max(damping / 3, 1e-14);
      ++step;
    } else {
      damping *= 4;
    }
  }
  std::vector<Vector> found;
  for (Index i = 0; i < count; ++i) found.emplace_back(rows.col(i));
  return found;
}

}  // namespace pollen::attacks
