package dev.headway.executor.vector;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.time.NanoClock;
import dev.headway.executor.model.Model;
import dev.headway.executor.reference.HostExecutorBuilder;

/** Collects the options of a {@link VectorExecutor}. Not thread-safe. */
public final class VectorExecutorBuilder extends HostExecutorBuilder<VectorExecutorBuilder> {

  private int threads = Runtime.getRuntime().availableProcessors();

  VectorExecutorBuilder(Model model, NanoClock clock) {
    super(model, clock);
  }

  @Override
  protected VectorExecutorBuilder self() {
    return this;
  }

  /** Threads that compute, the engine's included; the processors of the machine unless set. */
  public VectorExecutorBuilder threads(int threads) {
    this.threads = threads;
    return this;
  }

  /**
   * Reads the weights, makes the cache and starts the threads.
   *
   * @throws VectorUnavailableException if the JVM was started without the Vector API
   * @throws IllegalArgumentException if options contradict each other, the machine has less memory
   *     than cache and weights need, or a weight is not finite
   */
  public VectorExecutor build() {
    VectorSupport.unavailableBecause()
        .ifPresent(
            why -> {
              throw new VectorUnavailableException(why);
            });
    if (threads < 1) {
      throw new IllegalArgumentException("threads must be >= 1: threads=" + threads);
    }
    final ExecutorShape shape = shape();
    MemoryNeed.of(model(), shape).requireWithin(PhysicalMemory.now());
    final WorkerPool pool = new WorkerPool(threads);
    try {
      return new VectorExecutor(
          new VectorModel(model(), shape, pool), shape, clock(), ngrams(), adapters());
    } catch (Throwable e) {
      pool.close();
      throw e;
    }
  }
}
