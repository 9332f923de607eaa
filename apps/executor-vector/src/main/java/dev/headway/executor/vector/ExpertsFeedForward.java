package dev.headway.executor.vector;

import dev.headway.executor.model.Activation;
import dev.headway.executor.reference.HostTask;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A mixture of experts. Rows are grouped by expert, so that a step reads the weights of each expert
 * that any row chose once, and no others; then each row sums its own in the order of the experts.
 * So a row's bits do not depend on the groups.
 */
final class ExpertsFeedForward implements FeedForward {

  /** An expert's matrices. */
  record Expert(PackedLinear gate, PackedLinear up, PackedLinear down) {}

  private final PackedLinear router;
  private final float[] correction;
  private final List<Expert> experts;
  private final @Nullable FeedForward shared;
  private final FeedForwardContext context;
  private final ExpertStates chosen;
  private final Activation activation;
  private final HostTask score = this::score;
  private final HostTask choose = this::choose;
  private final HostTask gather = this::gather;
  private final HostTask gateAndUp = this::gateAndUp;
  private final HostTask project = this::down;
  private final HostTask combine = this::combine;
  private int rows;

  /**
   * Takes the parts of a layer.
   *
   * @param correction as {@link dev.headway.executor.reference.ExpertChoice#choose} reads it
   * @param shared what all rows have beside, if there is any
   * @param chosen shared by the layers
   */
  ExpertsFeedForward(
      PackedLinear router,
      float[] correction,
      List<Expert> experts,
      @Nullable FeedForward shared,
      Activation activation,
      FeedForwardContext context,
      ExpertStates chosen) {
    this.activation = activation;
    this.router = router;
    this.correction = correction;
    this.experts = List.copyOf(experts);
    this.shared = shared;
    this.context = context;
    this.chosen = chosen;
  }

  @Override
  public void apply(int count) {
    rows = count;
    chosen.reserve(count);
    if (shared != null) {
      shared.apply(count);
    }
    final WorkerPool pool = context.pool();
    pool.forEach(router.panels(), router.work(count), score);
    pool.forEach(count, RowMath.ELEMENT * count * experts.size(), choose);
    chosen.group(count);
    final int slots = count * chosen.perRow();
    final Expert any = experts.getFirst();
    pool.forEach(slots, RowMath.ELEMENT * slots * context.states().hidden.stride(), gather);
    pool.forEach(chosen.active() * any.gate().panels(), 2 * any.gate().work(slots), gateAndUp);
    pool.forEach(chosen.active() * any.down().panels(), any.down().work(slots), project);
    pool.forEach(count, RowMath.ELEMENT * slots * context.states().hidden.stride(), combine);
  }

  private void score(int worker, int panel) {
    router.apply(panel, context.states().normed, rows, chosen.logits, context.slab(worker));
  }

  private void choose(int worker, int row) {
    chosen.choose(worker, row, correction);
  }

  private void gather(int worker, int place) {
    final Activations normed = context.states().normed;
    final int row = chosen.slotAt(place) / chosen.perRow();
    System.arraycopy(
        normed.values(),
        normed.at(row),
        chosen.inputs.values(),
        chosen.inputs.at(place),
        normed.stride());
  }

  private void gateAndUp(int worker, int index) {
    final int panels = experts.getFirst().gate().panels();
    final int panel = index % panels;
    final int group = index / panels;
    final Expert expert = experts.get(chosen.expert(group));
    final int from = chosen.begin(group);
    final int to = chosen.begin(group + 1);
    final float[] slab = context.slab(worker);
    expert.gate().apply(panel, chosen.inputs, from, to, chosen.gates, slab);
    expert.up().apply(panel, chosen.inputs, from, to, chosen.ups, slab);
    for (int place = from; place < to; place++) {
      final int at = chosen.gates.at(place) + panel * Lanes.PANEL;
      RowMath.gate(activation, chosen.gates.values(), chosen.ups.values(), at);
    }
  }

  private void down(int worker, int index) {
    final int panels = experts.getFirst().down().panels();
    final int group = index / panels;
    experts
        .get(chosen.expert(group))
        .down()
        .apply(
            index % panels,
            chosen.gates,
            chosen.begin(group),
            chosen.begin(group + 1),
            chosen.outputs,
            context.slab(worker));
  }

  /** Sums into the output of the row's first expert, then adds that to what is shared. */
  private void combine(int worker, int row) {
    final Activations added = context.states().added;
    final float[] outputs = chosen.outputs.values();
    final int size = added.stride();
    final int first = row * chosen.perRow();
    final int sum = chosen.outputs.at(chosen.placeOf(first));
    RowMath.scale(outputs, sum, chosen.weight(first), size);
    for (int slot = first + 1; slot < first + chosen.perRow(); slot++) {
      final int from = chosen.outputs.at(chosen.placeOf(slot));
      RowMath.addScaled(outputs, from, chosen.weight(slot), outputs, sum, size);
    }
    if (shared == null) {
      System.arraycopy(outputs, sum, added.values(), added.at(row), size);
    } else {
      RowMath.add(outputs, sum, added.values(), added.at(row), size);
    }
  }
}
