package dev.headway.api.config;

/**
 * Whether a waiting request takes the place of a less important running one when a seat or KV
 * blocks are all it lacks. Only under {@code QueuePolicy.PRIORITY}. Compares priorities only: with
 * arrival as a tie-breaker, two requests of equal priority would displace each other endlessly.
 *
 * @param mode whether it happens
 * @param minPriorityGap by how much the running request's priority number must be larger, >= 1
 * @param minStepsBetween steps that a request runs at least before it can be displaced (again), >=
 *     0
 */
public record Displacement(Mode mode, int minPriorityGap, int minStepsBetween) {

  /** Whether displacement happens. */
  public enum Mode {
    /** A waiting request waits, as in vLLM. */
    OFF,
    /** It displaces. */
    ON
  }

  /** A waiting request waits. */
  public static final Displacement OFF = new Displacement(Mode.OFF, 1, 0);

  /** Any more important request displaces at once. */
  public static final Displacement ON = new Displacement(Mode.ON, 1, 0);

  /** Validates the components. */
  public Displacement {
    if (minPriorityGap < 1) {
      throw new IllegalArgumentException(
          "minPriorityGap must be >= 1: minPriorityGap=" + minPriorityGap);
    }
    if (minStepsBetween < 0) {
      throw new IllegalArgumentException(
          "minStepsBetween must be >= 0: minStepsBetween=" + minStepsBetween);
    }
  }
}
