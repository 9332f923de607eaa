package dev.headway.executor.vector;

import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.reference.HostKvOptions;
import dev.headway.executor.reference.Rows;
import java.util.stream.IntStream;

/** A vector model that computes one sequence at a time, in one pass, and remembers nothing. */
final class Alone implements AutoCloseable {

  private static final int BLOCK_SIZE = 16;

  private final VectorModel model;
  private final ModelConfig config;
  private final int groups;
  private final int perGroup;

  Alone(Model source, int threads) {
    config = source.config();
    perGroup = Math.ceilDiv(config.maxPositions(), BLOCK_SIZE);
    groups = KvLayers.of(config).groups();
    model =
        new VectorModel(
            source,
            new HostKvOptions(BLOCK_SIZE, 1 + groups * perGroup, 0, 0).shape(config, 1),
            new WorkerPool(threads));
  }

  /** The logits after the last of some tokens. */
  float[] logits(int... tokenIds) {
    final Rows rows = new Rows();
    final int[][] tables = new int[groups][];
    for (int group = 0; group < groups; group++) {
      final int first = 1 + group * perGroup;
      tables[group] = IntStream.range(first, first + perGroup).toArray();
    }
    rows.add(tokenIds, 0, tables);
    rows.sampleLast(1);
    model.forward(rows);
    final float[] logits = new float[config.vocabularySize()];
    model.logits(0, logits);
    return logits;
  }

  @Override
  public void close() {
    model.close();
  }
}
