package dev.headway.executor.reference;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.time.NanoClock;
import dev.headway.executor.model.LoraWeights;
import dev.headway.executor.model.Model;
import dev.headway.executor.speculation.NgramOptions;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options that executors in host memory have in common. Not thread-safe.
 *
 * @param <B> the builder itself
 */
public abstract class HostExecutorBuilder<B extends HostExecutorBuilder<B>> {

  private final Model model;
  private final NanoClock clock;
  private int blockSize = 16;
  private int numBlocks;
  private long kvCacheBytes;
  private int hostBlocks;
  private int maxNumSeqs = 64;
  private @Nullable NgramOptions ngrams;
  private final LoraAdapters adapters = new LoraAdapters();

  /** A builder of an executor that runs a model. */
  protected HostExecutorBuilder(Model model, NanoClock clock) {
    this.model = model;
    this.clock = clock;
  }

  /** Returns this. */
  protected abstract B self();

  /** Tokens per KV block; 16 unless set. Multiples of 16 fill the widest vectors. */
  public B blockSize(int tokens) {
    blockSize = tokens;
    return self();
  }

  /** KV blocks, the null block included. This or {@link #kvCacheBytes} is required. */
  public B numBlocks(int blocks) {
    numBlocks = blocks;
    return self();
  }

  /** Memory of the KV cache, in bytes; as many blocks as fit. */
  public B kvCacheBytes(long bytes) {
    kvCacheBytes = bytes;
    return self();
  }

  /** KV blocks of the host tier, beside those of the cache; 0 (no such tier) unless set. */
  public B hostBlocks(int blocks) {
    hostBlocks = blocks;
    return self();
  }

  /** Most requests in a step; 64 unless set. */
  public B maxNumSeqs(int seqs) {
    maxNumSeqs = seqs;
    return self();
  }

  /**
   * Proposes draft tokens from the text itself, and verifies them, for an engine whose {@code
   * SpeculationOptions} say how many, by {@code NGRAM}; none unless set.
   */
  public B ngrams(NgramOptions options) {
    ngrams = options;
    return self();
  }

  /**
   * Adds a LoRA adapter for requests that name it; it is read now.
   *
   * @param directory holds {@code adapter_config.json} and {@code adapter_model.safetensors}
   * @throws dev.headway.executor.model.ModelFormatException if the folder cannot be used
   * @throws IllegalArgumentException if its id or its name is taken
   */
  public B adapter(LoraAdapter adapter, Path directory) {
    adapters.add(adapter, directory, model.config());
    return self();
  }

  /** The model that is run. */
  protected final Model model() {
    return model;
  }

  /** What steps are timed by. */
  protected final NanoClock clock() {
    return clock;
  }

  /** How drafts are proposed; null for none. */
  protected final @Nullable NgramOptions ngrams() {
    return ngrams;
  }

  /** The adapters that were added. */
  protected final Map<LoraAdapter, LoraWeights> adapters() {
    return adapters.all();
  }

  /**
   * What the executor can hold.
   *
   * @throws IllegalArgumentException if options contradict each other
   */
  protected final ExecutorShape shape() {
    return new HostKvOptions(blockSize, numBlocks, kvCacheBytes, hostBlocks)
        .shape(model.config(), maxNumSeqs);
  }
}
