package dev.headway.simulation.plan;

import dev.headway.api.step.LatencyModel;
import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.fit.ErrorBand;
import dev.headway.simulation.fit.FittedStepTime;
import dev.headway.simulation.fit.Regime;
import java.util.function.ToDoubleFunction;

/**
 * Step times at one end of the band that nine in ten measured steps were in, each step by its
 * regime and, outside of what was fitted, by how far. All steps at one end at once is more than a
 * run of independent steps would show, so what follows from it is wider than nine in ten. One
 * thread.
 */
final class BandedStepTime implements LatencyModel {

  private final FittedStepTime model;
  private final ToDoubleFunction<ErrorBand> end;

  private BandedStepTime(FittedStepTime model, ToDoubleFunction<ErrorBand> end) {
    this.model = model;
    this.end = end;
  }

  /** Steps as fast as the band has them; a regime without a band keeps the prediction. */
  static LatencyModel fast(LatencyModel model) {
    return new BandedStepTime((FittedStepTime) model, ErrorBand::low);
  }

  /** Steps as slow as the band has them. */
  static LatencyModel slow(LatencyModel model) {
    return new BandedStepTime((FittedStepTime) model, ErrorBand::high);
  }

  /** Whether there is a band for any regime. */
  static boolean isKnown(LatencyModel model) {
    if (model instanceof FittedStepTime fitted) {
      for (Regime regime : Regime.values()) {
        if (!Double.isNaN(fitted.band(regime).high())) {
          return true;
        }
      }
    }
    return false;
  }

  @Override
  public long stepNs(StepFeatures step) {
    final long ns = model.stepNs(step);
    final double factor = end.applyAsDouble(model.band(step));
    return Double.isNaN(factor) ? ns : Math.round(ns * factor);
  }

  @Override
  public String toString() {
    return model + ", one end of its band";
  }
}
