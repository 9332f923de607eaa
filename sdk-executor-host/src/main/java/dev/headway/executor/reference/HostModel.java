package dev.headway.executor.reference;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.executor.KvBlockAccess;
import dev.headway.executor.model.ModelConfig;

/**
 * What an executor in host memory computes: a forward pass over paged keys and values. {@link
 * HostExecutor} does all the rest, so that two of these can only differ in arithmetic and speed.
 *
 * <p>The engine thread calls everything here but {@link #kvBlocks}, and gets every answer before it
 * goes on.
 */
public interface HostModel extends AutoCloseable {

  /** The shape. Constant. */
  ModelConfig config();

  /**
   * Runs all layers on the rows of a step. Within a layer every row's keys and values are written
   * before any row attends. The logits of a row depend on its own context and on no other row.
   *
   * @param rows may have none; stays as it is until the next call
   */
  void forward(Rows rows);

  /**
   * Routed experts that computed for any row of the last {@link #forward}, summed over the layers;
   * absent in a model without.
   */
  default long activatedExperts() {
    return ABSENT;
  }

  /**
   * Sets {@code logits}, one per token of the vocabulary, to those of a sampling row of the last
   * {@link #forward}. Called inside {@link #forEach} too.
   *
   * @param sample in [0, {@link Rows#samples()})
   */
  void logits(int sample, float[] logits);

  /** Copies keys and values of all layers; host blocks are numbered from numBlocks on. */
  void copyBlock(int source, int target);

  /** Sets keys and values of all layers to zero. */
  void zeroBlock(int block);

  /**
   * The bytes of the blocks that are not the host's. Any thread, beside everything else here; which
   * blocks there are is checked before.
   */
  KvBlockAccess kvBlocks();

  /** Most calls of a task at one time, >= 1. Constant. */
  default int workers() {
    return 1;
  }

  /**
   * Runs a task for every index in [0, count) and returns when all are done, in any order and on
   * any of the workers.
   */
  default void forEach(int count, HostTask task) {
    for (int index = 0; index < count; index++) {
      task.run(0, index);
    }
  }

  /** Gives memory and threads back. */
  @Override
  void close();
}
