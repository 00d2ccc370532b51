// Models turn a client's data into a likelihood of the parameters θ. U_i(θ) = Σ_j U_ij(θ) is the client's negative
// log-likelihood and U_0(θ) the negative log-density of the prior, both without constants that do not depend on θ.
// Models know nothing of rounds, clients' numbers or transports. docs/models.md describes them.
//
// The parameters θ of each kind, where p is the number of feature columns, intercept included:
//   gaussian  d           U_i = ½(θ-μ)ᵀΛ(θ-μ), or U_i = Σ_j ½‖θ-y_j‖²
//   linear    p or p+1    y ~ N(xᵀβ, σ²); σ given, or θ = (β, log σ)
//   logistic  p           y ∈ {0,1}, P(1) = 1/(1+exp(-xᵀθ))
//   softmax   p·C         θ = class 0's p coefficients, then class 1's, ...; P(c) ∝ exp(xᵀθ_c)
//   poisson   p           y ~ Poisson(exp(xᵀθ)); log y! is left out of U
//   network   all its weights; it computes in float32
//
//   const auto u = make_potential({.family = &model_family("logistic"), .features = p}, {x, y});
//   u->gradient(theta, out, scratch);                     // theta and out have one column per chain
//
// To use your own model, derive a class from Potential (examples/library/model.cc). To have it by name in
// configurations, with data, prior and predictions as for any other, derive one from ModelFamily, too, and register it
// (examples/library/likelihood.cc).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pollen/data.h"
#include "pollen/random.h"
#include "pollen/types.h"

namespace pollen {

class Network;
class NetworkRows;
class ModelFamily;
class Units;

// How images are varied at random for gradient descent. `flip` mirrors an image from left to right with probability
// 1/2; `crop` moves it by up to four pixels each way, with zeros at the edges.
struct Augmentation {
  bool flip = false, crop = false;
};

// A network, and how the numbers of a row become its inputs: (x - mean)/sd, channel by channel.
struct NetworkModel {
  std::shared_ptr<const Network> network;
  std::vector<double> mean = {0.0}, sd = {1.0};  // one for all channels, or one per channel
  Augmentation augment = {};

  std::unique_ptr<NetworkRows> hold(const RowsView& x, const double* y) const;  // y may be null
};

// Describes a model: its family, its size and the names of its parts.
struct ModelSpec {
  // From model_family(). Null if somebody else has the potentials, of which nothing is known: the program itself, or
  // clients with latents of their own.
  const ModelFamily* family = nullptr;
  Index features = 0;                      // p; gaussian: the dimension d
  Index classes = 2;                       // softmax: C
  std::optional<double> noise_sd;          // linear: σ; if empty, log σ is sampled as the last coordinate of θ
  std::vector<std::string> feature_names;  // p names; the intercept's is "intercept"
  std::vector<std::string> class_names;    // logistic: 2 names; softmax: C names
  NetworkModel network = {};               // used by networks alone
  // The units of the coefficients in draws and tables (output.scale); null: those that samplers work with.
  std::shared_ptr<const Units> units = {};

  Index dimension() const;
  // A readable name for each coordinate, such as "age", "virginica: age" or "log_sigma".
  std::vector<std::string> labels() const;
  // Whether U is a quadratic form, whose curvature is the same everywhere.
  bool quadratic() const;
  // Why U cannot be taken for convex, as a sentence; empty if it is convex.
  std::string not_convex() const;
  bool predicts() const;
  // The number of classes that a classifier tells apart; 0 for other models.
  Index outcomes() const;
  bool classifies() const { return outcomes() > 0; }
  bool is_network() const { return network.network != nullptr; }
  // Whether the model is a network with hidden units: these can change places without changing the likelihood.
  bool interchangeable() const;
};

// The rows from which a potential is made. They are views into a table, which must outlive the potential.
struct Observations {
  RowsView x;
  const double* y = nullptr;       // x.rows targets: numbers, counts or class indices
  Index min_cell = 0;              // data.min_cell, which the curvature keeps to
  bool mapped = false;             // whether x is in a mapped file, so that no copy of it should be in memory
  const double* offset = nullptr;  // x.rows numbers, which models with a linear predictor add to it; null: zeros
};

// One client's negative log-likelihood. A potential does not change after construction; several threads may call it if
// each has its own Scratch. Your own model must override dimension(), value() and gradient(). It then counts as a
// single row, and its curvature is found from differences of gradients. If it also overrides rows() and
// gradient_rows(), samplers with minibatches can use it.
class Potential {
 public:
  virtual ~Potential() = default;
  virtual Index dimension() const = 0;
  virtual Index rows() const { return 1; }  // N_i

