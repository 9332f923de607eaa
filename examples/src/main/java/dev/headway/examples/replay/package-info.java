/**
 * Replays a trace through a real engine in virtual time, and says what it saw.
 *
 * <pre>{@code
 * Workload ─▶ VirtualTimeDriver ─▶ Engine ─┬─▶ RunMeter ─▶ RunFigures ─▶ SummaryText, summary.json
 *                                          └─▶ journal ─▶ CSV files
 * }</pre>
 *
 * <p>Read {@link dev.headway.examples.replay.ReplayCommand}, then {@link
 * dev.headway.examples.replay.Simulation}, then {@link
 * dev.headway.examples.replay.VirtualTimeDriver}. Everything runs on the caller's thread. Nothing
 * of the time or place of a run enters the journal or the CSV files: equal inputs give equal bytes.
 */
@NullMarked
package dev.headway.examples.replay;

import org.jspecify.annotations.NullMarked;
