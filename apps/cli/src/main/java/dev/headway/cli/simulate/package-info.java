/**
 * {@code headway demo}, {@code replay} and {@code compare}: engines in virtual time.
 *
 * <pre>{@code
 * DemoCommand, ReplayCommand ─▶ Simulation ─┬─▶ summary for a person and as JSON
 *                                           └─▶ journal ─▶ CSV files
 * CompareCommand ─▶ a run per policy ─▶ ComparisonText, ComparisonFiles
 * }</pre>
 *
 * <p>{@code EngineOptions}, of options by idea, is the engine's side of their command lines.
 *
 * <p>Read {@link dev.headway.cli.simulate.ReplayCommand}, then {@link
 * dev.headway.cli.simulate.Simulation}. What is run is in {@link dev.headway.simulation.run}.
 */
@NullMarked
package dev.headway.cli.simulate;

import org.jspecify.annotations.NullMarked;