  // Writes U_i(θ_c) to out[c] for every column θ_c.
  virtual void value(const ConstPanelView& theta, std::span<double> out, Scratch& scratch) const = 0;
  // Writes ∇U_i(θ_c) to out(:, c).
  virtual void gradient(const ConstPanelView& theta, const PanelView& out, Scratch& scratch) const = 0;
  // Writes both, with the same bits as value() and gradient(), which the default calls one after the other.
  virtual void value_and_gradient(const ConstPanelView& theta, std::span<double> values, const PanelView& out,
                                  Scratch& scratch) const;
  // Writes ∇U_i(θ_c) - known to out(:, c). The result must have the same bits as gradient() followed by a subtraction,
  // which is the default.
  virtual void gradient_less(const ConstPanelView& theta, std::span<const double> known, const PanelView& out,
                             Scratch& scratch) const;
  // Writes Σ_{j ∈ rows} ∇U_ij(θ) to out. The default is for a client with a single row.
  virtual void gradient_rows(std::span<const double> theta, std::span<const std::uint32_t> rows, std::span<double> out,
                             Scratch& scratch) const;
  // Writes the same sum for gradient descent, after varying the rows at random with `stream` (Augmentation). Samplers
  // must not use it, because it is no longer a gradient of the posterior. The default is gradient_rows().
  virtual void varied_rows(std::span<const double> theta, std::span<const std::uint32_t> rows, const Stream& stream,
                           std::span<double> out, Scratch& scratch) const;
  // Writes Σ_{j ∈ rows} ∇U_ij(θ) min(1, clip/‖∇U_ij(θ)‖) to out. The default computes one row at a time.
  virtual void clipped_rows(std::span<const double> theta, std::span<const std::uint32_t> rows, double clip,
                            std::span<double> out, Scratch& scratch) const;
  // Writes Σ_{j ∈ rows} [∇U_ij(θ) - ∇U_ij(anchor)] to out. The default evaluates both terms.
  virtual void difference_rows(std::span<const double> theta, std::span<const double> anchor,
                               std::span<const std::uint32_t> rows, std::span<double> out, Scratch& scratch) const;
  // Writes ∇U_i(θ) - ∇U_i(anchor), over all rows, to out. The default evaluates both terms.
  virtual void difference(const ConstPanelView& theta, const ConstPanelView& anchor, const PanelView& out,
                          Scratch& scratch) const;
  // Writes B v to out. If curvature_is_bound(), B bounds the Hessian everywhere: B ⪰ ∇²U_i. Otherwise B = ∇²U_i(at).
  // The default is the central difference of gradients.
  virtual void curvature(std::span<const double> at, std::span<const double> v, std::span<double> out,
                         Scratch& scratch) const;
  virtual bool curvature_is_bound() const { return false; }
  // Writes the same product for a server, which may not see the entries that hide_small_pairs() sets to 0: they count
  // as 0 here, too. The default is curvature().
  virtual void shown_curvature(std::span<const double> at, std::span<const double> v, std::span<double> out,
                               Scratch& scratch) const;
  // Writes the diagonal of ∇²U_i(at) in one pass over the rows, if the model can, and returns whether it did.
  // Otherwise, as by default, it is found from differences of gradients, which takes two of them per coordinate.
  virtual bool hessian_diagonal(std::span<const double> at, std::span<double> out, Scratch& scratch) const;
  // The least number of rows that an entry of ∇²U_i may stand for; 0 if any may. hide_small_pairs() sets the others to
  // 0 in its lower half, column by column.
  virtual Index min_cell() const { return 0; }
  virtual void hide_small_pairs(std::span<double> half) const;
  // Returns how many rows have a say in the answers at θ: (Σ_j v_j)²/Σ_j v_j², where v_j is the second derivative of
  // row j's loss by its linear predictors. Returns nothing if these are the same at every θ, as by default.
  virtual std::optional<double> effective_rows(std::span<const double> theta, Scratch& scratch) const;
  // Returns the largest λ_max over the rows j: of a bound on ∇²U_ij if the model has one, otherwise of ∇²U_ij(at). The
  // default is the norm of the whole client's curvature at `at`, which is at least as large if the rows are convex.
  virtual double row_curvature(std::span<const double> at, Scratch& scratch) const;
};

// What a likelihood is: how it turns rows into potentials, and parameters into predictions. There is one object per
// family, which serves every ModelSpec that points to it. It has no state, so any thread may use it. Your own family
// must override target() and make(); it then samples from any data. To be scored and to predict, it overrides
// predicts() and the functions after it.
class ModelFamily {
 public:
  virtual ~ModelFamily() = default;

