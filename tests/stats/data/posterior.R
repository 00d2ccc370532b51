# Writes posterior.json: what R's posterior package computes for draws that any program can reproduce.
# Rscript posterior.R > posterior.json      (made with R 4.2.2, posterior 1.4.0)
#
# Draws: u from Lehmer's generator s <- 16807 s mod (2^31 - 1), u = s / (2^31 - 1); y <- phi y + (u - 0.5), y = 0 at the
# start of each chain, one generator for all chains; then the case's transform of (y, chain from 0, index from 0).
suppressWarnings(suppressMessages(library(posterior)))

transforms <- list(
  plain = function(y, c, t) y,
  ties = function(y, c, t) floor(10 * y),
  binary = function(y, c, t) as.numeric(y > 0),
  sign = function(y, c, t) ifelse(y > 0, 1, -1),
  rare = function(y, c, t) as.numeric(y > 0.48),
  shifted = function(y, c, t) y + 0.25 * c,
  scaled = function(y, c, t) y * (1 + c),
  heavy = function(y, c, t) 1 / y,
  trend = function(y, c, t) y + 0.01 * t,
  tiny = function(y, c, t) y * 1e-17,
  large = function(y, c, t) 1e6 + y,
  constant = function(y, c, t) 0 * y + 0.1,
  chainwise = function(y, c, t) 0 * y + c,
  alternating = function(y, c, t) 0 * y + 1 - 2 * (t %% 2))

draws <- function(case) {
  s <- case$seed
  out <- matrix(0, case$length, case$chains)
  for (c in seq_len(case$chains)) {
    y <- 0
    for (t in seq_len(case$length)) {
      s <- (16807 * s) %% 2147483647
      y <- case$phi * y + (s / 2147483647 - 0.5)
      out[t, c] <- y
    }
    out[, c] <- transforms[[case$transform]](out[, c], c - 1, seq_len(case$length) - 1)
  }
  out
}

cases <- list()
add <- function(transform, phi, chains, length, seed)
  cases[[length(cases) + 1]] <<- list(transform = transform, phi = phi, chains = chains, length = length, seed = seed)
add("plain", 0, 4, 1000, 1)
add("plain", 0.9, 4, 1000, 2)
add("plain", -0.9, 4, 1000, 3)
add("plain", -0.3, 2, 400, 4)
add("plain", 0.5, 4, 251, 5)
add("plain", 0.5, 1, 500, 6)
add("plain", 0.99, 3, 777, 7)
add("plain", 0.95, 2, 50000, 8)
for (transform in names(transforms)) add(transform, 0.3, 3, 202, 9)
for (transform in names(transforms)) add(transform, 0, 1, 41, 10)
for (length in 1:16) add("plain", 0.3, 2, length, 10 + length)
for (length in 4:9) add("plain", -0.5, 1, length, 40 + length)

number <- function(x) if (is.na(x)) "null" else if (is.infinite(x)) "1e999" else sprintf("%.17g", x)
answer <- function(case) {
  x <- draws(case)
  values <- suppressWarnings(list(
    rhat = if (case$length < 4) NA else rhat(x),  # below 4 posterior's halves lose their shape (x[1, ] is a vector)
    ess_bulk = ess_bulk(x), ess_tail = ess_tail(x), ess_mean = ess_mean(x), mcse_mean = mcse_mean(x),
    mean = mean(x), sd = sd(as.vector(x)), q5 = quantile(x, 0.05, names = FALSE),
    q50 = quantile(x, 0.5, names = FALSE), q95 = quantile(x, 0.95, names = FALSE)))
  fields <- c(sprintf('"transform":"%s","phi":%g,"chains":%d,"length":%d,"seed":%d', case$transform, case$phi,
                      case$chains, case$length, case$seed),
              paste0('"', names(values), '":', vapply(values, number, "")))
  paste0("{", paste(fields, collapse = ","), "}")
}
cat("[", paste(vapply(cases, answer, ""), collapse = ",\n"), "]\n", sep = "")
