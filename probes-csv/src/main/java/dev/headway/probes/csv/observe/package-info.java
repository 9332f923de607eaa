/**
 * Steps and requests, put together from records: a plan is joined with what came of it by the
 * number of the step, never by what came last, so steps may overlap.
 *
 * <p>Read {@link dev.headway.probes.csv.observe.RunObserver}, then {@link
 * dev.headway.probes.csv.observe.ObservedStep}. One thread. Memory is bounded by live requests and
 * steps in flight. Nothing here writes a file.
 */
@NullMarked
package dev.headway.probes.csv.observe;

import org.jspecify.annotations.NullMarked;
