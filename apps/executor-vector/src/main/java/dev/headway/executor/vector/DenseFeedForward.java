package dev.headway.executor.vector;

import dev.headway.executor.model.Activation;
import dev.headway.executor.reference.HostTask;

/** A gated feed-forward for all rows; shared by panels of outputs. */
final class DenseFeedForward implements FeedForward {

  private final PackedLinear gate;
  private final PackedLinear up;
  private final PackedLinear down;
  private final Activation activation;
  private final FeedForwardContext context;
  private final HostTask gateAndUp = this::gateAndUp;
  private final HostTask project = this::down;
  private int rows;

  DenseFeedForward(
      PackedLinear gate,
      PackedLinear up,
      PackedLinear down,
      Activation activation,
      FeedForwardContext context) {
    this.activation = activation;
    this.gate = gate;
    this.up = up;
    this.down = down;
    this.context = context;
  }

  @Override
  public void apply(int count) {
    rows = count;
    context.pool().forEach(gate.panels(), 2 * gate.work(count), gateAndUp);
    context.pool().forEach(down.panels(), down.work(count), project);
  }

  private void gateAndUp(int worker, int panel) {
    final StepStates states = context.states();
    gate.apply(panel, states.normed, rows, states.gates, context.slab(worker));
    up.apply(panel, states.normed, rows, states.ups, context.slab(worker));
    for (int row = 0; row < rows; row++) {
      final int at = states.gates.at(row) + panel * Lanes.PANEL;
      RowMath.gate(activation, states.gates.values(), states.ups.values(), at);
    }
  }

  private void down(int worker, int panel) {
    final StepStates states = context.states();
    down.apply(panel, states.gates, rows, states.added, context.slab(worker));
  }
}
