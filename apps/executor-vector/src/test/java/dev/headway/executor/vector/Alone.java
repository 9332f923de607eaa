package dev.headway.executor.vector;

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

  Alone(Model source, int threads) {
    config = source.config();
    final int blocks = 1 + Math.ceilDiv(config.maxPositions(), BLOCK_SIZE);
    model =
        new VectorModel(
            source,
            new HostKvOptions(BLOCK_SIZE, blocks, 0, 0).shape(config, 1),
            new WorkerPool(threads));
  }

  /** The logits after the last of some tokens. */
  float[] logits(int... tokenIds) {
    final Rows rows = new Rows();
    rows.add(tokenIds, 0, IntStream.rangeClosed(1, 1 + tokenIds.length / BLOCK_SIZE).toArray());
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
