/**
 * Which machine to rent for a load: the largest rate that each of many configurations sustains
 * within limits of latency, and the cheapest one that sustains a wanted rate.
 *
 * <pre>{@code
 * PlanCandidate, many ─▶ RateEstimate (step times alone) ─▶ one instance, a short part of the load
 *                                        ─▶ all instances behind the router, the whole load ─▶ PlannedMachine
 * }</pre>
 *
 * <p>Read {@link dev.headway.simulation.plan.MachinePlan}. Equal inputs give equal results, with
 * any number of threads.
 */
@NullMarked
package dev.headway.simulation.plan;

import org.jspecify.annotations.NullMarked;
