package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.regression.FitQuality;
import dev.headway.simulation.step.OperatorTimes;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Predicted and measured step times.
 *
 * @param all over all steps
 * @param byRegime by what a step computes; regimes without a step are missing
 * @param byBatch by the number of requests in a step, up to and including the key
 * @param inBand share of the steps whose measured time is within the band of their prediction; NaN
 *     without a step that has a band
 * @param points at most {@value #MOST_POINTS} of the steps, evenly in time
 * @param driftAt number of the step, from 1, by which predictions had drifted; 0 if they have not
 */
public record StepTimeQuality(
    FitQuality all,
    Map<Regime, FitQuality> byRegime,
    Map<Integer, FitQuality> byBatch,
    double inBand,
    List<Point> points,
    long driftAt) {

  /** Most points that are kept for pictures. */
  public static final int MOST_POINTS = 2_000;

  private static final int[] BATCHES = {1, 4, 16, 64, 256, Integer.MAX_VALUE};

  /** A step. */
  public record Point(Regime regime, long beginNs, double predictedNs, double measuredNs) {}

  /** Makes the model of a run. */
  interface ModelOf {
    FittedStepTime on(ForwardPass pass, GpuSpec gpu, @Nullable OperatorTimes kernels);
  }

  static StepTimeQuality of(List<RunRows> runs, ModelOf models) {
    final FitQuality.Builder all = new FitQuality.Builder();
    final Map<Regime, FitQuality.Builder> byRegime = new EnumMap<>(Regime.class);
    final Map<Integer, FitQuality.Builder> byBatch = new TreeMap<>();
    final List<Point> points = new ArrayList<>();
    final int stride = Math.max(1, (RunRows.size(runs) + MOST_POINTS - 1) / MOST_POINTS);
    final StepFeatures step = new StepFeatures();
    final StepTimeDrift drift = new StepTimeDrift();
    int count = 0;
    int banded = 0;
    int within = 0;
    for (RunRows some : runs) {
      final RecordedSteps steps = some.run().steps();
      final FittedStepTime model =
          models.on(some.run().pass(), some.run().gpu(), some.run().kernels());
      for (int row : some.rows()) {
        steps.features(row, step);
        final double predicted = model.ns(step);
        final double measured = (double) steps.stepNs(row);
        final Regime regime = Regime.of(step);
        final ErrorBand band = model.band(step);
        banded += Double.isNaN(band.low()) ? 0 : 1;
        within += band.contains(measured / predicted) ? 1 : 0;
        all.add(predicted, measured);
        drift.add(Math.max(1, predicted), measured);
        byRegime.computeIfAbsent(regime, key -> new FitQuality.Builder()).add(predicted, measured);
        byBatch
            .computeIfAbsent(batch(step.requests()), key -> new FitQuality.Builder())
            .add(predicted, measured);
        if (count++ % stride == 0) {
          points.add(new Point(regime, steps.beginNs(row), predicted, measured));
        }
      }
    }
    final Map<Regime, FitQuality> regimes = new EnumMap<>(Regime.class);
    byRegime.forEach((regime, quality) -> regimes.put(regime, quality.build()));
    final Map<Integer, FitQuality> batches = new TreeMap<>();
    byBatch.forEach((batch, quality) -> batches.put(batch, quality.build()));
    return new StepTimeQuality(
        all.build(),
        regimes,
        batches,
        banded == 0 ? Double.NaN : (double) within / banded,
        List.copyOf(points),
        drift.drifts() ? drift.steps() : 0);
  }

  private static int batch(int requests) {
    int index = 0;
    while (requests > BATCHES[index]) {
      index++;
    }
    return BATCHES[index];
  }
}
