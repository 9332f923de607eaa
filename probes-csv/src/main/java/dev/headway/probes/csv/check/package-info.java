/**
 * Plausibility of the times in {@code per_request.csv} and the files beside it: each rule passes,
 * fails with its first offender, or says why it was skipped.
 *
 * <p>Read {@link dev.headway.probes.csv.check.TimingCheck}, then {@link
 * dev.headway.probes.csv.check.RequestRowRules}. One thread; files are read once, a row at a time.
 */
@NullMarked
package dev.headway.probes.csv.check;

import org.jspecify.annotations.NullMarked;
