/**
 * Simulates an engine with everything that can go wrong, from one number: configuration, policies,
 * requests, operations of callers and faults of executors, listeners, probes and policies follow
 * from a seed. After every step the rules of {@link Rule} are checked.
 *
 * <pre>{@code
 * Scenario ─▶ FaultSimulation.run ─▶ Outcome: held, or the first Violation
 *                  │                              │
 *             EngineMaker: yours                Shrinker: the shortest scenario that still fails
 * }</pre>
 *
 * <p>Read {@link FaultSimulation}, then {@link Scenario} and {@link EngineMaker}, then {@code
 * World}. One thread drives everything, in virtual time, so that a scenario always does the same.
 * Nothing here knows an implementation: what is tested is what the {@link EngineMaker} returns.
 */
@NullMarked
package dev.headway.faultsim.simulation;

import org.jspecify.annotations.NullMarked;