  // What the rows must have as target.
  virtual TargetKind target(const ModelSpec& spec) const = 0;
  // Makes a client's potential, with every U_ij multiplied by `scale`. The targets have been checked, and the memory of
  // the observations outlives the potential.
  virtual std::unique_ptr<Potential> make(const ModelSpec& spec, const Observations& observations,
                                          double scale) const = 0;
  // wrong_target() returns the first row from row `from` on whose target is impossible, or y.size() if there is none.
  // accepted_target() says in words what a target may be. The defaults go by target().
  virtual std::size_t wrong_target(const ModelSpec& spec, std::span<const double> y, std::size_t from) const;
  virtual std::string accepted_target(const ModelSpec& spec) const;

  // The coordinates of θ. The default is one coefficient per feature, named after it.
  virtual Index dimension(const ModelSpec& spec) const { return spec.features; }
  virtual std::vector<std::string> labels(const ModelSpec& spec) const;
  // Returns how many coordinates at the end are no coefficients but logarithms of scales such as σ, with a prior of
  // their own (model.log_sigma_sd).
  virtual Index log_scales(const ModelSpec&) const { return 0; }

  virtual bool quadratic(const ModelSpec&) const { return false; }
  // Whether U_i = ½ e^(-2λ) RSS_i(β) + N_i λ with λ = log σ, the last coordinate of θ.
  virtual bool has_normal_errors(const ModelSpec&) const { return false; }
  // Returns why U_i cannot be taken for convex, as a sentence, or nothing if it is convex. Plans and their bounds go by
  // it, so a family whose potentials are convex should return {}.
  virtual std::string not_convex(const ModelSpec&) const {
    return "nothing is known of this family's convexity (ModelFamily::not_convex)";
  }

  // What model.prior = "auto" goes by: coefficient j is N(0, (slope/s_j)²), where s_j is the column's standard
  // deviation, and the intercept where all columns are at their means is N(intercept_mean, intercept_sd²). The
  // logarithms of scales are N(log_scale_mean, 1). `target` has the target's mean and standard deviation if it is a
  // number or a count.
  struct PriorScale {
    double slope = 2.5, intercept_mean = 0, intercept_sd = 2.5, log_scale_mean = 0;
  };
  virtual PriorScale prior_scale(const ModelSpec& spec, std::span<const double> target) const;

