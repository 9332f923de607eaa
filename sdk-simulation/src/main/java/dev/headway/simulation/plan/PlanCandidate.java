package dev.headway.simulation.plan;

import dev.headway.simulation.run.EngineSettings;
import java.util.function.Supplier;

/**
 * A configuration that may serve.
 *
 * @param number identifies it, and decides where nothing else does
 * @param instance what its instances are; of equal ones a single one is tried for all
 * @param engine makes the engine of an instance, a new step model each time; called by any thread
 * @param instances how many
 * @param router the routing policy before them, with its options
 * @param devices all of them together
 * @param costPerHour of all of them, >= 0: a price, or device-hours where no price is known
 */
public record PlanCandidate(
    int number,
    String instance,
    Supplier<EngineSettings> engine,
    int instances,
    String router,
    int devices,
    double costPerHour) {}
