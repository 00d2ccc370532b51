// Models with a shared part φ and a part z of every client's own, whatever they are made of: mixed-effects models
// (pollen/mixed.h), and networks whose last linear layer is the client's.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/mixed.h"
#include "pollen/model.h"

namespace pollen {

// Rows of one client as the model sees them. Immutable; const calls are thread-safe with a Scratch each.
class PersonalRows {
 public:
  virtual ~PersonalRows() = default;
  virtual Index rows() const = 0;
  // out = rows × the model's outputs: the response's mean, P(1) (mixed-logistic), or the classes' probabilities.
  virtual void predict(std::span<const double> shared, std::span<const double> z, std::span<double> out,
                       Scratch& scratch) const = 0;
  // log p(y_r | φ, z) of every row, constants included.
  virtual void log_likelihood(std::span<const double> shared, std::span<const double> z, std::span<double> out,
                              Scratch& scratch) const = 0;
  virtual std::unique_ptr<PersonalPotential> potential() const = 0;  // the rows outlive it
  // The same at this φ, whatever φ it is asked at, where that is quicker for many z; null where it is not.
  virtual std::unique_ptr<PersonalRows> at(std::span<const double> shared) const {
    (void)shared;
    return nullptr;
  }
};

// Immutable, and outlives its rows.
class PersonalModel {
 public:
  virtual ~PersonalModel() = default;
  virtual Index shared() const = 0;  // coordinates of φ
  virtual Index latent() const = 0;  // coordinates of z
  virtual std::vector<std::string> shared_labels() const = 0;
  virtual std::vector<std::string> latent_labels() const = 0;
  virtual Index outputs() const = 0;  // numbers a row is predicted by: 1, or a network's classes
  virtual bool classifies() const = 0;
  virtual double noise_sd(std::span<const double> shared) const = 0;  // of the response; 0 for classes
  // Data determine φ and z; else they may turn (mixed-linear) or change places (units), and averages over a path mix.
  virtual bool identified() const = 0;
  // x and y outlive the rows; y may be null where nothing but predictions is wanted.
  virtual std::unique_ptr<PersonalRows> rows(const RowsView& x, const double* y) const = 0;
};

// `columns`: the names of x's, among them all that the spec names.
std::unique_ptr<PersonalModel> make_mixed_model(const MixedSpec& spec, const std::vector<std::string>& columns);

// θ = (φ, z), z the weight and the bias of the last layer: the last two tensors. std::invalid_argument where these are
// something else.
std::unique_ptr<PersonalModel> make_personal_network(const NetworkModel& network);

}  // namespace pollen
