package dev.headway.executor.reference;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.EightBitKv;
import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.KvScale;
import dev.headway.executor.model.LoraTarget;
import dev.headway.executor.model.LoraWeights;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A decoder of the Llama kind in plain Java. Copies its weights to floats, so the model it was made
 * from may be closed. One thread.
 */
public final class ReferenceModel {

  private final ModelConfig config;
  private final Precision precision;
  private final KvPrecision kvPrecision;
  private final EightBitKv eightBitKv;
  private final float[] embedding;
  private final List<LayerWeights> layers = new ArrayList<>();
  private final float[] finalNorm;
  private final Linear head;
  private final float embeddingScale;
  private final Rotary rotary;
  private final Rotary localRotary;
  private final Attention attention;
  private final RowDeltas deltas;
  private final InnerStates inner = new InnerStates();

  // One row per token of a step.
  private int capacity;
  private long activatedExperts;
  private float[] hidden = {};
  private float[] normed = {};
  private float[] queries = {};
  private float[] keys = {};
  private float[] values = {};
  private float[] attended = {};
  private float[] added = {};

  /** As {@link #ReferenceModel(Model, Precision, KvPrecision)}, keys and values as computed. */
  public ReferenceModel(Model model, Precision precision) {
    this(model, precision, KvPrecision.AS_COMPUTED);
  }

  /**
   * Reads all weights.
   *
   * @throws IllegalArgumentException if a tensor does not fit a Java array
   */
  public ReferenceModel(Model model, Precision precision, KvPrecision kvPrecision) {
    this.kvPrecision = kvPrecision;
    this.eightBitKv = model.weights().eightBitKv();
    this.config = model.config();
    this.precision = precision;
    final long embedded = (long) config.vocabularySize() * config.hiddenSize();
    Linear.requireFits(ModelLayout.EMBEDDING, embedded);
    embedding = Linear.vector(model.weights(), ModelLayout.EMBEDDING, (int) embedded, precision);
    deltas = new RowDeltas(precision);
    for (int layer = 0; layer < config.layers(); layer++) {
      layers.add(LayerWeights.read(model, layer, precision, inner, deltas));
    }
    finalNorm = RmsNorm.weights(model, ModelLayout.FINAL_NORM, config.hiddenSize(), precision);
    head =
        Linear.read(
            model.weights(),
            ModelLayout.outputHead(config),
            null,
            config.hiddenSize(),
            config.vocabularySize(),
            precision);
    embeddingScale = precision.round(model.embeddingScale());
    rotary = new Rotary(config, config.rope());
    localRotary = new Rotary(config, config.localRope());
    attention = new Attention(config, precision);
  }

  /** The shape. */
  public ModelConfig config() {
    return config;
  }

  /**
   * Returns the logits after the last of some tokens, computed in one pass without any cache from
   * before: what every executor must agree with.
   *
   * @param tokenIds at least one, inside the vocabulary
   */
  public float[] logits(int... tokenIds) {
    return logitsFrom(tokenIds.length, tokenIds)[0];
  }

  /**
   * Returns the logits after each beginning of some tokens that has at least {@code first} of them:
   * to the bit those of {@link #logits(int...)} of that beginning, computed in one pass for all.
   *
   * @param first at least 1, at most as many as there are tokens
   * @param tokenIds inside the vocabulary
   * @return [beginning][token of the vocabulary]; the first is that of {@code first} tokens
   */
  public float[][] logitsFrom(int first, int... tokenIds) {
    return logitsFrom(null, first, tokenIds);
  }

  /**
   * As {@link #logitsFrom(int, int...)}, with an adapter.
   *
   * @param adapter of the model's shape; null without
   */
  public float[][] logitsFrom(@Nullable LoraWeights adapter, int first, int... tokenIds) {
    final int count = tokenIds.length;
    Objects.checkIndex(first - 1, count);
    final int groups = KvLayers.of(config).groups();
    final int[][] tables = new int[groups][];
    for (int group = 0; group < groups; group++) {
      tables[group] = IntStream.range(group * count, (group + 1) * count).toArray();
    }
    final Rows rows = new Rows();
    rows.add(tokenIds, 0, adapter, tables);
    forward(rows, new PagedKv(config, 1, groups * count, 0));
    final float[][] logits = new float[count - first + 1][config.vocabularySize()];
    for (int i = 0; i < logits.length; i++) {
      logits(first - 1 + i, logits[i]);
    }
    return logits;
  }

  /**
   * Runs all layers on the rows of a step and keeps their hidden states for {@link #logits(int,
   * float[])}. Within a layer every row's keys and values are written before any row attends.
   */
  void forward(Rows rows, PagedKv kv) {
    reserve(rows.count());
    rotary.prepare(rows);
    localRotary.prepare(rows);
    for (int row = 0; row < rows.count(); row++) {
      final int size = config.hiddenSize();
      for (int i = 0; i < size; i++) {
        final float element = embedding[rows.tokenId(row) * size + i];
        hidden[row * size + i] = precision.round(element * embeddingScale);
      }
    }
    activatedExperts = 0;
    deltas.begin(rows);
    for (int layer = 0; layer < layers.size(); layer++) {
      deltas.layer(layer);
      attend(layers.get(layer), layer, rows, kv);
      feedForward(layers.get(layer), rows.count());
    }
  }

