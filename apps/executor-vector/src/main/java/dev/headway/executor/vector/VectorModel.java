package dev.headway.executor.vector;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.executor.KvBlockAccess;
import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.LoraTarget;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.reference.HostModel;
import dev.headway.executor.reference.HostTask;
import dev.headway.executor.reference.Rows;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * A decoder of the Llama kind as a sequence of tasks, each shared by the workers: products by
 * panels of outputs, attention by rows and KV heads, the rest by rows. A task begins when the one
 * before is done.
 *
 * <p>Weights and cache lie in native memory, activations in the heap. The engine thread only; it
 * allocates nothing once the largest step has been seen.
 */
final class VectorModel implements HostModel {

  private final ModelConfig config;
  private final AttentionShape shape;
  private final WorkerPool pool;
  private final Arena arena = Arena.ofShared();
  private final ModelParts parts;
  private final PagedCache cache;
  private final Rotation rotation;
  private final Rotation localRotation;
  private final float[][] slabs;
  private final HeadGroup[] groups;
  private final StepStates states;
  private final AdapterRows adapters = new AdapterRows();

  private final HostTask embed = this::embed;
  private final HostTask project = this::project;
  private final HostTask place = this::place;
  private final HostTask attend = this::attend;
  private final HostTask output = this::output;
  private final HostTask addAndNorm = this::addAndNorm;
  private final HostTask head = this::head;

  /** What the tasks of the moment work on. */
  private Rows rows = new Rows();

  private int layerIndex;
  private DecoderLayer layer;
  private float @Nullable [] outputNorm;

  /** The matrix that made what is to be added, and its inputs. */
  private LoraTarget addedBy = LoraTarget.OUTPUT;

  private Activations addedOf;
  private float[] norm;

  /**
   * Reads the weights and makes the cache.
   *
   * @param pool closed with the model
   */
  VectorModel(Model model, ExecutorShape executor, WorkerPool pool) {
    config = model.config();
    shape = config.attention();
    this.pool = pool;
    try {
      slabs = new float[pool.workers()][];
      for (int worker = 0; worker < slabs.length; worker++) {
        slabs[worker] = PackedLinear.newSlab();
      }
      states = new StepStates(config);
      addedOf = states.attended;
      parts = ModelParts.read(model, arena, new FeedForwardContext(pool, states, adapters, slabs));
      cache =
          new PagedCache(
              config,
              executor.kvCache().blockSize(),
              executor.kvCache().numBlocks(),
              executor.hostBlocks(),
              arena);
      layer = parts.layers().getFirst();
      norm = layer.inputNorm();
      rotation = new Rotation(config, config.rope());
      localRotation = new Rotation(config, config.localRope());
      groups = new HeadGroup[pool.workers()];
      final long held = (long) executor.kvCache().usableBlocks() * executor.kvCache().blockSize();
      for (int worker = 0; worker < groups.length; worker++) {
        groups[worker] = new HeadGroup(config, cache, (int) Math.min(config.maxPositions(), held));
      }
    } catch (Throwable e) {
      arena.close(); // or the weights would stay until the process ends
      throw e;
    }
  }

  @Override
  public ModelConfig config() {
    return config;
  }

  @Override
  public void forward(Rows step) {
    rows = step;
    adapters.begin(step);
    rotation.reserve(step.count());
    localRotation.reserve(step.count());
    states.reserve(step.count(), step.samples());
    norm = parts.layers().getFirst().inputNorm();
    if (parts.experts() != null) {
      parts.experts().begin();
    }
    byRow(embed, config.hiddenSize());
    for (layerIndex = 0; layerIndex < parts.layers().size(); layerIndex++) {
      layer = parts.layers().get(layerIndex);
      adapters.layer(layerIndex);
      byPanel(layer.qkv(), project);
      byRow(place, states.qkv.stride());
      attendAll();
      byPanel(layer.output(), output);
      addedBy = LoraTarget.OUTPUT;
      addedOf = states.attended;
      outputNorm = layer.attentionOutputNorm();
      norm = layer.feedForwardNorm();
      byRow(addAndNorm, config.hiddenSize());
      layer.feedForward().apply(rows.count());
      addedBy = LoraTarget.DOWN;
      addedOf = states.gates;
      outputNorm = layer.feedForwardOutputNorm();
      norm = nextNorm();
      byRow(addAndNorm, config.hiddenSize());
    }
    answer();
  }

  private float[] nextNorm() {
    return layerIndex + 1 < parts.layers().size()
        ? parts.layers().get(layerIndex + 1).inputNorm()
        : parts.finalNorm();
  }

  private void byRow(HostTask task, int elements) {
    pool.forEach(rows.count(), RowMath.ELEMENT * elements * rows.count(), task);
  }

  private void byPanel(PackedLinear linear, HostTask task) {
    pool.forEach(linear.panels(), linear.work(rows.count()), task);
  }

  private void embed(int worker, int row) {
    rotation.prepare(row, rows.position(row));
    localRotation.prepare(row, rows.position(row));
    final float[] hidden = states.hidden.values();
    parts.embedding().row(rows.tokenId(row), hidden, states.hidden.at(row));
    RowMath.scale(hidden, states.hidden.at(row), parts.embeddingScale(), config.hiddenSize());
    norm(row);
  }

