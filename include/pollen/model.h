// Models: what a client's data say about the parameters. U_i(θ) = Σ_j U_ij(θ) is a client's negative log-likelihood,
// U_0 the prior's (without constants that do not depend on θ). Models know nothing of rounds, clients' ids or
// transports.
//
// Parameters θ of each kind (p = feature columns, intercept included):
//   gaussian  d           U_i = ½(θ-μ)ᵀΛ(θ-μ), or Σ_j ½‖θ-y_j‖²
//   linear    p or p+1    y ~ N(xᵀβ, σ²); σ given, or θ = (β, log σ)
//   logistic  p           y ∈ {0,1}, P(1) = 1/(1+exp(-xᵀθ))
//   softmax   p·C         θ = class 0's p coefficients, then class 1's, ...; P(c) ∝ exp(xᵀθ_c)
//   poisson   p           y ~ Poisson(exp(xᵀθ)); log y! is left out of U
//   network   its tensors, float32 inside
//
//   const auto u = make_potential({.kind = ModelKind::logistic, .features = p}, {x, y});
//   u->gradient(theta, out, scratch);                     // one column per chain
//
// A model of your own is a class derived from Potential (examples/library/model.cc).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pollen/random.h"
#include "pollen/types.h"

namespace pollen {

class Network;
class NetworkRows;

enum class ModelKind { gaussian, linear, logistic, softmax, poisson, network };

// How images are varied for gradient descent: mirrored from left to right every other time; moved by up to four pixels
// each way, with zeros at the edges.
struct Augmentation {
  bool flip = false, crop = false;
};

// A network and how a row's numbers become its inputs: (x - mean)/sd by channel.
struct NetworkModel {
  std::shared_ptr<const Network> network;
  std::vector<double> mean = {0.0}, sd = {1.0};  // one for all channels, or one a channel
  Augmentation augment = {};

  std::unique_ptr<NetworkRows> hold(const RowsView& x, const double* y) const;  // y may be null
};

struct ModelSpec {
  ModelKind kind = ModelKind::logistic;
  Index features = 0;                      // p (gaussian: the dimension)
  Index classes = 2;                       // softmax: C
  std::optional<double> noise_sd;          // linear: σ; empty = sampled as log σ, the last coordinate
  std::vector<std::string> feature_names;  // p names, "intercept" among them
  std::vector<std::string> class_names;    // logistic: 2, softmax: C
  NetworkModel network = {};               // kind network
  bool custom = false;                     // the potentials are a program's own: nothing is known of their shape

  Index dimension() const;
  // U is a quadratic form, so that its curvature is the same everywhere.
  bool quadratic() const {
    return !custom && (kind == ModelKind::gaussian || (kind == ModelKind::linear && noise_sd.has_value()));
  }
  bool classifies() const;
  bool interchangeable() const;             // a network with hidden units, whose places do not matter
  std::vector<std::string> labels() const;  // a readable name for each coordinate: "age", "virginica: age", "log_sigma"
};

// The rows a potential is made of: views into a table that outlives it.
struct Observations {
  RowsView x;
  const double* y = nullptr;  // x.rows targets: numbers, counts, or class indices
};

// One client's negative log-likelihood. Immutable after construction; const calls are thread-safe with a Scratch each.
// A model of your own needs dimension(), value() and gradient(): it then counts as one row, and curvature is found by
// differences of gradients. With rows() and gradient_rows() samplers with minibatches can use it too.
class Potential {
 public:
  virtual ~Potential() = default;
  virtual Index dimension() const = 0;
  virtual Index rows() const { return 1; }  // N_i