  /** Routed experts that computed in the last {@link #forward}; absent in a model without. */
  long activatedExperts() {
    return config.experts() == null ? ABSENT : activatedExperts;
  }

  /** Sets {@code logits} to those of a row of the last {@link #forward}. */
  void logits(int row, float[] logits) {
    RmsNorm.apply(
        hidden, row * config.hiddenSize(), finalNorm, config.rmsNormEps(), normed, 0, precision);
    head.apply(normed, 1, logits);
    config.capLogits(logits);
  }

  private void attend(LayerWeights layer, int index, Rows rows, PagedKv kv) {
    final int count = rows.count();
    final AttentionShape shape = config.attention();
    final int group = kv.layers().group(index);
    final Rotary turns = config.windows().windowOf(index) == 0 ? rotary : localRotary;
    norm(layer.inputNorm(), count);
    project(layer.query(), LoraTarget.QUERY, count, queries);
    project(layer.key(), LoraTarget.KEY, count, keys);
    project(layer.value(), LoraTarget.VALUE, count, values);
    for (int row = 0; row < count; row++) {
      placeHeads(queries, shape.heads(), row, layer.queryNorm(), turns);
      placeHeads(keys, shape.kvHeads(), row, layer.keyNorm(), turns);
      final int at = kv.offset(rows.blockTable(row, group), rows.position(row));
      System.arraycopy(keys, row * shape.kvDim(), kv.keys(index), at, shape.kvDim());
      System.arraycopy(values, row * shape.kvDim(), kv.values(index), at, shape.kvDim());
      final KvScale scale = eightBitKv.of(index);
      kvPrecision.round(kv.keys(index), at, shape.kvDim(), scale.keys());
      kvPrecision.round(kv.values(index), at, shape.kvDim(), scale.values());
    }
    for (int row = 0; row < count; row++) {
      attention.apply(queries, rows, row, kv, index, layer.sinks(), attended);
    }
    layer.output().apply(attended, count, added);
    addToHidden(count, layer.attentionOutputNorm(), LoraTarget.OUTPUT, attended, shape.queryDim());
  }

  private void feedForward(LayerWeights layer, int count) {
    norm(layer.feedForwardNorm(), count);
    layer.feedForward().apply(normed, count, added);
    activatedExperts += layer.feedForward().activated();
    addToHidden(
        count,
        layer.feedForwardOutputNorm(),
        LoraTarget.DOWN,
        inner.gates(),
        config.intermediateSize());
  }

  private void norm(float[] weight, int count) {
    for (int row = 0; row < count; row++) {
      final int at = row * config.hiddenSize();
      RmsNorm.apply(hidden, at, weight, config.rmsNormEps(), normed, at, precision);
    }
  }

  private void project(Linear linear, LoraTarget of, int count, float[] target) {
    linear.apply(normed, count, target);
    deltas.add(of, normed, config.hiddenSize(), target, linear.outputs());
    precision.round(target, count * linear.outputs());
  }

  /** Normalises the heads of a row if the family does, then turns them by the row's position. */
  private void placeHeads(float[] x, int heads, int row, float @Nullable [] norm, Rotary turns) {
    final int headDim = config.attention().headDim();
    for (int h = 0; h < heads; h++) {
      final int at = (row * heads + h) * headDim;
      if (norm != null) {
        RmsNorm.apply(x, at, norm, config.rmsNormEps(), x, at, precision);
      }
      turns.turn(x, at, row, precision);
    }
  }

  /**
   * A sum is rounded once; a norm takes rounded outputs.
   *
   * @param of the matrix that made what is added
   * @param x what it read, {@code inputs} of a row
   */
  private void addToHidden(
      int count, float @Nullable [] outputNorm, LoraTarget of, float[] x, int inputs) {
    final int size = config.hiddenSize();
    if (outputNorm != null) {
      precision.round(added, count * size);
      deltas.add(of, x, inputs, added, size);
      for (int at = 0; at < count * size; at += size) {
        RmsNorm.apply(added, at, outputNorm, config.rmsNormEps(), added, at, precision);
      }
    }
    for (int i = 0; i < count * size; i++) {
      hidden[i] = precision.round(hidden[i] + added[i]);
    }
    if (outputNorm == null) {
      deltas.add(of, x, inputs, hidden, size);
    }
  }

  private void reserve(int rows) {
    if (rows <= capacity) {
      return;
    }
    final long widest = Math.max(config.hiddenSize(), config.attention().queryDim());
    if (rows * widest > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "the tokens of a step must fit a Java array: tokens="
              + rows
              + ", widest state="
              + widest
              + "; give fewer maxNumBatchedTokens");
    }
    capacity = rows;
    hidden = new float[rows * config.hiddenSize()];
    normed = hidden.clone();
    added = hidden.clone();
    queries = new float[rows * config.attention().queryDim()];
    attended = queries.clone();
    keys = new float[rows * config.attention().kvDim()];
    values = keys.clone();
  }
}
