package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.regression.Feature;
import dev.headway.simulation.step.ForwardPassTime;
import dev.headway.simulation.step.HostTime;
import dev.headway.simulation.step.OperatorTimes;

/**
 * What the operators of a step take, by their kind, and a constant per step, per request, and per
 * KV block that moves between device and host. Over a device's peaks no coefficient of an operator
 * is below 1: nothing is faster than the device.
 */
final class OperatorFeatures extends StepFeatureSet {

  private static final int KINDS = OperatorKind.values().length;
  private static final double MEASURED_LOWEST = 0.5;

  private final ForwardPassTime[] passes = new ForwardPassTime[KINDS];

  /**
   * The features of a model.
   *
   * @param base what the operators take
   * @param peaks whether that is at the device's peaks; otherwise as measured
   */
  OperatorFeatures(ForwardPass pass, OperatorTimes base, boolean peaks) {
    super(named(peaks));
    int column = 0;
    for (OperatorKind kind : OperatorKind.values()) {
      passes[column++] = new ForwardPassTime(pass, ScaledOperators.only(base, kind), HostTime.NONE);
    }
  }

  private static Feature[] named(boolean peaks) {
    final Feature[] features = new Feature[KINDS + 4];
    int column = 0;
    for (OperatorKind kind : OperatorKind.values()) {
      features[column++] =
          peaks
              ? new Feature(kind.label(), "ns at the peak", kind.lowest(), kind.prior())
              : new Feature(
                  kind.label(), "ns as measured", measuredLowest(kind), Math.min(kind.prior(), 1));
    }
    features[column++] = Feature.added("step", "");
    features[column++] = Feature.added("request", "requests");
    features[column++] = Feature.added("saved_block", "blocks");
    features[column] = Feature.added("loaded_block", "blocks");
    return features;
  }

  /** Kernels may be faster in a server than alone; an all-reduce may hide behind products whole. */
  private static double measuredLowest(OperatorKind kind) {
    return kind == OperatorKind.ALL_REDUCE ? 0 : Math.min(kind.lowest(), MEASURED_LOWEST);
  }

  @Override
  void fill(StepFeatures step, double[] into) {
    for (int kind = 0; kind < KINDS; kind++) {
      into[kind] = passes[kind].ns(step);
    }
    into[KINDS] = 1;
    into[KINDS + 1] = step.requests();
    into[KINDS + 2] = step.savedBlocks();
    into[KINDS + 3] = step.loadedBlocks();
  }
}
