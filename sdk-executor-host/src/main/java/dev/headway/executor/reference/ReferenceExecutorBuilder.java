package dev.headway.executor.reference;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.time.NanoClock;
import dev.headway.executor.model.Model;
import dev.headway.executor.speculation.NgramOptions;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Collects the options of a {@link ReferenceExecutor}. Not thread-safe. */
public final class ReferenceExecutorBuilder {

  private final Model model;
  private final NanoClock clock;
  private Precision precision = Precision.FLOAT32;
  private int blockSize = 16;
  private int numBlocks;
  private long kvCacheBytes;
  private int hostBlocks;
  private int maxNumSeqs = 64;
  private @Nullable NgramOptions ngrams;
  private final LoraAdapters adapters = new LoraAdapters();

  ReferenceExecutorBuilder(Model model, NanoClock clock) {
    this.model = model;
    this.clock = clock;
  }

  /** What is rounded to what; floats throughout unless set. */
  public ReferenceExecutorBuilder precision(Precision precision) {
    this.precision = precision;
    return this;
  }

  /** Tokens per KV block; 16 unless set. */
  public ReferenceExecutorBuilder blockSize(int tokens) {
    this.blockSize = tokens;
    return this;
  }

  /** KV blocks, the null block included. This or {@link #kvCacheBytes} is required. */
  public ReferenceExecutorBuilder numBlocks(int blocks) {
    this.numBlocks = blocks;
    return this;
  }

  /** Memory of the KV cache, in bytes; as many blocks as fit. */
  public ReferenceExecutorBuilder kvCacheBytes(long bytes) {
    this.kvCacheBytes = bytes;
    return this;
  }

  /** KV blocks of the host tier, beside those of the cache; 0 (no such tier) unless set. */
  public ReferenceExecutorBuilder hostBlocks(int blocks) {
    this.hostBlocks = blocks;
    return this;
  }

  /** Most requests in a step; 64 unless set. */
  public ReferenceExecutorBuilder maxNumSeqs(int seqs) {
    this.maxNumSeqs = seqs;
    return this;
  }

  /**
   * Proposes draft tokens from the text itself, and verifies them, for an engine whose {@code
   * SpeculationOptions} say how many, by {@code NGRAM}; none unless set.
   */
  public ReferenceExecutorBuilder ngrams(NgramOptions options) {
    this.ngrams = options;
    return this;
  }

  /**
   * Adds a LoRA adapter for requests that name it; it is read now.
   *
   * @param directory holds {@code adapter_config.json} and {@code adapter_model.safetensors}
   * @throws dev.headway.executor.model.ModelFormatException if the folder cannot be used
   * @throws IllegalArgumentException if its id or its name is taken
   */
  public ReferenceExecutorBuilder adapter(LoraAdapter adapter, Path directory) {
    adapters.add(adapter, directory, model.config());
    return this;
  }

  /**
   * Reads the weights and makes the cache.
   *
   * @throws IllegalArgumentException if options contradict each other or the model does not fit
   *     Java arrays
   */
  public ReferenceExecutor build() {
    final ExecutorShape shape =
        new HostKvOptions(blockSize, numBlocks, kvCacheBytes, hostBlocks)
            .shape(model.config(), maxNumSeqs);
    return new ReferenceExecutor(
        new ReferenceModel(model, precision), shape, clock, ngrams, adapters.all());
  }
}
