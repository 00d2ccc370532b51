// Data sets that need no file. Each yields what a reader would. Specs come with their defaults filled in.
#pragma once

#include <cstdint>
#include <string>

#include "pollen/data.h"
#include "raw_table.h"

namespace pollen::data {

bool is_builtin(const std::string& source);
bool is_synthetic(const std::string& source);  // makes its own clients: every client is a "file"

// The 2201 people of the Titanic from the published table of counts: class, sex, age; survived.
RawTable titanic();

// y_ij ~ N(μ_i, I), μ_i ~ N(0, heterogeneity² I), N_i uniform in min_size..max_size.
RawTable synthetic_gaussian(const DataSpec& spec, std::uint64_t seed);

// SYNTHETIC(α, β), Li et al. 2020, "Federated Optimization in Heterogeneous Networks", section 5.1, with two classes:
//   y = argmax(W_i x + b_i), W_i, b_i ~ N(u_i, 1), u_i ~ N(0, α);  x ~ N(v_i, Σ), Σ_jj = j^-1.2, v_i ~ N(B_i, 1), B_i ~
//   N(0, β)
// with α and β variances. Column "label".
RawTable synthetic_logistic(const DataSpec& spec, std::uint64_t seed);

// y ~ N(xᵀΦz_i, noise_sd²), x ~ N(0, I), z_i ~ N(0, heterogeneity² I), Φ the Q factor of a dimension × latent_dimension
// matrix of normals. The first round(small_share · clients) clients have min_size rows, the others max_size.
inline const std::string kMixedTarget = "y";  // its column
RawTable synthetic_mixed(const DataSpec& spec, std::uint64_t seed);

}  // namespace pollen::data
