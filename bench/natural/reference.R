# Means and standard deviations to hold runs against: by Stan for the posterior under the automatic prior, by lme4 for
# mixed models. Results are kept in a folder, because they take minutes.
suppressMessages({library(rstan); library(lme4)})

# The compiled model, which is made once. Debian's package BH has no headers of its own.
kept <- new.env()
compiled <- function(folder) {
  if (is.null(kept$model)) {
    file.copy(file.path(here, "posterior.stan"), folder, overwrite = TRUE)
    capture.output(kept$model <- suppressMessages(stan_model(file.path(folder, "posterior.stan"), auto_write = TRUE,
                                                             boost_lib = "/usr/include")), type = "message")
  }
  kept$model
}

# The columns of pollen's encoding, with its labels.
design <- function(case) {
  d <- case$data[!names(case$data) %in% c("site", case$target)]
  columns <- list()
  for (name in names(d)) {
    v <- d[[name]]
    if (is.numeric(v)) columns[[name]] <- v
    else for (level in sort(unique(as.character(v)), method = "radix")[-1])
      columns[[paste0(name, "=", level)]] <- 1 * (v == level)
  }
  x <- as.matrix(as.data.frame(columns, check.names = FALSE))
  x[, apply(x, 2, function(v) min(v, na.rm = TRUE) < max(v, na.rm = TRUE)), drop = FALSE]
}

# A matrix a with a aᵀ about the posterior's covariance, and the mode, by Newton's steps.
near_mode <- function(family, x, y, centre, draws = 40) {
  p <- ncol(x); beta <- c(centre, rep(0, p - 1)); noise <- 1
  value <- function(b) {
    e <- drop(x %*% b)
    sum(switch(family, (y - e)^2 / 2 / noise^2, pmax(e, 0) + log1p(exp(-abs(e))) - y * e, exp(e) - y * e)) +
      sum((b - c(centre, rep(0, p - 1)))^2) / 12.5
  }
  for (n in 1:draws) {
    e <- drop(x %*% beta)
    mu <- switch(family, e, plogis(e), exp(e)); w <- switch(family, rep(1, length(e)), mu * (1 - mu), mu)
    if (family == 1) { noise <- max(sqrt(mean((y - e)^2)), if (p >= length(y)) 0.1 else 1e-150); w <- w / noise^2; mu <- e }
    h <- crossprod(x, w * x) + diag(p) / 6.25
    g <- crossprod(x, (mu - y) * (if (family == 1) 1 / noise^2 else 1)) + (beta - c(centre, rep(0, p - 1))) / 6.25
    way <- drop(solve(h, g, tol = 0)); length <- 1
    while (length > 1e-6 && !isTRUE(value(beta - length * way) <= value(beta))) length <- length / 2
    beta <- beta - length * way
  }
  list(m = beta, a = backsolve(chol(h), diag(p)))
}

posterior_of <- function(case, model) {
  d <- case$data; x <- design(case); y <- d[[case$target]]
  keep <- complete.cases(x) & !is.na(y); x <- x[keep, , drop = FALSE]; y <- y[keep]
  n <- nrow(x); m <- colMeans(x); s <- sqrt(colMeans(sweep(x, 2, m)^2))
  z <- cbind(1, sweep(sweep(x, 2, m), 2, s, "/")); p <- ncol(z)
  family <- match(case$kind, c("linear", "logistic", "poisson", "softmax"))
  numbers <- as.numeric(if (family %in% c(1, 3)) y else match(y, sort(unique(as.character(y)), method = "radix")))
  scale <- 1; shift <- 0; centre <- 0
  if (family == 1) { shift <- mean(numbers); scale <- sqrt(mean((numbers - shift)^2)); numbers <- (numbers - shift) / scale }
  if (family == 2) numbers <- numbers - 1
  if (family == 3) centre <- log(mean(numbers))
  sets <- if (family == 4) length(unique(y)) else 1
  near <- if (family == 4) list(m = rep(0, p), a = backsolve(chol(crossprod(z) / 9 + diag(p) / 6.25), diag(p)))
          else near_mode(family, z, numbers, centre)
  data <- list(family = family, N = n, p = p, C = sets, x = z, y = if (family == 1) numbers else rep(0, n),
               k = if (family == 1) rep(0L, n) else as.integer(numbers), a = near$a, a1 = 2.5 * diag(p),
               q = if (sets > 1) qr.Q(qr(cbind(1, contr.helmert(sets)))) else matrix(1, 1, 1), m = matrix(near$m, p, sets), centre = centre)
  fit <- sampling(model, data, chains = 4, iter = 4000, cores = 1,
                  refresh = 0, seed = 1, pars = c("beta", "lambda"), control = list(adapt_delta = 0.95, max_treedepth = 12))
  draws <- extract(fit); beta <- draws$beta * scale
  out <- NULL
  for (c in seq_len(sets)) {
    b <- matrix(beta[, , c], ncol = p); slopes <- sweep(b[, -1, drop = FALSE], 2, s, "/")
    part <- cbind(b[, 1] + shift - slopes %*% m, slopes)
    colnames(part) <- paste0(if (sets > 1) paste0(sort(unique(as.character(y)), method = "radix")[c], ": "), c("intercept", colnames(x)))
    out <- cbind(out, part)
  }
  if (family == 1) out <- cbind(out, log_sigma = draws$lambda[, 1] + log(scale))
  ess <- apply(summary(fit)$summary[, "n_eff", drop = FALSE], 2, min)
  data.frame(label = colnames(out), mean = colMeans(out), sd = apply(out, 2, sd), mcse = apply(out, 2, sd) / sqrt(ess))
}

# Estimates of lmer(REML = FALSE) or glmer and their standard errors, with pollen's labels.
lme4_of <- function(case) {
  d <- case$data; random <- setdiff(case$random, "intercept")
  own <- if (length(random) == 0) "(1 | site)" else sprintf("(1 + %s || site)", paste0("`", random, "`", collapse = " + "))
  fixed <- setdiff(names(d), c("site", case$target))
  formula <- as.formula(paste0("`", case$target, "` ~ ", paste(c(sprintf("`%s`", fixed), own), collapse = " + ")))
  fit <- if (case$kind == "mixed-gaussian") lmer(formula, d, REML = FALSE)
         else { d[[case$target]] <- as.integer(factor(d[[case$target]])) - 1L; glmer(formula, d, binomial, nAGQ = 25) }
  labels <- c("intercept", colnames(design(case)))
  labels <- ifelse(labels %in% case$random, paste0("mu[", labels, "]"), labels)
  v <- as.data.frame(VarCorr(fit))
  sds <- v[v$grp != "Residual", ]
  spread <- data.frame(label = sprintf("log_sd[%s]", ifelse(sds$var1 == "(Intercept)", "intercept", sds$var1)), mean = log(sds$sdcor), sd = NA, mcse = 0)
  noise <- if (case$kind == "mixed-gaussian") data.frame(label = "log_sigma", mean = log(sigma(fit)), sd = NA, mcse = 0)
  rbind(data.frame(label = labels, mean = fixef(fit), sd = sqrt(diag(as.matrix(vcov(fit)))), mcse = 0), spread, noise)
}

reference <- function(case, folder) {
  key <- file.path(folder, paste0(rlang::hash(case[c("kind", "target", "data", "extra", "truth", "random")]), ".rds"))
  if (!file.exists(key)) saveRDS(if (case$truth == "lme4") lme4_of(case) else posterior_of(case, compiled(folder)), key)
  readRDS(key)
}
