# Reads the draws of each folder with rstan and compares means, R-hat and ESS with summary.json.
suppressPackageStartupMessages(library(rstan))

# summary.json has one parameter per line, so that no JSON package is needed.
field <- function(lines, key) as.numeric(sub(paste0('.*"', key, '": ?([^,}]*).*'), "\\1", lines))
read_summary <- function(path) {
  lines <- readLines(path)
  one <- function(key) field(grep(paste0('^  "', key, '"'), lines, value = TRUE), key)
  parameters <- grep('"name":"theta', lines, value = TRUE, fixed = TRUE)
  keys <- c("mean", "sd", "rhat", "ess_bulk", "ess_tail")
  list(chains = one("chains"), draws_per_chain = one("draws_per_chain"),
       parameters = as.data.frame(sapply(keys, function(key) field(parameters, key))))
}

near <- function(what, ours, theirs, tolerance) {
  worst <- max(abs(ours - theirs) / pmax(abs(theirs), 1e-8))
  cat(sprintf("  %-9s worst relative difference %.2g\n", what, worst))
  if (!is.finite(worst) || worst > tolerance) stop(what, " differs: ", worst)
}

for (folder in commandArgs(trailingOnly = TRUE)) {
  cat(folder, "\n")
  summary <- read_summary(file.path(folder, "summary.json"))
  files <- file.path(folder, sprintf("draws-%d.csv", seq_len(summary$chains)))
  fit <- read_stan_csv(files)
  draws <- rstan::extract(fit, pars = "theta", permuted = FALSE)  # iterations x chains x parameters
  stopifnot(dim(draws)[1] == summary$draws_per_chain, dim(draws)[2] == summary$chains)
  table <- summary$parameters
  near("mean", table$mean, apply(draws, 3, mean), 1e-6)
  near("sd", table$sd, apply(draws, 3, sd), 1e-6)
  # rstan 2.21 ranks by (r - 1/2)/S; posterior and pollen rank by (r - 3/8)/(S + 1/4), which is near but not the same.
  near("rhat", table$rhat, apply(draws, 3, rstan::Rhat), 2e-3)
  near("ess_bulk", table$ess_bulk, apply(draws, 3, rstan::ess_bulk), 0.05)
  near("ess_tail", table$ess_tail, apply(draws, 3, rstan::ess_tail), 0.05)
  if (requireNamespace("posterior", quietly = TRUE)) {
    near("rhat", table$rhat, apply(draws, 3, posterior::rhat), 1e-6)
    near("ess_bulk", table$ess_bulk, apply(draws, 3, posterior::ess_bulk), 1e-6)
    near("ess_tail", table$ess_tail, apply(draws, 3, posterior::ess_tail), 1e-6)
  }
  stopifnot(length(get_sampler_params(fit)) == summary$chains)
  invisible(get_elapsed_time(fit))
}
