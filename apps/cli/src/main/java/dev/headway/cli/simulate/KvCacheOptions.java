package dev.headway.cli.simulate;

import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.EvictionPolicy;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.cli.command.Excludes;
import dev.headway.cli.command.InRange;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The KV cache and the tier behind it, on the command line. */
final class KvCacheOptions {

  private static final long LLAMA_3_1_8B_BYTES_PER_TOKEN = 131_072;
  private static final double BYTES_PER_GIB = 1L << 30;
  private static final int DEFAULT_NUM_BLOCKS = 30_720;

  /** Of a tiny model more would fit a device than books of them fit the heap. */
  private static final int MOST_USUAL_BLOCKS = 1 << 21;

  @InRange(from = 1)
  @Option(
      names = "--block-size",
      paramLabel = "N",
      description = "Tokens per KV block (${DEFAULT-VALUE}).")
  private int blockSize = 16;

  @InRange(from = 2)
  @Option(
      names = "--num-blocks",
      paramLabel = "N",
      description =
          "KV blocks, the null block included (what fits beside the weights with --model, at most"
              + " 2097152, whose books take 300 MB of heap; 30720: 60 GiB at 16 tokens).")
  private @Nullable Integer numBlocks;

  @InRange(from = 0, above = true)
  @Option(
      names = "--kv-gib",
      paramLabel = "GIB",
      description =
          "Size of the KV cache instead of --num-blocks, at the bytes per token of the --model"
              + " (131072).")
  private @Nullable Double kvGib;

  @InRange(from = 0)
  @Option(
      names = "--num-host-blocks",
      paramLabel = "N",
      description = "KV blocks in host memory, which keep what the cache gives up (0: none).")
  private @Nullable Integer numHostBlocks;

  @InRange(from = 0)
  @Option(
      names = "--host-kv-gib",
      paramLabel = "GIB",
      description =
          "Size of that tier instead of --num-host-blocks; blocks move at 50 GB/s (PCIe 5.0).")
  private @Nullable Double hostKvGib;

  @Option(names = "--no-prefix-caching", description = "Share no computed blocks.")
  private boolean noPrefixCaching;

  @Excludes("--no-prefix-caching")
  @Option(
      names = "--kv-eviction-policy",
      paramLabel = "NAME",
      description = NamedEviction.DESCRIPTION)
  private NamedEviction eviction = NamedEviction.LRU;

  private long bytesPerToken = LLAMA_3_1_8B_BYTES_PER_TOKEN;
  private int usualBlocks = DEFAULT_NUM_BLOCKS;

  /** Sizes follow from a model on its devices, unless they are given. */
  void of(ServedDevice device, int maxNumBatchedTokens) {
    bytesPerToken = device.kvBytesPerToken();
    if (numBlocks == null && kvGib == null) {
      usualBlocks = Math.min(MOST_USUAL_BLOCKS, device.blocks(blockSize, maxNumBatchedTokens));
    }
  }

  void addTo(SchedulerConfig.Builder config) {
    config
        .prefixCache(noPrefixCaching ? PrefixCacheOptions.disabled() : PrefixCacheOptions.DEFAULT)
        .kvOffload(new KvOffloadOptions(hostBlocks()));
  }

  EvictionPolicy eviction() {
    return eviction.policy();
  }

  KvCacheShape shape() {
    final int blocks = blocks("--num-blocks", numBlocks, "--kv-gib", kvGib, 2, usualBlocks);
    return KvCacheShape.builder()
        .blockSize(blockSize)
        .blocks(blocks)
        .bytesPerBlock(bytesPerBlock())
        .build();
  }

  /** The number that was given, or null. */
  @Nullable Integer numBlocks() {
    return numBlocks;
  }

  /** Blocks in host memory, 0 without the tier. */
  int hostBlocks() {
    return blocks("--num-host-blocks", numHostBlocks, "--host-kv-gib", hostKvGib, 0, 0);
  }

  long bytesPerBlock() {
    return bytesPerToken * blockSize;
  }

  /** A number of blocks, given as such or as a size. */
  private int blocks(
      String option,
      @Nullable Integer number,
      String sizeOption,
      @Nullable Double gib,
      int least,
      int usual) {
    if (gib == null) {
      return number == null ? usual : number;
    }
    if (number != null) {
      throw new IllegalArgumentException(
          "%1$s and %2$s exclude each other: %1$s=%3$s, %2$s=%4$s"
              .formatted(option, sizeOption, number, gib));
    }
    final double blocks = gib * BYTES_PER_GIB / (bytesPerToken * (double) Math.max(1, blockSize));
    if (!(blocks >= least && blocks <= Integer.MAX_VALUE)) {
      throw new IllegalArgumentException(
          "%1$s must hold %2$s blocks of %3$d bytes: %1$s=%4$s, --block-size=%5$d"
              .formatted(
                  sizeOption,
                  blocks > least ? "at most " + Integer.MAX_VALUE : "at least " + least,
                  bytesPerBlock(),
                  gib,
                  blockSize));
    }
    return (int) blocks;
  }
}
