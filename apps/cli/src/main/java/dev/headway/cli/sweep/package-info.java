/**
 * {@code headway sweep}: many simulated runs by a plan.
 *
 * <pre>{@code
 * PLAN.yaml ─▶ YamlTree ─▶ PlanReader ─▶ SweepJob ─▶ SweepRunner ─▶ SweepFiles
 * }</pre>
 *
 * <p>Read {@link dev.headway.cli.sweep.SweepJob}, then {@link dev.headway.cli.sweep.SweepCommand}.
 * What a cell is and does is in {@link dev.headway.simulation.sweep}.
 */
@NullMarked
package dev.headway.cli.sweep;

import org.jspecify.annotations.NullMarked;
