/**
 * The program that simulates the real engine, scheduler and KV caches with faults. Read {@link
 * dev.headway.faultsim.FaultSim}, then {@link dev.headway.faultsim.HeadwayEngines}; the simulation
 * itself is {@code dev.headway.faultsim.simulation}.
 */
@NullMarked
package dev.headway.faultsim;

import org.jspecify.annotations.NullMarked;
