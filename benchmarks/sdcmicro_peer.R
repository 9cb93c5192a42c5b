# sdcMicro on a CSV file: prints the least CPU seconds of three runs of a task.
# Rscript sdcmicro_peer.R TASK FILE
suppressPackageStartupMessages(library(sdcMicro))

asked <- commandArgs(trailingOnly = TRUE)
records <- read.csv(asked[2])
tasks <- list(
  mdav = function() microaggregation(records, aggr = 3, method = "mdav"),
  risk = function() freqCalc(records, keyVars = names(records)),
  cells = function() localSuppression(records, keyVars = names(records), k = 3)
)
seconds <- sapply(1:3, function(run) {
  took <- system.time(tasks[[asked[1]]]())
  took[["user.self"]] + took[["sys.self"]]
})
cat(sprintf('{"cpu": %f}\n', min(seconds)))
