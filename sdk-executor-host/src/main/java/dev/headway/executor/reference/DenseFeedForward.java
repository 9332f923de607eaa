package dev.headway.executor.reference;

import dev.headway.executor.model.Activation;
import dev.headway.executor.model.LoraTarget;
import org.jspecify.annotations.Nullable;

/** A gated feed-forward: {@code down(activation(gate(x)) * up(x))} (Shazeer 2020). */
final class DenseFeedForward implements FeedForward {

  private final Linear gate;
  private final Linear up;
  private final Linear down;
  private final Activation activation;
  private final Precision precision;
  private final InnerStates inner;
  private final @Nullable RowDeltas deltas;

  /**
   * Takes the matrices.
   *
   * @param inner scratch memory; those that do not run at the same time may share it
   * @param deltas of adapters, whose rows are those of every call, for gate and input; null if none
   *     can change them. What they make of the output is for the caller to add, from {@code inner}
   */
  DenseFeedForward(
      Linear gate,
      Linear up,
      Linear down,
      Activation activation,
      Precision precision,
      InnerStates inner,
      @Nullable RowDeltas deltas) {
    this.deltas = deltas;
    this.activation = activation;
    this.gate = gate;
    this.up = up;
    this.down = down;
    this.precision = precision;
    this.inner = inner;
  }

  @Override
  public void apply(float[] normed, int rows, float[] added) {
    final int size = rows * gate.outputs();
    inner.reserve(rows, gate.outputs());
    final float[] gates = inner.gates();
    final float[] ups = inner.ups();
    gate.apply(normed, rows, gates);
    add(LoraTarget.GATE, normed, gate, gates);
    precision.round(gates, size);
    up.apply(normed, rows, ups);
    add(LoraTarget.UP, normed, up, ups);
    precision.round(ups, size);
    for (int i = 0; i < size; i++) {
      gates[i] = precision.round(activation.product(gates[i], ups[i]));
    }
    down.apply(gates, rows, added);
  }

  private void add(LoraTarget target, float[] x, Linear linear, float[] y) {
    if (deltas != null) {
      deltas.add(target, x, linear.inputs(), y, linear.outputs());
    }
  }
}
