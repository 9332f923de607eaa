/**
 * Runs a workload through a real engine, in virtual time or on the wall clock.
 *
 * <pre>{@code
 * Workload ─▶ WorkloadDriver ─▶ Engine ─▶ RunProbe ─▶ RunMeter ─▶ RunFigures
 * }</pre>
 *
 * <p>Read {@link dev.headway.simulation.run.WorkloadDriver}. Everything runs on the caller's
 * thread. In virtual time equal inputs give equal figures.
 */
@NullMarked
package dev.headway.simulation.run;

import org.jspecify.annotations.NullMarked;
