package dev.headway.simulation.fit;

import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.step.OperatorTimes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A model of step times, fitted on blocks of time all over each run, and what it is worth on the
 * rest, of which it has seen nothing ({@link RunRows#split}).
 */
public final class StepTimeFit {

  /** Fewer steps than this say too little. */
  public static final int FEWEST_STEPS = 50;

  private final double share;
  private final List<RecordedRun> runs;
  private final StepTimeFitter fitter;
  private final FittedSteps fitted;
  private final @Nullable FittedSteps physics;
  private final ErrorBands bands;
  private final StepTimeQuality trained;
  private final StepTimeQuality held;
  private @Nullable Map<String, StepTimeQuality> leftOut;

  private StepTimeFit(List<RecordedRun> runs, @Nullable StepTimeForm form, double share) {
    this.runs = List.copyOf(runs);
    this.share = share;
    final RunRows.Split split = RunRows.split(runs, share);
    fitter = new StepTimeFitter(split.fitted(), form);
    fitted = fitter.fit();
    physics = fitter.fitPhysics();
    bands = ErrorBands.of(fitter);
    trained = StepTimeQuality.of(split.fitted(), this::on);
    held = StepTimeQuality.of(split.held(), this::on);
  }

  /**
   * Fits a model.
   *
   * @param runs of which a share of the steps is fitted
   * @param form of the part that the device takes; null for the better of {@link
   *     StepTimeForm#PHYSICS} and, if all runs are of one model on one device, {@link
   *     StepTimeForm#PIECEWISE}, by cross-validation over times and loads
   * @param share how much of it, in (0, 1)
   * @throws IllegalArgumentException if a run has fewer than {@link #FEWEST_STEPS} steps, or pieces
   *     are asked for runs of several models or devices
   */
  public static StepTimeFit of(List<RecordedRun> runs, @Nullable StepTimeForm form, double share) {
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
    if (form == StepTimeForm.PIECEWISE
        && !StepTimeFitter.isOneMachine(runs.stream().map(RunRows::all).toList())) {
      throw new IllegalArgumentException(
          "--form piecewise is of one model on one device: fit each alone, or take --form physics");
    }
    return new StepTimeFit(runs, form, share);
  }

  /**
   * The model for a model and a device, those that were recorded or, in a form other than {@link
   * StepTimeForm#PIECEWISE}, others.
   */
  public FittedStepTime on(ForwardPass pass, GpuSpec gpu, @Nullable OperatorTimes kernels) {
    return fitted.on(pass, gpu, kernels, bands);
  }

  /** The same steps as physics, which carries over to other devices; null if all is physics. */
  @Nullable FittedSteps physics() {
    return physics;
  }

  /**
   * Errors on each run of a model that was fitted on the others; empty for a single run. Fits as
   * many models as there are runs when it is first asked for.
   */
  public Map<String, StepTimeQuality> leftOut() {
    if (leftOut == null) {
      leftOut = Collections.unmodifiableMap(leaveEachOut());
    }
    return leftOut;
  }

  private Map<String, StepTimeQuality> leaveEachOut() {
    final Map<String, StepTimeQuality> result = new LinkedHashMap<>();
    if (runs.size() > 1) {
      for (RecordedRun run : runs) {
        final List<RecordedRun> others = new ArrayList<>(runs);
        others.remove(run);
        final StepTimeFitter without =
            new StepTimeFitter(RunRows.split(others, share).fitted(), form());
        final FittedSteps steps = without.fit();
        final ErrorBands around = ErrorBands.of(without);
        result.put(
            run.steps().label(),
            StepTimeQuality.of(
                List.of(RunRows.all(run)),
                (pass, gpu, kernels) -> steps.on(pass, gpu, kernels, around)));
      }
    }
    return result;
  }

  /** What the part that the device takes is made of. */
  public StepTimeForm form() {
    return fitter.form();
  }

  /** The forms that were compared, with their errors; one if it was given. */
  public Map<StepTimeForm, CrossValidation> forms() {
    return fitter.forms();
  }

  /** How much of the steps was fitted. */
  public double share() {
    return share;
  }

  /** The runs that were fitted. */
  public List<RecordedRun> runs() {
    return runs;
  }

  /** The parts of a step's time. */
  public List<FittedPart> parts() {
    return fitted.parts();
  }

  /** What was tried for a part. */
  public Tuning tuning(StepPart part) {
    return fitter.tuning(part);
  }

  /** What the residuals were corrected by; null if that was not worth it. */
  @Nullable ResidualCorrection correction() {
    return fitted.correction();
  }

  /** Whether residuals are corrected by a regression of their own. */
  public boolean isCorrected() {
    return fitted.correction() != null;
  }

  /** The smallest and the largest steps that were fitted. */
  public StepRange range() {
    return fitted.range();
  }

  /** How far measured times are from predictions, as steps that were left out in turn say. */
  public ErrorBands bands() {
    return bands;
  }

  /** How good the model is on what it was fitted on. */
  public StepTimeQuality trained() {
    return trained;
  }

  /** How good it is on the steps that were held out. */
  public StepTimeQuality held() {
    return held;
  }
}