  private void project(int worker, int panel) {
    layer.qkv().apply(panel, states.normed, rows.count(), states.qkv, slabs[worker]);
  }

  /** Normalises heads if the family does, turns them, and stores keys and values. */
  private void place(int worker, int row) {
    final int from = states.qkv.at(row);
    final int keysFrom = from + shape.queryDim();
    if (adapters.areThere()) {
      adapt(row, from, keysFrom);
    }
    placeHeads(from, shape.heads(), row, layer.queryNorm());
    placeHeads(keysFrom, shape.kvHeads(), row, layer.keyNorm());
    final int position = rows.position(row);
    final int group = cache.layers().group(layerIndex);
    final int block = rows.blockTable(row, group)[position / cache.blockSize()];
    final int valuesFrom = keysFrom + shape.kvDim();
    cache.write(
        layerIndex, block, position % cache.blockSize(), states.qkv.values(), keysFrom, valuesFrom);
  }

  private void adapt(int row, int queries, int keys) {
    final float[] x = states.normed.values();
    final float[] y = states.qkv.values();
    adapters.add(row, LoraTarget.QUERY, x, states.normed.at(row), y, queries);
    adapters.add(row, LoraTarget.KEY, x, states.normed.at(row), y, keys);
    adapters.add(row, LoraTarget.VALUE, x, states.normed.at(row), y, keys + shape.kvDim());
  }

  private void placeHeads(int from, int heads, int row, float @Nullable [] headNorm) {
    final int headDim = shape.headDim();
    final float[] x = states.qkv.values();
    final Rotation turns = config.windows().windowOf(layerIndex) == 0 ? rotation : localRotation;
    for (int at = from; at < from + heads * headDim; at += headDim) {
      if (headNorm != null) {
        RowMath.norm(x, at, headNorm, headDim, config.rmsNormEps(), x, at);
      }
      turns.turn(x, at, row);
    }
  }

  private void attendAll() {
    final int window = config.windowOf(layerIndex);
    long positions = 0;
    for (int row = 0; row < rows.count(); row++) {
      final int context = rows.position(row) + 1;
      positions += window == 0 ? context : Math.min(context, window);
    }
    pool.forEach(rows.count() * shape.kvHeads(), 2 * positions * shape.queryDim(), attend);
  }

  private void attend(int worker, int index) {
    final int row = index / shape.kvHeads();
    groups[worker].attend(
        layerIndex, index % shape.kvHeads(), rows, row, layer.sinks(), states.qkv, states.attended);
  }

  private void output(int worker, int panel) {
    layer.output().apply(panel, states.attended, rows.count(), states.added, slabs[worker]);
  }

  private void addAndNorm(int worker, int row) {
    if (adapters.areThere()) {
      final Activations added = states.added;
      adapters.add(row, addedBy, addedOf.values(), addedOf.at(row), added.values(), added.at(row));
    }
    if (outputNorm != null) {
      final float[] added = states.added.values();
      final int at = states.added.at(row);
      RowMath.norm(added, at, outputNorm, config.hiddenSize(), config.rmsNormEps(), added, at);
    }
    RowMath.add(
        states.added.values(),
        states.added.at(row),
        states.hidden.values(),
        states.hidden.at(row),
        config.hiddenSize());
    norm(row);
  }

  private void norm(int row) {
    RowMath.norm(
        states.hidden.values(),
        states.hidden.at(row),
        norm,
        config.hiddenSize(),
        config.rmsNormEps(),
        states.normed.values(),
        states.normed.at(row));
  }

  /** Makes the logits of the rows that sample. */
  private void answer() {
    for (int sample = 0; sample < rows.samples(); sample++) {
      // sampling rows ascend, so none is overwritten before it is moved
      System.arraycopy(
          states.normed.values(),
          states.normed.at(rows.sampleRow(sample)),
          states.normed.values(),
          states.normed.at(sample),
          config.hiddenSize());
    }
    pool.forEach(parts.head().panels(), parts.head().work(rows.samples()), head);
  }

  private void head(int worker, int panel) {
    parts.head().apply(panel, states.normed, rows.samples(), states.logits, slabs[worker]);
  }

  @Override
  public long activatedExperts() {
    return parts.experts() == null ? ABSENT : parts.experts().activeSum();
  }

  @Override
  public void logits(int sample, float[] target) {
    System.arraycopy(
        states.logits.values(), states.logits.at(sample), target, 0, config.vocabularySize());
    config.capLogits(target);
  }

  @Override
  public void copyBlock(int source, int target) {
    cache.copyBlock(source, target);
  }

  @Override
  public void zeroBlock(int block) {
    cache.zeroBlock(block);
  }

  @Override
  public KvBlockAccess kvBlocks() {
    return cache;
  }

  @Override
  public int workers() {
    return pool.workers();
  }

  @Override
  public void forEach(int count, HostTask task) {
    pool.forEach(count, RowMath.ELEMENT * config.vocabularySize() * count, task);
  }

  @Override
  public void close() {
    pool.close();
    arena.close();
  }
}
