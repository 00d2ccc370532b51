// Interface of models with a shared part φ and a part z of each client's own: mixed-effects models (mixed.h), and
// networks whose last linear layer belongs to the client. Models are immutable; const calls are thread-safe with one
// Scratch per thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/mixed.h"
#include "pollen/model.h"

namespace pollen {

// The rows of one client as the model sees them.
class PersonalRows {
 public:
  virtual ~PersonalRows() = default;
  virtual Index rows() const = 0;
  // Writes rows × outputs numbers: the mean of the response, P(1) (mixed-logistic), or the class probabilities.
  virtual void predict(std::span<const double> shared, std::span<const double> z, std::span<double> out,
                       Scratch& scratch) const = 0;
  // Computes log p(y_r | φ, z) of every row, including constants.
  virtual void log_likelihood(std::span<const double> shared, std::span<const double> z, std::span<double> out,
                              Scratch& scratch) const = 0;
  virtual std::unique_ptr<PersonalPotential> potential() const = 0;  // the rows must outlive it
  // Returns rows that are fixed at this φ, whatever φ they are asked at later, if that is quicker for many z; otherwise
  // null.
  virtual std::unique_ptr<PersonalRows> at(std::span<const double> shared) const {
    (void)shared;
    return nullptr;
  }
};

// A model. It must outlive its rows.
class PersonalModel {
 public:
  virtual ~PersonalModel() = default;
  virtual Index shared() const = 0;  // number of coordinates of φ
  virtual Index latent() const = 0;  // number of coordinates of z
  virtual std::vector<std::string> shared_labels() const = 0;
  virtual std::vector<std::string> latent_labels() const = 0;
  virtual Index outputs() const = 0;  // numbers predicted per row: 1, or a network's classes
  virtual bool classifies() const = 0;
  virtual double noise_sd(std::span<const double> shared) const = 0;  // sd of the response; 0 for classes
  // Returns whether the data determine φ and z. Otherwise they may rotate (mixed-linear) or swap (hidden units) along a
  // path, and averages over the path mix different representations.
  virtual bool identified() const = 0;
  // x and y outlive the rows; y may be null where nothing but predictions is wanted.
  virtual std::unique_ptr<PersonalRows> rows(const RowsView& x, const double* y) const = 0;
};

// Makes a mixed-effects model. `columns` names the columns of x, among them all that the spec names.
std::unique_ptr<PersonalModel> make_mixed_model(const MixedSpec& spec, const std::vector<std::string>& columns);

// Makes a network with θ = (φ, z), where z is the weight and bias of the last layer, that is, its last two tensors.
// Throws std::invalid_argument if the last two tensors are something else.
std::unique_ptr<PersonalModel> make_personal_network(const NetworkModel& network);

}  // namespace pollen
