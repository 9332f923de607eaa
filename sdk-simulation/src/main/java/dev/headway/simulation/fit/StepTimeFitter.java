package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.regression.Gram;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Chooses what a step's time is made of by cross-validation over times and loads, and fits it, on
 * the same rows or on some of them. One thread.
 */
final class StepTimeFitter {

  /** A correction must be better than the model by this, on blocks of time that it has not seen. */
  private static final double CORRECTION_WORTH = 0.01;

  /** Pieces must be better than this share of physics, which carries over to other devices. */
  private static final double PIECES_WORTH = 0.95;

  private final List<RunRows> rows;
  private final List<StepPart> parts;
  private final Map<StepPart, Choice> choices = new EnumMap<>(StepPart.class);
  private final Map<StepTimeForm, CrossValidation> forms = new EnumMap<>(StepTimeForm.class);

  private final @Nullable Choice physics;

  private record Choice(FormSettings settings, Tuning tuning) {}

  /**
   * Chooses.
   *
   * @param form of the part that the device takes; null for the better of physics and, for one
   *     model on one device, pieces
   */
  StepTimeFitter(List<RunRows> rows, @Nullable StepTimeForm form) {
    this.rows = List.copyOf(rows);
    parts =
        rows.stream().allMatch(some -> some.run().steps().hasForward())
            ? List.of(StepPart.FORWARD, StepPart.HOST)
            : List.of(StepPart.STEP);
    final StepPart device = parts.getFirst();
    Choice taken = tried(device, form == null ? StepTimeForm.PHYSICS : form);
    Choice other = null;
    if (form == null && isOneMachine(rows)) {
      final Choice pieces = tried(device, StepTimeForm.PIECEWISE);
      if (pieces.tuning.error().score() < PIECES_WORTH * taken.tuning.error().score()) {
        other = taken;
        taken = pieces;
      }
    } else if (form == StepTimeForm.PIECEWISE) {
      other = tried(device, StepTimeForm.PHYSICS);
    }
    physics = other;
    choices.put(device, taken);
    for (StepPart part : parts.subList(1, parts.size())) {
      choices.put(part, choice(part, taken.settings.form()));
    }
  }

  /** Whether all were recorded with one model on one device: pieces are times, not shares. */
  static boolean isOneMachine(List<RunRows> rows) {
    final RecordedRun first = rows.getFirst().run();
    return rows.stream()
        .map(RunRows::run)
        .allMatch(
            run ->
                run.gpu().equals(first.gpu())
                    && run.pass().model().toString().equals(first.pass().model().toString())
                    && run.pass().parallelism().equals(first.pass().parallelism()));
  }

  private Choice tried(StepPart part, StepTimeForm form) {
    final Choice choice = choice(part, form);
    forms.put(form, choice.tuning.error());
    return choice;
  }

  private Choice choice(StepPart part, StepTimeForm form) {
    final FormSettings plain = FormSettings.of(form);
    if (part == StepPart.HOST) {
      return new Choice(plain, Tuning.strength(rows, part, plain));
    }
    return switch (form) {
      case PHYSICS -> {
        final Tuning tuning = Tuning.sharpness(rows, part, plain);
        yield new Choice(plain.withSharpness(tuning.taken()), tuning);
      }
      case PIECEWISE -> {
        final FormSettings settings = plain.withClasses(RowClasses.of(rows));
        yield new Choice(settings, Tuning.strength(rows, part, settings));
      }
      case LINEAR, POLYNOMIAL, RIDGE, LASSO ->
          new Choice(plain, Tuning.strength(rows, part, plain));
    };
  }

  /** What the part that the device takes is made of. */
  StepTimeForm form() {
    return choice(parts.getFirst()).settings.form();
  }

  /** The forms that were compared, with their errors. */
  Map<StepTimeForm, CrossValidation> forms() {
    return Collections.unmodifiableMap(forms);
  }

