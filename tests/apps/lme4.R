# Rscript lme4.R FOLDER: fits FOLDER/reaction.csv and FOLDER/answers.csv with lme4 and prints one line per coefficient:
# the data, the coefficient's name, the estimate and its standard error; for a standard deviation its logarithm and NA.
suppressMessages(library(lme4))
setwd(commandArgs(TRUE)[1])
tell <- function(data, fit) {
  se <- sqrt(diag(as.matrix(vcov(fit))))
  for (name in names(fixef(fit))) cat(data, name, fixef(fit)[name], se[name], "\n")
  sds <- as.data.frame(VarCorr(fit))
  for (i in seq_len(nrow(sds)))
    cat(data, if (sds$grp[i] == "Residual") "log_sigma" else paste0("log_sd[", sds$var1[i], "]"), log(sds$sdcor[i]), NA, "\n")
}
d <- read.csv("reaction.csv")
tell("reaction", lmer(reaction ~ day + age + (1 + day || who), d, REML = FALSE))
d <- read.csv("answers.csv")
d$y <- as.integer(d$y == "yes")
tell("answers", glmer(y ~ item + kind + (1 | who), d, binomial, nAGQ = 25))
