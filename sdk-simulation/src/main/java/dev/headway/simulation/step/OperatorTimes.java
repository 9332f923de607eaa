package dev.headway.simulation.step;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.model.AttentionCall;
import dev.headway.simulation.model.ExpertCall;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.MatMul;

/** How long the operators of a forward pass take on a device, in ns. One thread. */
public interface OperatorTimes {

  /** One run of a multiplication over {@code rows} rows. */
  double matMulNs(MatMul matMul, double rows);

  /**
   * Whether memory rather than arithmetic bounds a multiplication; false where that is not known.
   */
  default boolean isBoundByMemory(MatMul matMul, double rows) {
    return false;
  }

  /** The attention of one layer: all entries of a step, prefill and decode. */
  double attentionNs(AttentionCall call, StepFeatures step);

  /** The routed experts of one layer for {@code tokens} tokens. */
  double expertsNs(ExpertCall experts, double tokens);

  /**
   * Everything between, in all layers together: embedding, norms, rotary embeddings, activation
   * functions, writes to the KV cache.
   */
  double elementwiseNs(ForwardPass pass, double tokens);

  /** Choosing tokens from the logits of {@code rows} rows; 0 where nothing is known of it. */
  default double samplingNs(double rows) {
    return 0;
  }

  /** One all-reduce of {@code bytes} bytes between {@code devices} devices. */
  double allReduceNs(double bytes, int devices);
}
