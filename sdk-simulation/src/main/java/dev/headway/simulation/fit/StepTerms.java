package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.AttentionCall;
import dev.headway.simulation.model.ExpertCall;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.MatMul;
import dev.headway.simulation.model.MatMul.Rows;
import dev.headway.simulation.step.Roofline;
import dev.headway.simulation.step.Roofline.Shares;

/** The terms of a step of one model on one device. Allocates nothing; one thread. */
@SuppressWarnings("EnumOrdinal") // indices within this process
final class StepTerms {

  private static final int COUNT = Term.values().length;

  private final ForwardPass pass;
  private final Roofline peak;

  StepTerms(ForwardPass pass, GpuSpec gpu) {
    this.pass = pass;
    peak = new Roofline(gpu, Shares.PEAK);
  }

  /** Bounds, in the order of {@link Term}. */
  static double[] lowerBounds() {
    final double[] bounds = new double[COUNT];
    for (Term term : Term.values()) {
      bounds[term.ordinal()] = term.lowerBound();
    }
    return bounds;
  }

  /** Priors, in the order of {@link Term}. */
  static double[] priors() {
    final double[] priors = new double[COUNT];
    for (Term term : Term.values()) {
      priors[term.ordinal()] = term.prior();
    }
    return priors;
  }

  /** Fills in the terms of a step with requests. */
  void fill(StepFeatures step, double[] into) {
    final double tokens = step.totalTokens();
    into[Term.MAT_MULS.ordinal()] =
        matMulsNs(Rows.TOKENS, tokens)
            + matMulsNs(Rows.SAMPLED, (double) step.samplingRequests() + step.draftTokens());
    double prefill = 0;
    double decode = 0;
    for (AttentionCall call : pass.attention()) {
      prefill +=
          step.prefillRequests() == 0 ? 0 : call.layers() * peak.prefillAttentionNs(call, step);
      decode += step.decodeRequests() == 0 ? 0 : call.layers() * peak.decodeAttentionNs(call, step);
    }
    into[Term.PREFILL_ATTENTION.ordinal()] = prefill;
    into[Term.DECODE_ATTENTION.ordinal()] = decode;
    final ExpertCall experts = pass.experts();
    into[Term.EXPERTS.ordinal()] =
        experts == null ? 0 : experts.spec().layers() * peak.expertsNs(experts, tokens);
    into[Term.ELEMENTWISE.ordinal()] = peak.elementwiseNs(pass, tokens);
    into[Term.ALL_REDUCE.ordinal()] =
        pass.allReduces() == 0
            ? 0
            : pass.allReduces()
                * peak.allReduceNs(
                    tokens * pass.allReduceBytesPerToken(), pass.parallelism().tensor());
    into[Term.STEP.ordinal()] = 1;
    into[Term.REQUEST.ordinal()] = step.requests();
  }

  private double matMulsNs(Rows kind, double rows) {
    double ns = 0;
    for (MatMul matMul : pass.matMuls()) {
      if (matMul.rows() == kind && rows > 0) {
        ns += matMul.times() * peak.matMulNs(matMul, rows);
      }
    }
    return ns;
  }
}
