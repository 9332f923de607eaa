package dev.headway.executor.vector;

import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.reference.Rows;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import org.jspecify.annotations.Nullable;

/**
 * Attention of up to four query heads of a row that share a key and value head: every key and value
 * is read once for all of them. One worker's own.
 *
 * <p>A sink is a score without a value, and comes behind the others.
 *
 * <p>{@code softmax(scale * q K^T) V} over all positions up to the row's own, or over the last of
 * them in a layer with a window. A score is one chain over the dimensions, an element of the result
 * one chain over the positions, the divisor a chain over the positions.
 */
final class HeadGroup {

  static final int HEADS = 4;

  private final int headDim;
  private final int queriesPerKv;
  private final float scale;
  private final PagedCache cache;
  private final int scoreStride;
  private final int valueStride;

  /** A row of scores, later of weights, for each head; the last vector of a block overlaps. */
  private final float[] scores;

  /** A row of weighted values for each head. */
  private final float[] weighted;

  private final int[] queryFrom = new int[HEADS];

  /** First position that the row of the moment attends to. */
  private int first;

  /** Where the block of {@link #first} begins: scores are counted from there. */
  private int base;

  /** Behind the last position. */
  private int end;

  /** Behind the last score, which may be the sink. */
  private int behindScores;

  /**
   * Makes scratch space.
   *
   * @param longestContext most positions of a row
   */
  HeadGroup(ModelConfig config, PagedCache cache, int longestContext) {
    final AttentionShape shape = config.attention();
    this.headDim = shape.headDim();
    this.queriesPerKv = shape.queriesPerKv();
    this.scale = config.attentionScale();
    this.cache = cache;
    this.scoreStride = longestContext + 1 + Lanes.WIDEST;
    this.valueStride = Lanes.padded(headDim);
    this.scores = new float[Math.multiplyExact(HEADS, scoreStride)];
    this.weighted = new float[HEADS * valueStride];
  }

  /**
   * Sets the heads of a row that share a KV head.
   *
   * @param sinks of each query head; null in models without
   * @param queries rows that begin with the heads' queries
   * @param out rows of the heads' results
   */
  void attend(
      int layer,
      int kvHead,
      Rows rows,
      int row,
      float @Nullable [] sinks,
      Activations queries,
      Activations out) {
    final int group = cache.layers().group(layer);
    final int window = cache.layers().window(group);
    final int[] blockTable = rows.blockTable(row, group);
    end = rows.position(row) + 1;
    first = window == 0 ? 0 : Math.max(0, end - window);
    base = first - first % cache.blockSize();
    behindScores = end - base + (sinks == null ? 0 : 1);
    for (int from = 0; from < queriesPerKv; from += HEADS) {
      final int heads = Math.min(HEADS, queriesPerKv - from);
      final int element = (kvHead * queriesPerKv + from) * headDim;
      for (int i = 0; i < HEADS; i++) { // a group that is not full computes its last head again
        queryFrom[i] = queries.at(row) + element + Math.min(i, heads - 1) * headDim;
      }
      score(layer, kvHead, blockTable, queries.values());
      for (int i = 0; i < heads; i++) {
        if (sinks != null) {
          scores[i * scoreStride + end - base] = sinks[kvHead * queriesPerKv + from + i];
        }
        weigh(i * scoreStride);
      }
      addValues(layer, kvHead, blockTable);
      for (int i = 0; i < heads; i++) {
        divide(i, out.values(), out.at(row) + element + i * headDim);
      }
    }
  }

  private void score(int layer, int kvHead, int[] blockTable, float[] queries) {
    final int blockSize = cache.blockSize();
    for (int from = base; from < end; from += blockSize) {
      final long at = cache.at(layer, blockTable[from / blockSize], kvHead);
      final int positions = Math.min(blockSize, end - from);
      final int left = Math.max(0, first - from);
      for (int i = left - left % Lanes.COUNT; i < positions; i += Lanes.COUNT) {
        scoreVector(queries, at + (long) Float.BYTES * i, from + i - base);
      }
    }
  }

