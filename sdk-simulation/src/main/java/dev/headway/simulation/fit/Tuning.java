package dev.headway.simulation.fit;

import java.util.ArrayList;
import java.util.List;

/**
 * What was tried for a part, and taken.
 *
 * @param name of what was varied: sharpness or strength; empty if nothing was
 * @param tried each value with its error on blocks of time
 * @param taken of them
 */
public record Tuning(String name, List<Trial> tried, double taken) {

  /** A tenth of a point is no reason to leave the simplest. */
  private static final double WORTH = 0.001;

  private static final double[] SHARPNESS = {Double.POSITIVE_INFINITY, 8, 4, 2};
  static final double[] RIDGES = {1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1};
  static final double[] LASSOS = {1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2};

  /** A value and its error on blocks of time. */
  public record Trial(double value, CrossValidation error) {}

  /** Copies the list. */
  public Tuning {
    tried = List.copyOf(tried);
  }

  /** Of the roofline: how sharp its ridge is. */
  static Tuning sharpness(List<RunRows> rows, StepPart part, FormSettings settings) {
    final boolean hasRoofline = rows.stream().anyMatch(some -> some.run().kernels() == null);
    final Folds times = Folds.ofTimes(rows);
    final Folds loads = Folds.ofLoads(rows);
    final List<Trial> trials = new ArrayList<>();
    for (double value : hasRoofline ? SHARPNESS : new double[] {Double.POSITIVE_INFINITY}) {
      final FormSettings tried = settings.withSharpness(value);
      final Design design = Design.of(rows, part, tried);
      trials.add(new Trial(value, CrossValidation.of(design, times, loads, part, tried, 0)));
    }
    Trial best = trials.getFirst();
    for (Trial trial : trials) {
      if (trial.error.meanError() < best.error.meanError() - WORTH) {
        best = trial;
      }
    }
    return new Tuning("sharpness", trials, best.value);
  }

  /** Of a penalty: the best for ridge; for lasso the strongest within a standard error of it. */
  static Tuning strength(List<RunRows> rows, StepPart part, FormSettings settings) {
    final Design design = Design.of(rows, part, settings);
    final Folds times = Folds.ofTimes(rows);
    final Folds loads = Folds.ofLoads(rows);
    final StepTimeForm form = settings.form();
    if (part == StepPart.HOST || (form != StepTimeForm.RIDGE && form != StepTimeForm.LASSO)) {
      final CrossValidation error = CrossValidation.of(design, times, loads, part, settings, 0);
      return new Tuning("", List.of(new Trial(0, error)), 0);
    }
    final List<Trial> trials = new ArrayList<>();
    for (double value : form == StepTimeForm.RIDGE ? RIDGES : LASSOS) {
      trials.add(new Trial(value, CrossValidation.of(design, times, loads, part, settings, value)));
    }
    Trial best = trials.getFirst();
    for (Trial trial : trials) {
      best = trial.error.meanError() < best.error.meanError() ? trial : best;
    }
    if (form == StepTimeForm.LASSO) {
      final double limit = best.error.meanError() + best.error.standardError();
      for (Trial trial : trials) {
        best = trial.error.meanError() <= limit && trial.value > best.value ? trial : best;
      }
    }
    return new Tuning("strength", trials, best.value);
  }

  /** The error of what was taken. */
  public CrossValidation error() {
    return tried.stream().filter(trial -> trial.value == taken).findFirst().orElseThrow().error();
  }
}
