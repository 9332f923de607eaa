package dev.headway.cuda.reference;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.time.NanoClock;
import dev.headway.cuda.model.Model;

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
   * Reads the weights and makes the cache.
   *
   * @throws IllegalArgumentException if options contradict each other or the model does not fit
   *     Java arrays
   */
  public ReferenceExecutor build() {
    if ((numBlocks == 0) == (kvCacheBytes == 0)) {
      throw new IllegalArgumentException(
          "one of numBlocks and kvCacheBytes must be given: numBlocks="
              + numBlocks
              + ", kvCacheBytes="
              + kvCacheBytes);
    }
    if (blockSize < 1) {
      throw new IllegalArgumentException("blockSize must be >= 1: blockSize=" + blockSize);
    }
    final long bytesPerBlock = PagedKv.bytesPerBlock(model.config(), blockSize);
    final long blocks = numBlocks != 0 ? numBlocks : kvCacheBytes / bytesPerBlock;
    if (blocks < 2 || blocks > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "the KV cache must have at least 2 blocks, the null block and one to use: numBlocks="
              + numBlocks
              + ", kvCacheBytes="
              + kvCacheBytes
              + ", bytesPerBlock="
              + bytesPerBlock);
    }
    final KvCacheShape kvCache = new KvCacheShape(blockSize, (int) blocks, bytesPerBlock);
    final int vocabularySize = model.config().vocabularySize();
    final ExecutorShape shape =
        new ExecutorShape(kvCache, maxNumSeqs, vocabularySize, 1, hostBlocks);
    return new ReferenceExecutor(new ReferenceModel(model, precision), shape, clock);
  }
}
