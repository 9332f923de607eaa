package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.model.AttentionCall;
import dev.headway.simulation.model.ExpertCall;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.MatMul;
import dev.headway.simulation.step.OperatorTimes;
import dev.headway.simulation.step.Roofline;

/** Operators that take a multiple, by their kind, of what they take elsewhere. One thread. */
final class ScaledOperators implements OperatorTimes {

  private final OperatorTimes base;
  private final double[] factors;
  private final StepFeatures part = new StepFeatures();

  /**
   * Scales operators.
   *
   * @param factors one per {@link OperatorKind}, in its order; more are not looked at
   */
  ScaledOperators(OperatorTimes base, double[] factors) {
    this.base = base;
    this.factors = factors.clone();
  }

  /** Operators of one kind as they are, and all others at no time. */
  static ScaledOperators only(OperatorTimes base, OperatorKind kind) {
    final double[] factors = new double[OperatorKind.values().length];
    factors[index(kind)] = 1;
    return new ScaledOperators(base, factors);
  }

  @SuppressWarnings("EnumOrdinal") // an index within this process
  static int index(OperatorKind kind) {
    return kind.ordinal();
  }

  private double factor(OperatorKind kind) {
    return factors[index(kind)];
  }

  @Override
  public double matMulNs(MatMul matMul, double rows) {
    final OperatorKind kind =
        base.isBoundByMemory(matMul, rows) ? OperatorKind.MEMORY : OperatorKind.MAT_MULS;
    final double factor = factor(kind);
    final double ns = factor == 0 ? 0 : factor * base.matMulNs(matMul, rows);
    final double more = factor(OperatorKind.BEYOND_TILES);
    return more > 0 && base instanceof Roofline roofline
        ? ns + more * roofline.beyondTilesNs(matMul, rows)
        : ns;
  }

  @Override
  public double attentionNs(AttentionCall call, StepFeatures step) {
    double ns = 0;
    final double ofPrefills = factor(OperatorKind.PREFILL_ATTENTION);
    if (ofPrefills > 0 && step.prefillRequests() > 0) {
      part.begin();
      part.addPrefills(
          step.prefillRequests(),
          step.prefillTokens(),
          step.prefillContextTokens(),
          step.twicePrefillPairs());
      ns += ofPrefills * base.attentionNs(call, part);
    }
    final double ofDecodes = factor(OperatorKind.DECODE_ATTENTION);
    if (ofDecodes > 0 && step.decodeRequests() > 0) {
      part.begin();
      part.addDecodes(
          step.decodeRequests(),
          step.decodeTokens(),
          step.decodeContextTokens(),
          step.decodeContextSquares(),
          step.draftingRequests());
      part.addLongestDecodeContext(step.longestDecodeContext());
      ns += ofDecodes * base.attentionNs(call, part);
    }
    return ns;
  }

  @Override
  public double expertsNs(ExpertCall experts, double tokens) {
    final double factor = factor(OperatorKind.EXPERTS);
    return factor == 0 ? 0 : factor * base.expertsNs(experts, tokens);
  }

  @Override
  public double elementwiseNs(ForwardPass pass, double tokens) {
    final double factor = factor(OperatorKind.MEMORY);
    return factor == 0 ? 0 : factor * base.elementwiseNs(pass, tokens);
  }

  @Override
  public double samplingNs(double rows) {
    final double factor = factor(OperatorKind.MEMORY);
    return factor == 0 ? 0 : factor * base.samplingNs(rows);
  }

  @Override
  public double allReduceNs(double bytes, int devices) {
    final double factor = factor(OperatorKind.ALL_REDUCE);
    return factor == 0 ? 0 : factor * base.allReduceNs(bytes, devices);
  }

  @Override
  public String toString() {
    return "fitted " + base;
  }
}
