/**
 * Several instances of a server behind a router, in one virtual time.
 *
 * <pre>{@code
 * Workload ─▶ FleetRun ─▶ RequestRouter ─▶ FleetInstance (engine, clock, KV cache), N times
 *                 ▲  what instances report, so much later  │
 *                 └──────────── FleetSignals ◀─────────────┘
 * }</pre>
 *
 * <p>Read {@link dev.headway.simulation.fleet.FleetRun}. Instances do not act on each other between
 * two arrivals, so each runs up to the next one by itself; everything happens on the caller's
 * thread, and equal inputs give equal results.
 */
@NullMarked
package dev.headway.simulation.fleet;

import org.jspecify.annotations.NullMarked;
