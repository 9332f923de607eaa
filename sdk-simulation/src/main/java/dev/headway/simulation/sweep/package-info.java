/**
 * Many simulated runs over a grid or a random sample of parameters, one row of figures per run.
 *
 * <pre>{@code
 * SweepPlan ─▶ SweepCell ─▶ CellSource ─▶ CellSetup ─▶ CellRun ─▶ CellFigures ─▶ SweepRow
 *   (pure)    (parameters)  (a program's)                                     (SweepTable)
 *
 * SweepRunner: the cells of a Shard, rows in the order of the cells ─▶ RowSink
 * }</pre>
 *
 * <p>A row is a function of the plan and the number of its cell: threads, shards and machines do
 * not change it. Read {@link dev.headway.simulation.sweep.SweepPlan}, then {@link
 * dev.headway.simulation.sweep.SweepCells}, then {@link
 * dev.headway.simulation.sweep.LocalSweepRunner}.
 */
@NullMarked
package dev.headway.simulation.sweep;

import org.jspecify.annotations.NullMarked;
