package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.fit.TrainingSteps.TimedStep;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.ForwardPass;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A model fitted on the first part of the steps, and what it is worth on the rest: later steps, so
 * that nothing it is tested on is known. Errors are relative ones, since the weight of a step is
 * one over its time squared: 3 ms decodes count as much as 300 ms prefills.
 *
 * @param model fitted on {@code training} steps
 * @param trained quality on these
 * @param held quality on the steps after them
 * @param heldByRegime the same, by what the steps computed
 * @param unseen terms that no step had anything of: their coefficients are priors
 */
public record StepTimeFit(
    StepTimeModel model,
    FitQuality trained,
    FitQuality held,
    Map<Regime, FitQuality> heldByRegime,
    Set<Term> unseen) {

  /** Fewer steps than this say too little. */
  public static final int FEWEST_STEPS = 50;

  private static final double TRAINING_SHARE = 0.8;
  private static final double RIDGE = 1e-4;

  /** What a step computes. */
  public enum Regime {
    /** Decodes only. */
    DECODE("decode"),
    /** Prefills only. */
    PREFILL("prefill"),
    /** Both. */
    MIXED("mixed");

    private final String label;

    Regime(String label) {
      this.label = label;
    }

    /** The word for it. */
    public String label() {
      return label;
    }

    static Regime of(StepFeatures step) {
      if (step.prefillRequests() == 0) {
        return DECODE;
      }
      return step.decodeRequests() == 0 ? PREFILL : MIXED;
    }
  }

  /**
   * Fits a model.
   *
   * @param pass what is computed
   * @param gpu on what
   * @throws IllegalArgumentException if there are fewer than {@link #FEWEST_STEPS} steps
   */
  public static StepTimeFit of(TrainingSteps steps, ForwardPass pass, GpuSpec gpu) {
    if (steps.size() < FEWEST_STEPS) {
      throw new IllegalArgumentException(
          "a fit needs at least "
              + FEWEST_STEPS
              + " steps: steps="
              + steps.size()
              + ", left out="
              + steps.omitted());
    }
    final int split = (int) (steps.size() * TRAINING_SHARE);
    final List<TimedStep> training = steps.slice(0, split);
    final List<TimedStep> held = steps.slice(split, steps.size());
    final BoundedLeastSquares squares = new BoundedLeastSquares(StepTerms.lowerBounds());
    final StepTerms terms = new StepTerms(pass, gpu);
    final double[] row = new double[Term.values().length];
    for (TimedStep step : training) {
      terms.fill(step.features(), row);
      squares.add(row, (double) step.ns(), 1.0 / step.ns() / step.ns());
    }
    final StepTimeModel model =
        new StepTimeModel(pass, gpu, squares.solve(StepTerms.priors(), RIDGE));
    final Map<Regime, FitQuality> byRegime = new EnumMap<>(Regime.class);
    for (Regime regime : Regime.values()) {
      byRegime.put(
          regime,
          quality(
              model, held.stream().filter(step -> Regime.of(step.features()) == regime).toList()));
    }
    return new StepTimeFit(
        model, quality(model, training), quality(model, held), byRegime, unseen(squares));
  }

  @SuppressWarnings("EnumOrdinal") // an index within this process
  private static Set<Term> unseen(BoundedLeastSquares squares) {
    final Set<Term> unseen = EnumSet.noneOf(Term.class);
    for (Term term : Term.values()) {
      if (!squares.isSeen(term.ordinal())) {
        unseen.add(term);
      }
    }
    return unseen;
  }

  private static FitQuality quality(StepTimeModel model, List<TimedStep> steps) {
    final FitQuality.Builder quality = new FitQuality.Builder();
    for (TimedStep step : steps) {
      quality.add((double) model.stepNs(step.features()), (double) step.ns());
    }
    return quality.build();
  }
}