  // Predictions at a single θ for rows of features. A classifier has class_probabilities(), every other model has
  // response() and quantile(). The functions that a family does not override throw std::logic_error.
  virtual bool predicts() const { return false; }
  // Writes rows × classes probabilities, row by row.
  virtual void class_probabilities(const ModelSpec& spec, std::span<const double> theta, const RowsView& x,
                                   std::span<double> out, Scratch& scratch) const;
  // Writes the mean and the standard deviation of the response at each row.
  virtual void response(const ModelSpec& spec, std::span<const double> theta, const RowsView& x, std::span<double> mean,
                        std::span<double> sd, Scratch& scratch) const;
  // Writes log p(y_r | x_r, θ) of every row, constants included.
  virtual void log_likelihood(const ModelSpec& spec, std::span<const double> theta, const Observations& observations,
                              std::span<double> out, Scratch& scratch) const;
  // Returns the p-quantile of an equally weighted mixture of the response's laws, one per draw of θ, given the mean and
  // the standard deviation of each. The default mixes normal laws, or Poisson laws if the target is a count.
  virtual double quantile(const ModelSpec& spec, std::span<const double> mean, std::span<const double> sd,
                          double p) const;
  // Writes P(y ≤ at_k) at one row for rising numbers at_k, given the mean and the standard deviation of the response
  // there. The default is that of a normal law, or of a Poisson law if the target is a count.
  virtual void distribution(const ModelSpec& spec, double mean, double sd, std::span<const double> at,
                            std::span<double> out) const;
};

// One entry of the table of models that model.kind can name.
struct ModelRow {
  std::string name;
  std::string summary;     // one line for `pollen list models`
  std::string parameters;  // the number of parameters, in words
  std::string keys;        // keys of [model] that only some models read, separated by spaces
  std::shared_ptr<const ModelFamily> family;
  enum class Group { plain, mixed, network } group = Group::plain;
  bool last_layer = false;  // networks: whether each client can have its own last layer
};

// Adds a model to the table. Throws std::invalid_argument if the name is taken. Not thread-safe: call it before the
// first configuration is read, which then accepts the name.
void register_model(ModelRow row);
// Returns the family of a name in the table. Throws ConfigError if there is none.
const ModelFamily& model_family(const std::string& name);

// Throws a ConfigError that names the rows if targets are impossible under the model: a label that is no class, or a
// negative count.
void check_targets(const ModelSpec& spec, const Observations& observations);
// Makes the potential of a model, with every U_ij multiplied by `scale`. It checks the targets. The memory of the
// observations must outlive the potential.
std::unique_ptr<Potential> make_potential(const ModelSpec& spec, const Observations& observations, double scale = 1.0);

// The parts of a network's potential: the network, the rows that it holds, the scale, and whether varied_rows() varies
// them. The pointers are null if the potential is not a network's.
struct HeldNetwork {
  const Network* network = nullptr;
  const NetworkRows* rows = nullptr;
  double scale = 1;
  bool varied = false;
};
HeldNetwork held_network(const Potential& potential);

// These make the potentials of gaussian clients. `precision` is d × d, row by row; it must be symmetric and positive
// semi-definite, which the reader of the configuration checks.
std::unique_ptr<Potential> make_gaussian(std::vector<double> mean, std::vector<double> precision, double scale = 1.0);
std::unique_ptr<Potential> make_gaussian_data(const RowsView& y, double scale = 1.0);

// The prior is a normal law, or flat. Most priors are N(mean_j, sd_j²) on every coordinate, so that
// U_0 = ½ Σ (θ_j - mean_j)²/sd_j². Further terms may say something about weighted sums of coordinates. After a change
// of variables, U_0 = ½ θᵀMθ + linearᵀθ + constant.
struct Prior {
  // The term ½ precision (Σ_j weight_j θ_(first+j) - mean)², for instance about the intercept where all columns are 0.
  struct SumTerm {
    Index first = 0;
    std::vector<double> weight;
    double precision = 1, mean = 0;
  };
  std::vector<double> precision;  // 1/sd_j², one per coordinate, or the diagonal of M; empty: a flat prior
  // M, d × d, row by row, and d numbers. Empty: M is diagonal, and there is no linear term.
  std::vector<double> matrix = {}, linear = {};
  double constant = 0;
  std::vector<double> mean = {};  // one per coordinate; empty: zeros
  std::vector<SumTerm> sums = {};

  static Prior flat() { return {}; }
  static Prior normal(std::vector<double> sd);
  bool is_flat() const { return precision.empty(); }
  double value(std::span<const double> theta) const;
  void add_gradient(std::span<const double> theta, double weight, std::span<double> g) const;  // g += weight·∇U_0(θ)
  void add_curvature(std::span<const double> v, double weight, std::span<double> product) const;  // += weight·M v
  void add_diagonal(std::span<double> diagonal) const;  // += the diagonal of M
  // Returns a lower bound on the curvature of U_0 in every direction; 0 if none is known.
  double least_curvature() const;
  // Where U_0 is smallest. A flat prior has 0 there, and so has a prior after a change of variables.
  std::vector<double> centre(Index dimension) const;
  // Turns standard normal numbers into a draw of the prior. Coordinates of which the prior says nothing stay as they
  // are. It is for priors before a change of variables.
  void draw(std::span<double> normal) const;
};

// The law that a run samples if the program supplies its own likelihood (RunOptions::posterior). Its density is
// proportional to exp(-U_0(θ) - Σ_i U_i(θ)).
struct Posterior {
  std::vector<std::shared_ptr<const Potential>> clients;
  Prior prior = Prior::flat();
  std::vector<std::string> labels = {};  // one per coordinate; empty: theta.1, theta.2, and so on
};

}  // namespace pollen
