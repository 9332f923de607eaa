package dev.headway.simulation.sweep;

import dev.headway.simulation.compare.Load;
import dev.headway.simulation.run.EngineSettings;
import org.jspecify.annotations.Nullable;

/**
 * What a run of a cell needs.
 *
 * @param load the requests
 * @param engine the engine that serves them
 * @param limits what requests shall meet; null if nothing was asked for
 * @param devices how many GPUs serve
 * @param pricePerDeviceHour of each of them, NaN if it is not known
 */
public record CellSetup(
    Load load,
    EngineSettings engine,
    @Nullable ServiceLimits limits,
    int devices,
    double pricePerDeviceHour) {}
