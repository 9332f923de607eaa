/**
 * When requests arrive: gaps between them, and a rate that changes with time.
 *
 * <pre>{@code
 * Gaps (constant, exponential, gamma, Weibull) ──┐
 *                                                ├─▶ ArrivalProcess ─▶ ArrivalTimes
 * RateProfile (constant, stages, ramp, diurnal) ─┘
 * }</pre>
 *
 * <p>Read {@link dev.headway.simulation.workload.arrival.ArrivalProcess} first. Processes, gaps and
 * profiles are immutable and safe from any thread; {@link
 * dev.headway.simulation.workload.arrival.ArrivalTimes} belong to one. Times are seconds. All
 * arithmetic is strict, so that a seed means the same arrivals on every JDK and processor.
 */
@NullMarked
package dev.headway.simulation.workload.arrival;

import org.jspecify.annotations.NullMarked;
