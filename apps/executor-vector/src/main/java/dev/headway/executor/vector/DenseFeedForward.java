package dev.headway.executor.vector;

import dev.headway.executor.model.Activation;
import dev.headway.executor.model.LoraTarget;
import dev.headway.executor.reference.HostTask;

/** A gated feed-forward for all rows; shared by panels of outputs. */
final class DenseFeedForward implements FeedForward {

  private final PackedLinear gate;
  private final PackedLinear up;
  private final PackedLinear down;
  private final Activation activation;
  private final boolean adapts;
  private final FeedForwardContext context;
  private final HostTask gateAndUp = this::gateAndUp;
  private final HostTask project = this::down;
  private final HostTask reduce = this::reduce;
  private int rows;

  /**
   * Takes the matrices.
   *
   * @param adapts whether adapters can change gate and input; what they make of the output is added
   *     with it
   */
  DenseFeedForward(
      PackedLinear gate,
      PackedLinear up,
      PackedLinear down,
      Activation activation,
      boolean adapts,
      FeedForwardContext context) {
    this.adapts = adapts;
    this.activation = activation;
    this.gate = gate;
    this.up = up;
    this.down = down;
    this.context = context;
  }

  @Override
  public void apply(int count) {
    rows = count;
    if (adapts && context.adapters().areThere()) {
      context.pool().forEach(count, RowMath.ELEMENT * count * gate.weights().inputs(), reduce);
    }
    context.pool().forEach(gate.panels(), 2 * gate.work(count), gateAndUp);
    context.pool().forEach(down.panels(), down.work(count), project);
  }

  private void gateAndUp(int worker, int panel) {
    final StepStates states = context.states();
    gate.apply(panel, states.normed, rows, states.gates, context.slab(worker));
    up.apply(panel, states.normed, rows, states.ups, context.slab(worker));
    if (adapts && context.adapters().areThere()) {
      context.adapters().expand(LoraTarget.GATE, panel, states.gates);
      context.adapters().expand(LoraTarget.UP, panel, states.ups);
    }
    for (int row = 0; row < rows; row++) {
      final int at = states.gates.at(row) + panel * Lanes.PANEL;
      RowMath.gate(activation, states.gates.values(), states.ups.values(), at);
    }
  }

  private void reduce(int worker, int row) {
    final Activations normed = context.states().normed;
    context.adapters().reduce(row, LoraTarget.GATE, normed.values(), normed.at(row));
    context.adapters().reduce(row, LoraTarget.UP, normed.values(), normed.at(row));
  }

  private void down(int worker, int panel) {
    final StepStates states = context.states();
    down.apply(panel, states.gates, rows, states.added, context.slab(worker));
  }
}
