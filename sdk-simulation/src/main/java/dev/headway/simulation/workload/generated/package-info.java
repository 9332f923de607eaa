/**
 * Made-up loads: what arrives when, how long it is and what it shares, by a name with options.
 *
 * <p>Read {@link dev.headway.simulation.workload.generated.NamedLoads} for the names, then {@link
 * dev.headway.simulation.workload.generated.GeneratedLoad}. One thread per load. Equal texts give
 * equal requests on every machine.
 */
@NullMarked
package dev.headway.simulation.workload.generated;

import org.jspecify.annotations.NullMarked;
