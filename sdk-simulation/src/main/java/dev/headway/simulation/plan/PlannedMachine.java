package dev.headway.simulation.plan;

import org.jspecify.annotations.Nullable;

/**
 * What is known of a configuration.
 *
 * @param candidate the configuration
 * @param stage how it was found
 * @param sampleRate requests per second that the sample says: of one instance, times the instances
 * @param maxRate largest rate tried that kept to the limits; 0 if none did
 * @param notMetAt least rate tried that did not; NaN if all did, up to what step times allow
 * @param limitedBy the run at {@code notMetAt}; null if there is none
 * @param atWanted the run at the wanted rate; null of a sample
 * @param interval the rates at the ends of the step model's band; null where none is known
 * @param runs simulations made for it; those of a sample count for all with equal instances
 */
public record PlannedMachine(
    PlanCandidate candidate,
    Stage stage,
    double sampleRate,
    double maxRate,
    double notMetAt,
    @Nullable RateRun limitedBy,
    @Nullable RateRun atWanted,
    @Nullable RateInterval interval,
    int runs) {

  /** How the rate was found. */
  public enum Stage {
    /** From one instance and a short part of the load. */
    SAMPLE("sample"),
    /** From all instances behind the router and the whole load. */
    FULL("full");

    private final String label;

    Stage(String label) {
      this.label = label;
    }

    /** The word for it in files. */
    public String label() {
      return label;
    }
  }

  /**
   * What the ends of the step model's band give.
   *
   * @param slowRate largest rate if all steps are as slow as nine in ten measured ones at most were
   * @param fastRate if all are as fast
   * @param slowAtWanted the run at the wanted rate with slow steps
   */
  public record RateInterval(double slowRate, double fastRate, RateRun slowAtWanted) {}
}