  /** What was tried for a part. */
  Tuning tuning(StepPart part) {
    return choice(part).tuning;
  }

  private Choice choice(StepPart part) {
    final Choice choice = choices.get(part);
    if (choice == null) {
      throw new IllegalArgumentException("the part must be fitted: part=" + part);
    }
    return choice;
  }

  /** All rows. */
  List<RunRows> rows() {
    return rows;
  }

  /** Fits all rows. */
  FittedSteps fit() {
    return fit(rows);
  }

  /** All rows as physics, for other devices, where pieces were taken; else null. */
  @Nullable FittedSteps fitPhysics() {
    return physics == null ? null : fit(rows, physics);
  }

  /** Fits some of the rows, as was chosen on all of them. */
  FittedSteps fit(List<RunRows> some) {
    return fit(some, choice(parts.getFirst()));
  }

  private FittedSteps fit(List<RunRows> some, Choice device) {
    final List<FittedPart> fitted = new ArrayList<>();
    for (StepPart part : parts) {
      final Choice choice = part == parts.getFirst() ? device : choice(part);
      final Design design = Design.of(some, part, choice.settings);
      fitted.add(new PartFitter(design, part, choice.settings, choice.tuning.taken()).fit());
    }
    final FittedSteps plain = new FittedSteps(fitted, null, range(some));
    return device.settings.form() == StepTimeForm.PHYSICS
        ? new FittedSteps(fitted, correctionIfWorth(plain, some), plain.range())
        : plain;
  }

  private static StepRange range(List<RunRows> some) {
    StepRange range = StepRange.NONE;
    final StepFeatures step = new StepFeatures();
    for (RunRows rows : some) {
      for (int row : rows.rows()) {
        rows.run().steps().features(row, step);
        range = range.with(step);
      }
    }
    return range;
  }

  /** Fits a correction on the first half of each run's rows, and takes it if the second agrees. */
  private static @Nullable ResidualCorrection correctionIfWorth(
      FittedSteps fitted, List<RunRows> some) {
    final ResidualCorrection found = ResidualCorrection.of(residuals(fitted, halves(some, true)));
    double without = 0;
    double with = 0;
    final List<RunRows> second = halves(some, false);
    final StepFeatures step = new StepFeatures();
    for (RunRows rows : second) {
      final FittedStepTime model = fitted.on(rows.run());
      for (int row : rows.rows()) {
        rows.run().steps().features(row, step);
        final double predicted = model.ns(step);
        final double measured = (double) rows.run().steps().stepNs(row);
        without += Math.abs(predicted / measured - 1);
        with += Math.abs(predicted * found.factor(step, fitted.range()) / measured - 1);
      }
    }
    return without - with > CORRECTION_WORTH * RunRows.size(second)
        ? ResidualCorrection.of(residuals(fitted, some))
        : null;
  }

  private static List<RunRows> halves(List<RunRows> some, boolean isFirst) {
    return some.stream()
        .map(
            rows -> {
              final int half = rows.size() / 2;
              final int[] part =
                  isFirst
                      ? Arrays.copyOf(rows.rows(), half)
                      : Arrays.copyOfRange(rows.rows(), half, rows.size());
              return new RunRows(rows.run(), part);
            })
        .toList();
  }

  private static Gram residuals(FittedSteps fitted, List<RunRows> some) {
    final Gram gram = new Gram(ResidualCorrection.COLUMNS);
    final double[] base = new double[ResidualCorrection.BASE];
    final double[] into = new double[ResidualCorrection.COLUMNS];
    final StepFeatures step = new StepFeatures();
    for (RunRows rows : some) {
      final FittedStepTime model = fitted.on(rows.run());
      for (int row : rows.rows()) {
        rows.run().steps().features(row, step);
        ResidualCorrection.fill(step, base, into);
        final double predicted = Math.max(1, model.ns(step));
        gram.add(into, Math.log((double) rows.run().steps().stepNs(row) / predicted), 1);
      }
    }
    return gram;
  }
}