  /** Scores of a vector of positions; those outside the row's are written over or not used. */
  private void scoreVector(float[] queries, long keysAt, int to) {
    final MemorySegment keys = cache.keys();
    final long bytes = (long) Float.BYTES * cache.blockSize();
    final int q0 = queryFrom[0];
    final int q1 = queryFrom[1];
    final int q2 = queryFrom[2];
    final int q3 = queryFrom[3];
    FloatVector s0 = FloatVector.zero(Lanes.FLOATS);
    FloatVector s1 = s0;
    FloatVector s2 = s0;
    FloatVector s3 = s0;
    for (int d = 0; d < headDim; d++) {
      final FloatVector key =
          FloatVector.fromMemorySegment(
              Lanes.FLOATS, keys, keysAt + d * bytes, ByteOrder.nativeOrder());
      s0 = key.fma(FloatVector.broadcast(Lanes.FLOATS, queries[q0 + d]), s0);
      s1 = key.fma(FloatVector.broadcast(Lanes.FLOATS, queries[q1 + d]), s1);
      s2 = key.fma(FloatVector.broadcast(Lanes.FLOATS, queries[q2 + d]), s2);
      s3 = key.fma(FloatVector.broadcast(Lanes.FLOATS, queries[q3 + d]), s3);
    }
    s0.mul(scale).intoArray(scores, to);
    s1.mul(scale).intoArray(scores, to + scoreStride);
    s2.mul(scale).intoArray(scores, to + 2 * scoreStride);
    s3.mul(scale).intoArray(scores, to + 3 * scoreStride);
  }

  /** Makes {@code exp(score - largest)} of a head's scores. */
  private void weigh(int at) {
    final int begin = at + first - base;
    final int behind = at + behindScores;
    for (int i = behind; i < behind + Lanes.COUNT; i++) {
      scores[i] = Float.NEGATIVE_INFINITY;
    }
    FloatVector most = FloatVector.fromArray(Lanes.FLOATS, scores, begin);
    for (int i = begin + Lanes.COUNT; i < behind; i += Lanes.COUNT) {
      most = most.max(FloatVector.fromArray(Lanes.FLOATS, scores, i));
    }
    final float largest = most.reduceLanes(VectorOperators.MAX); // the same in any order
    for (int i = begin; i < behind; i += Lanes.COUNT) {
      final FloatVector score = FloatVector.fromArray(Lanes.FLOATS, scores, i);
      Exponential.of(score.sub(largest)).intoArray(scores, i);
    }
  }

  private void addValues(int layer, int kvHead, int[] blockTable) {
    Arrays.fill(weighted, 0);
    final int blockSize = cache.blockSize();
    for (int from = base; from < end; from += blockSize) {
      final int left = Math.max(0, first - from);
      final int positions = Math.min(blockSize, end - from) - left;
      final long at =
          cache.at(layer, blockTable[from / blockSize], kvHead)
              + (long) Float.BYTES * headDim * left;
      for (int d = 0; d < headDim; d += Lanes.COUNT) {
        addVector(at + (long) Float.BYTES * d, from + left - base, positions, d);
      }
    }
  }

  /** Adds some positions to a vector of dimensions; those behind the head's end are not used. */
  private void addVector(long valuesAt, int from, int positions, int to) {
    final MemorySegment values = cache.values();
    final long bytes = (long) Float.BYTES * headDim;
    final int w1 = scoreStride;
    final int w2 = 2 * scoreStride;
    final int w3 = 3 * scoreStride;
    FloatVector v0 = FloatVector.fromArray(Lanes.FLOATS, weighted, to);
    FloatVector v1 = FloatVector.fromArray(Lanes.FLOATS, weighted, to + valueStride);
    FloatVector v2 = FloatVector.fromArray(Lanes.FLOATS, weighted, to + 2 * valueStride);
    FloatVector v3 = FloatVector.fromArray(Lanes.FLOATS, weighted, to + 3 * valueStride);
    for (int i = 0; i < positions; i++) {
      final FloatVector value =
          FloatVector.fromMemorySegment(
              Lanes.FLOATS, values, valuesAt + i * bytes, ByteOrder.nativeOrder());
      v0 = value.fma(FloatVector.broadcast(Lanes.FLOATS, scores[from + i]), v0);
      v1 = value.fma(FloatVector.broadcast(Lanes.FLOATS, scores[from + i + w1]), v1);
      v2 = value.fma(FloatVector.broadcast(Lanes.FLOATS, scores[from + i + w2]), v2);
      v3 = value.fma(FloatVector.broadcast(Lanes.FLOATS, scores[from + i + w3]), v3);
    }
    v0.intoArray(weighted, to);
    v1.intoArray(weighted, to + valueStride);
    v2.intoArray(weighted, to + 2 * valueStride);
    v3.intoArray(weighted, to + 3 * valueStride);
  }

  private void divide(int head, float[] out, int to) {
    float sum = 0;
    for (int i = first - base; i < behindScores; i++) {
      sum += scores[head * scoreStride + i];
    }
    for (int d = 0; d < headDim; d++) {
      out[to + d] = weighted[head * valueStride + d] / sum;
    }
  }
}
