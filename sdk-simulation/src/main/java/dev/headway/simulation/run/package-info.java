/**
 * Runs a workload through a real engine in virtual time.
 *
 * <pre>{@code
 * Workload ─▶ VirtualTimeDriver ─▶ Engine ─▶ RunProbe ─▶ RunMeter ─▶ RunFigures
 * }</pre>
 *
 * <p>Read {@link dev.headway.simulation.run.VirtualTimeDriver}. Everything runs on the caller's
 * thread. Equal inputs give equal figures.
 */
@NullMarked
package dev.headway.simulation.run;

import org.jspecify.annotations.NullMarked;
