package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.regression.FitQuality;
import dev.headway.simulation.regression.Gram;
import dev.headway.simulation.step.OperatorTimes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A model of step times, fitted on the first part of the time of each run, and what it is worth on
 * the rest: later steps, so that nothing it is tested on is known.
 */
public final class StepTimeFit {

  /** Fewer steps than this say too little. */
  public static final int FEWEST_STEPS = 50;

  /** A correction must be better than the model by this, on blocks of time that it has not seen. */
  private static final double CORRECTION_WORTH = 0.01;

  private final StepTimeForm form;
  private final double share;
  private final List<RecordedRun> runs;
  private final List<FittedPart> parts = new ArrayList<>();
  private final Map<StepPart, Tuning> tunings = new EnumMap<>(StepPart.class);
  private final @Nullable ResidualCorrection correction;
  private StepRange range = StepRange.NONE;
  private final Map<Regime, ErrorBand> bands = new EnumMap<>(Regime.class);
  private final StepTimeQuality trained;
  private final StepTimeQuality held;
  private @Nullable Map<String, FitQuality> leftOut;

  private StepTimeFit(List<RecordedRun> runs, StepTimeForm form, double share) {
    this.runs = List.copyOf(runs);
    this.form = form;
    this.share = share;
    for (StepPart part : partsOf(runs)) {
      fit(part);
    }
    findRange();
    correction = form == StepTimeForm.PHYSICS ? correctionIfWorth() : null;
    trained = StepTimeQuality.of(runs, this::on, run -> 0, run -> run.split(share));
    held = StepTimeQuality.of(runs, this::on, run -> run.split(share), run -> run.steps().size());
    bands.putAll(held.bands());
  }

  /**
   * Fits a model.
   *
   * @param runs of which the first part of the time is fitted
   * @param share how much of it, in (0, 1)
   * @throws IllegalArgumentException if a run has fewer than {@link #FEWEST_STEPS} steps
   */
  public static StepTimeFit of(List<RecordedRun> runs, StepTimeForm form, double share) {
    if (!(share > 0 && share < 1)) {
      throw new IllegalArgumentException("the share to fit must be in (0, 1): share=" + share);
    }
    for (RecordedRun run : runs) {
      if (run.steps().size() < FEWEST_STEPS) {
        throw new IllegalArgumentException(
            "a fit needs at least "
                + FEWEST_STEPS
                + " steps: run="
                + run.steps().label()
                + ", steps="
                + run.steps().size()
                + ", left out="
                + run.steps().omitted());
      }
    }
    return new StepTimeFit(runs, form, share);
  }

  private static List<StepPart> partsOf(List<RecordedRun> runs) {
    return runs.stream().allMatch(run -> run.steps().hasForward())
        ? List.of(StepPart.FORWARD, StepPart.HOST)
        : List.of(StepPart.STEP);
  }

  private void fit(StepPart part) {
    double sharpness = Double.POSITIVE_INFINITY;
    final Design design;
    final Tuning tuning;
    if (form == StepTimeForm.PHYSICS && part != StepPart.HOST) {
      tuning = Tuning.sharpness(runs, share, part);
      sharpness = tuning.taken();
      design = Design.of(runs, share, part, form, sharpness);
    } else {
      design = Design.of(runs, share, part, form, sharpness);
      tuning = Tuning.strength(design, part, form);
    }
    tunings.put(part, tuning);
    parts.add(new PartFitter(design, part, form, tuning.taken()).fit(sharpness));
  }

  private void findRange() {
    final StepFeatures step = new StepFeatures();
    for (RecordedRun run : runs) {
      for (int row = 0; row < run.split(share); row++) {
        run.steps().features(row, step);
        range = range.with(step);
      }
    }
  }

