package dev.headway.executor.vector;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.time.NanoClock;
import dev.headway.executor.model.Model;
import dev.headway.executor.reference.HostKvOptions;
import dev.headway.executor.reference.LoraAdapters;
import dev.headway.executor.speculation.NgramOptions;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Collects the options of a {@link VectorExecutor}. Not thread-safe. */
public final class VectorExecutorBuilder {

  private final Model model;
  private final NanoClock clock;
  private int blockSize = 16;
  private int numBlocks;
  private long kvCacheBytes;
  private int hostBlocks;
  private int maxNumSeqs = 64;
  private @Nullable NgramOptions ngrams;
  private final LoraAdapters adapters = new LoraAdapters();
  private int threads = Runtime.getRuntime().availableProcessors();

  VectorExecutorBuilder(Model model, NanoClock clock) {
    this.model = model;
    this.clock = clock;
  }

  /** Tokens per KV block; 16 unless set. Multiples of 16 fill the widest vectors. */
  public VectorExecutorBuilder blockSize(int tokens) {
    this.blockSize = tokens;
    return this;
  }

  /** KV blocks, the null block included. This or {@link #kvCacheBytes} is required. */
  public VectorExecutorBuilder numBlocks(int blocks) {
    this.numBlocks = blocks;
    return this;
  }

  /** Memory of the KV cache, in bytes; as many blocks as fit. */
  public VectorExecutorBuilder kvCacheBytes(long bytes) {
    this.kvCacheBytes = bytes;
    return this;
  }

  /** KV blocks of the host tier, beside those of the cache; 0 (no such tier) unless set. */
  public VectorExecutorBuilder hostBlocks(int blocks) {
    this.hostBlocks = blocks;
    return this;
  }

  /** Most requests in a step; 64 unless set. */
  public VectorExecutorBuilder maxNumSeqs(int seqs) {
    this.maxNumSeqs = seqs;
    return this;
  }

  /**
   * Proposes draft tokens from the text itself, and verifies them, for an engine whose {@code
   * SpeculationOptions} say how many, by {@code NGRAM}; none unless set.
   */
  public VectorExecutorBuilder ngrams(NgramOptions options) {
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
  public VectorExecutorBuilder adapter(LoraAdapter adapter, Path directory) {
    adapters.add(adapter, directory, model.config());
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
    final ExecutorShape shape =
        new HostKvOptions(blockSize, numBlocks, kvCacheBytes, hostBlocks)
            .shape(model.config(), maxNumSeqs);
    MemoryNeed.of(model, shape).requireWithin(PhysicalMemory.now());
    final WorkerPool pool = new WorkerPool(threads);
    try {
      return new VectorExecutor(
          new VectorModel(model, shape, pool), shape, clock, ngrams, adapters.all());
    } catch (Throwable e) {
      pool.close();
      throw e;
    }
  }
}
