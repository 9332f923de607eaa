package dev.headway.executor.reference;

import dev.headway.api.time.NanoClock;
import dev.headway.executor.model.Model;

/** Collects the options of a {@link ReferenceExecutor}. Not thread-safe. */
public final class ReferenceExecutorBuilder extends HostExecutorBuilder<ReferenceExecutorBuilder> {

  private Precision precision = Precision.FLOAT32;

  ReferenceExecutorBuilder(Model model, NanoClock clock) {
    super(model, clock);
  }

  @Override
  protected ReferenceExecutorBuilder self() {
    return this;
  }

  /** What is rounded to what; floats throughout unless set. */
  public ReferenceExecutorBuilder precision(Precision precision) {
    this.precision = precision;
    return this;
  }

  /**
   * Reads the weights and makes the cache.
   *
   * @throws IllegalArgumentException if options contradict each other or the model does not fit
   *     Java arrays
   */
  public ReferenceExecutor build() {
    return new ReferenceExecutor(
        new ReferenceModel(model(), precision), shape(), clock(), ngrams(), adapters());
  }
}