  /** Fits a correction on the first half of what is fitted, and takes it if the second agrees. */
  private @Nullable ResidualCorrection correctionIfWorth() {
    final ResidualCorrection found = ResidualCorrection.of(residuals(0, 0.5));
    double without = 0;
    double with = 0;
    final StepFeatures step = new StepFeatures();
    for (RecordedRun run : runs) {
      final StepTimeModel model = on(run.pass(), run.gpu(), run.kernels());
      for (int row = run.split(share * 0.5); row < run.split(share); row++) {
        run.steps().features(row, step);
        final double predicted = model.ns(step);
        final double measured = (double) run.steps().stepNs(row);
        without += Math.abs(predicted / measured - 1);
        with += Math.abs(predicted * found.factor(step, range) / measured - 1);
      }
    }
    final int rows = runs.stream().mapToInt(run -> run.split(share) - run.split(share * 0.5)).sum();
    return without - with > CORRECTION_WORTH * rows ? ResidualCorrection.of(residuals(0, 1)) : null;
  }

  private Gram residuals(double from, double to) {
    final Gram gram = new Gram(ResidualCorrection.COLUMNS);
    final double[] base = new double[ResidualCorrection.COLUMNS];
    final double[] into = new double[ResidualCorrection.COLUMNS];
    final StepFeatures step = new StepFeatures();
    for (RecordedRun run : runs) {
      final StepTimeModel model = on(run.pass(), run.gpu(), run.kernels());
      for (int row = run.split(share * from); row < run.split(share * to); row++) {
        run.steps().features(row, step);
        ResidualCorrection.fill(step, base, into);
        final double predicted = Math.max(1, model.ns(step));
        gram.add(into, Math.log((double) run.steps().stepNs(row) / predicted), 1);
      }
    }
    return gram;
  }

  /** The model for a model and a device, those that were recorded or others. */
  public StepTimeModel on(ForwardPass pass, GpuSpec gpu, @Nullable OperatorTimes kernels) {
    return new StepTimeModel(parts, correction, range, bands, pass, gpu, kernels);
  }

  /**
   * Errors on each run of a model that was fitted on the others; empty for a single run. Fits as
   * many models as there are runs when it is first asked for.
   */
  public Map<String, FitQuality> leftOut() {
    if (leftOut == null) {
      leftOut = Collections.unmodifiableMap(leaveEachOut());
    }
    return leftOut;
  }

  private Map<String, FitQuality> leaveEachOut() {
    final Map<String, FitQuality> result = new LinkedHashMap<>();
    if (runs.size() > 1) {
      for (RecordedRun run : runs) {
        final List<RecordedRun> others = new ArrayList<>(runs);
        others.remove(run);
        final StepTimeFit fit = new StepTimeFit(others, form, share);
        result.put(
            run.steps().label(),
            StepTimeQuality.of(List.of(run), fit::on, none -> 0, all -> all.steps().size()).all());
      }
    }
    return result;
  }

  /** What the model is made of. */
  public StepTimeForm form() {
    return form;
  }

  /** How much of the time was fitted. */
  public double share() {
    return share;
  }

  /** The runs that were fitted. */
  public List<RecordedRun> runs() {
    return runs;
  }

  /** The parts of a step's time. */
  public List<FittedPart> parts() {
    return List.copyOf(parts);
  }

  /** What was tried for a part. */
  public Tuning tuning(StepPart part) {
    final Tuning tuning = tunings.get(part);
    if (tuning == null) {
      throw new IllegalArgumentException("the part must be fitted: part=" + part);
    }
    return tuning;
  }

  /** What the residuals were corrected by; null if that was not worth it. */
  @Nullable ResidualCorrection correction() {
    return correction;
  }

  /** Whether residuals are corrected by a regression of their own. */
  public boolean isCorrected() {
    return correction != null;
  }

  /** The largest steps that were fitted. */
  public StepRange range() {
    return range;
  }

  /** How good the model is on what it was fitted on. */
  public StepTimeQuality trained() {
    return trained;
  }

  /** How good it is on later steps. */
  public StepTimeQuality held() {
    return held;
  }
}
