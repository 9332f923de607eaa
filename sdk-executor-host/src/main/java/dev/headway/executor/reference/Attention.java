package dev.headway.executor.reference;

import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.ModelConfig;
import org.jspecify.annotations.Nullable;

/**
 * Causal grouped-query attention over paged keys and values, one row and one head at a time: {@code
 * softmax(scale * q K^T) V} over all positions up to the row's own, or over the last of them in a
 * layer with a window. A sink takes part in the softmax as the score of a position without a value.
 */
final class Attention {

  private final AttentionShape shape;
  private final float scale;
  private final Precision precision;
  private float[] weights = new float[64];
  private int[] offsets = new int[64];

  Attention(ModelConfig config, Precision precision) {
    this.shape = config.attention();
    this.scale = config.attentionScale();
    this.precision = precision;
  }

  /**
   * Sets the heads of row {@code row} of {@code out} for the queries of that row.
   *
   * @param sinks of each head; null in models without
   */
  void apply(
      float[] queries,
      Rows rows,
      int row,
      PagedKv kv,
      int layer,
      float @Nullable [] sinks,
      float[] out) {
    final int group = kv.layers().group(layer);
    final int window = kv.layers().window(group);
    final int end = rows.position(row) + 1;
    final int context = window == 0 ? end : Math.min(end, window);
    if (weights.length < context) {
      weights = new float[2 * context];
      offsets = new int[2 * context];
    }
    final int[] blockTable = rows.blockTable(row, group);
    for (int i = 0; i < context; i++) {
      offsets[i] = kv.offset(blockTable, end - context + i);
    }
    for (int head = 0; head < shape.heads(); head++) {
      final int kvHead = head / shape.queriesPerKv() * shape.headDim();
      final int at = row * shape.queryDim() + head * shape.headDim();
      final float sink = sinks == null ? Float.NEGATIVE_INFINITY : sinks[head];
      softmaxOfScores(queries, at, kv.keys(layer), kvHead, context, sink);
      weightedValues(kv.values(layer), kvHead, context, out, at);
    }
  }

  /** Positions are counted from the first that the row attends to. */
  private void softmaxOfScores(
      float[] queries, int at, float[] keys, int kvHead, int context, float sink) {
    float max = sink;
    for (int position = 0; position < context; position++) {
      final int key = offsets[position] + kvHead;
      float score = 0;
      for (int d = 0; d < shape.headDim(); d++) {
        score += queries[at + d] * keys[key + d];
      }
      weights[position] = score * scale;
      max = Math.max(max, weights[position]);
    }
    float sum = (float) Math.exp(sink - max);
    for (int position = 0; position < context; position++) {
      weights[position] = (float) Math.exp(weights[position] - max);
      sum += weights[position];
    }
    for (int position = 0; position < context; position++) {
      weights[position] /= sum;
    }
  }

  private void weightedValues(float[] values, int kvHead, int context, float[] out, int at) {
    for (int d = 0; d < shape.headDim(); d++) {
      out[at + d] = 0;
    }
    for (int position = 0; position < context; position++) {
      final int value = offsets[position] + kvHead;
      for (int d = 0; d < shape.headDim(); d++) {
        out[at + d] += weights[position] * values[value + d];
      }
    }
    for (int d = 0; d < shape.headDim(); d++) {
      out[at + d] = precision.round(out[at + d]);
    }
  }
}
