// A dishonest hub: it speaks pollen's wire format to one site, as a server with a valid certificate would, sends what
// it likes and counts the rows that it recovers. The site is a Participant with a file of its own, a policy with every
// default, and its word that the hub is trusted (--trust-server), without which it does not answer at all.
#pragma once

#include <Eigen/Dense>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/files.h"
#include "federation/federation.h"
#include "wire/messages.h"

namespace pollen::attacks {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

// A file of patients in natural units: age in years, weight in kilograms, a dose in milligrams, an income in dollars.
// With Units::scaled the columns are near 1, as somebody writes them for a study that may not look at them to scale
// them.
enum class Units { natural, scaled };
class Site {
 public:
  Site(Index rows, unsigned seed, Index columns = 4, Units units = Units::natural);  // columns besides the label
  std::string file() const { return folder_.path("patients.csv"); }
  std::string state() const { return folder_.path("state"); }
  std::string ledger() const { return folder_.path("ledger"); }
  const Matrix& rows() const { return rows_; }  // one column per row of the file, without the label
  // How many different rows of the file are among the columns of `found`, to a millionth of each column's scale.
  Index recovered(const std::vector<Vector>& found) const;

 private:
  testing::Folder folder_;
  Units units_;
  Matrix rows_;
};

// Whether the site has its policy and its pins. Without them (--shared-seed) an attack that they stop must succeed,
// which shows that it is one. `without_word`: the site does not say that it trusts the hub.
// `consenting`: the site has a ledger, and consents to a further run of its data whenever it is asked (--new-run).
enum class Guards { on, off, without_word, consenting };

class Hub {
 public:
  // Each Hub is a new process of the client with the state that earlier ones left.
  explicit Hub(const Site& site, Guards guards = Guards::on, const std::string& ledger = {});

  // The honest set-up of a study under the name of a run. Returns whether the client describes its site, after which it
  // answers questions and rounds.
  bool set_up(const std::string& config, const std::string& run = "run");
  const std::optional<ColumnFacts>& columns() const { return columns_; }    // what the client said of its file
  const std::optional<ColumnMoments>& moments() const { return moments_; }  // and the sums of its encoded columns

  // The gradient of the client's potential at θ, in the units of the scaled columns, in set-up.
  std::optional<Vector> gradient(const Vector& theta);
  bool answers_points(Index points);  // whether it answers a question for gradients at so many points
  // The gradient of a step of the warm-up.
  std::optional<Vector> warm_up_gradient(const Vector& theta, std::uint64_t step);
  // The gradient at θ from the client's answer to a round, with the noise of one local step where the study takes local
  // steps; nothing if it refuses.
  std::optional<Vector> round(std::uint64_t number, const Vector& theta);
  // A row in the units of the file, from the scaled one that begins with the intercept.
  Vector in_units_of_file(const Vector& scaled) const;
  Index dimension() const { return dimension_; }
  const Config& config() const { return config_; }

  int answered = 0;  // questions and rounds
  std::string why;   // why the client refused, as it says itself

  // Sends a frame. Returns what comes back: all of it, or the first message of this type.
  std::vector<Bytes> say(const Bytes& frame);
  template <class Message>
  std::optional<Message> ask(const Bytes& frame);
  bool over() const { return client_->ended().has_value(); }
  const ColumnScaling& scaling() const { return scaling_; }

 private:
  std::optional<Vector> question(Query::What what, const Vector& theta, Index columns, std::uint64_t step);

  Guards guards_;
  std::unique_ptr<Participant> client_;
  Config config_;
  std::optional<ColumnFacts> columns_;
  std::optional<ColumnMoments> moments_;
  ColumnScaling scaling_;
  Index dimension_ = 0;
};

template <class Message>
std::optional<Message> Hub::ask(const Bytes& frame) {
  for (const Bytes& out : say(frame))
    if (wire::type_of(out) == Message::kType) return wire::decode<Message>(out);
  return std::nullopt;
}

// A study of all columns by logistic regression. `sampler` is the [sampler] section and what follows; `data` and
// `model` are added to their sections.
std::string study(const std::string& sampler, const std::string& data = "", const std::string& model = "");

// What an attack has found.
struct Found {
  std::vector<Vector> rows;
  int questions = 0;
};

// Finds rows by thresholds: along a line, gradients of a logistic sum at points far away jump by a row wherever the
// point passes it. `gradient` may stop to answer. `steep` is how far away.
Found by_thresholds(const std::function<std::optional<Vector>(const Vector&)>& gradient, Index dimension,
                    double steep = 1e9);

// The same where answers have noise, by which bisection is lost: differences at so many places in a row.
Found by_scan(const std::function<std::optional<Vector>(const Vector&)>& gradient, Index dimension, double steep,
              int places);

// Fits `rows` rows to gradients at given points by least squares (Levenberg and Marquardt), from a random start.
std::vector<Vector> by_least_squares(const Matrix& points, const Matrix& gradients, Index rows, unsigned seed);

}  // namespace pollen::attacks