  // out[c] = U_i(θ_c) for every column c.
  virtual void value(const ConstPanelView& theta, std::span<double> out, Scratch& scratch) const = 0;
  // out(:, c) = ∇U_i(θ_c), overwriting.
  virtual void gradient(const ConstPanelView& theta, const PanelView& out, Scratch& scratch) const = 0;
  // out(:, c) = ∇U_i(θ_c) - known, overwriting, with the bits of a gradient and a subtraction, which is the default.
  virtual void gradient_less(const ConstPanelView& theta, std::span<const double> known, const PanelView& out,
                             Scratch& scratch) const;
  // out = Σ_{j ∈ rows} ∇U_ij(θ), overwriting. The default is for a client of one row.
  virtual void gradient_rows(std::span<const double> theta, std::span<const std::uint32_t> rows, std::span<double> out,
                             Scratch& scratch) const;
  // The same for gradient descent, which may vary the rows as `stream` says: this is no gradient of the posterior's.
  // The default is gradient_rows().
  virtual void varied_rows(std::span<const double> theta, std::span<const std::uint32_t> rows, const Stream& stream,
                           std::span<double> out, Scratch& scratch) const;
  // out = Σ_{j ∈ rows} ∇U_ij(θ) min(1, clip/‖∇U_ij(θ)‖); the default takes one row at a time.
  virtual void clipped_rows(std::span<const double> theta, std::span<const std::uint32_t> rows, double clip,
                            std::span<double> out, Scratch& scratch) const;
  // out = Σ_{j ∈ rows} [∇U_ij(θ) - ∇U_ij(anchor)]; the default evaluates both terms.
  virtual void difference_rows(std::span<const double> theta, std::span<const double> anchor,
                               std::span<const std::uint32_t> rows, std::span<double> out, Scratch& scratch) const;
  // out = ∇U_i(θ) - ∇U_i(anchor) over all rows; the default evaluates both terms.
  virtual void difference(const ConstPanelView& theta, const ConstPanelView& anchor, const PanelView& out,
                          Scratch& scratch) const;
  // out = B v with B ⪰ ∇²U_i everywhere where the model has such a bound (curvature_is_bound), else B = ∇²U_i(at). The
  // default is the central difference of gradients.
  virtual void curvature(std::span<const double> at, std::span<const double> v, std::span<double> out,
                         Scratch& scratch) const;
  virtual bool curvature_is_bound() const { return false; }
  // The largest over rows j of λ_max of a bound on ∇²U_ij where there is one, else of ∇²U_ij(at). The default is the
  // norm of the whole client's curvature at `at`, which is no smaller for convex rows.
  virtual double row_curvature(std::span<const double> at, Scratch& scratch) const;
};

// scale multiplies U_ij. The observations' memory must outlive the potential.
// Targets that the model cannot have (a label that is no class, a negative count) are a ConfigError naming their rows;
// make_potential() looks as well.
void check_targets(const ModelSpec& spec, const Observations& observations);
std::unique_ptr<Potential> make_potential(const ModelSpec& spec, const Observations& observations, double scale = 1.0);

// A network's potential: its network, the rows that it holds, the scale and whether varied_rows() varies them. Nulls
// where it is none.
struct HeldNetwork {
  const Network* network = nullptr;
  const NetworkRows* rows = nullptr;
  double scale = 1;
  bool varied = false;
};
HeldNetwork held_network(const Potential& potential);

// gaussian clients. precision is d × d, symmetric positive semi-definite, given by rows; checked by the config reader.
std::unique_ptr<Potential> make_gaussian(std::vector<double> mean, std::vector<double> precision, double scale = 1.0);
std::unique_ptr<Potential> make_gaussian_data(const RowsView& y, double scale = 1.0);

// N(0, sd_j²) on every coordinate, or flat. U_0 = ½ Σ θ_j²/sd_j².
struct Prior {
  std::vector<double> precision;  // 1/sd_j², one a coordinate; empty = flat

  static Prior flat() { return {}; }
  static Prior normal(std::vector<double> sd);
  double value(std::span<const double> theta) const;
  void add_gradient(std::span<const double> theta, double weight, std::span<double> g) const;  // g += weight·∇U_0(θ)
};

// What a run samples where the likelihood is a program's own (RunOptions::posterior): exp(-U_0(θ) - Σ_i U_i(θ)).
struct Posterior {
  std::vector<std::shared_ptr<const Potential>> clients;
  Prior prior = Prior::flat();
  std::vector<std::string> labels = {};  // one per coordinate; empty: theta.1, theta.2, ...
};

// Predictive distribution at one θ for rows of features.
// Classifiers: out is rows × classes, row-major, class probabilities.
void class_probabilities(const ModelSpec& spec, std::span<const double> theta, const RowsView& x, std::span<double> out,
                         Scratch& scratch);
// linear, poisson: the response's mean and standard deviation at each row.
void response(const ModelSpec& spec, std::span<const double> theta, const RowsView& x, std::span<double> mean,
              std::span<double> sd, Scratch& scratch);
// log p(y_r | x_r, θ), constants included, for every row and kind but gaussian.
void log_likelihood(const ModelSpec& spec, std::span<const double> theta, const Observations& observations,
                    std::span<double> out, Scratch& scratch);

}  // namespace pollen
