package dev.headway.kvcache;

import dev.headway.api.config.Compatibility;
import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.engine.KvCacheContext;
import dev.headway.api.kvcache.EvictionPolicy;
import dev.headway.api.kvcache.KvCacheListener;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.time.NanoClock;
import java.util.function.LongSupplier;

/**
 * Makes the KV cache manager for a shape: {@link PagedKvCacheManager} for one group with full
 * attention, {@link GroupedKvCacheManager} for everything else.
 */
public final class KvCacheManagers {

  private KvCacheManagers() {}

  /**
   * Starts a manager.
   *
   * @param shape size of the cache
   * @param maxModelLen longest sequence, in tokens; no demand goes beyond it
   * @throws IllegalArgumentException if {@code maxModelLen} is not positive
   */
  public static Builder builder(KvCacheShape shape, int maxModelLen) {
    return new Builder(shape, maxModelLen);
  }

  /**
   * Starts the manager that an engine asks for: with every option of its configuration, and its
   * listener.
   */
  public static Builder of(KvCacheContext context) {
    final SchedulerConfig config = context.config();
    return builder(context.shape(), config.limits().maxModelLen())
        .maxInFlightTokens(config.inFlightTokenLimit())
        .prefixCache(config.prefixCache())
        .offload(config.kvOffload())
        .speculation(config.speculation())
        .compatibility(config.compatibility())
        .clock(context.clock())
        .listener(context.listener());
  }

  /** Collects the options of a manager. Not thread-safe. */
  public static final class Builder {

    private static final KvCacheListener NONE = new KvCacheListener() {};

    final KvCacheShape shape;
    final int maxModelLen;
    int maxInFlightTokens;
    PrefixCacheOptions prefixCache = PrefixCacheOptions.DEFAULT;
    SpeculationOptions speculation = SpeculationOptions.NONE;
    Compatibility compatibility = Compatibility.HEADWAY;
    BlockHasher hasher = BlockHasher.randomKey();
    KvCacheListener listener = NONE;
    KvOffloadOptions offload = KvOffloadOptions.NONE;
    EvictionPolicy eviction = EvictionPolicy.LRU;
    LongSupplier clock = System::nanoTime;

    private Builder(KvCacheShape shape, int maxModelLen) {
      if (maxModelLen < 1) {
        throw new IllegalArgumentException("maxModelLen must be >= 1: maxModelLen=" + maxModelLen);
      }
      this.shape = shape;
      this.maxModelLen = maxModelLen;
      this.maxInFlightTokens = maxModelLen;
    }

    /**
     * Most tokens scheduled and not yet processed, which a window keeps beside its own; {@code
     * maxModelLen} unless set.
     */
    public Builder maxInFlightTokens(int tokens) {
      if (tokens < 1) {
        throw new IllegalArgumentException(
            "maxInFlightTokens must be >= 1: maxInFlightTokens=" + tokens);
      }
      this.maxInFlightTokens = tokens;
      return this;
    }

    /**
     * Whether and how prefixes are found and kept; {@link PrefixCacheOptions#DEFAULT} unless set.
     */
    public Builder prefixCache(PrefixCacheOptions prefixCache) {
      this.prefixCache = prefixCache;
      return this;
    }

    /** The drafting method that the cache serves; none unless set. */
    public Builder speculation(SpeculationOptions speculation) {
      this.speculation = speculation;
      return this;
    }

    /**
     * Under {@link Compatibility#VLLM_0_28} copies have no step fence: they are free at once, and
     * one can be copied in the step that writes it.
     */
    public Builder compatibility(Compatibility compatibility) {
      this.compatibility = compatibility;
      return this;
    }

    /** A second tier in host memory; {@link KvOffloadOptions#NONE} unless set. */
    public Builder offload(KvOffloadOptions offload) {
      this.offload = offload;
      return this;
    }

    /** Names the blocks; by a random key unless set. */
    public Builder hasher(BlockHasher hasher) {
      this.hasher = hasher;
      return this;
    }

    /** Which contents are given up first; {@link EvictionPolicy#LRU} unless set. */
    public Builder eviction(EvictionPolicy eviction) {
      this.eviction = eviction;
      return this;
    }

    /** By which contents are kept for a time; the system's unless set. */
    public Builder clock(NanoClock clock) {
      this.clock = clock::nanoTime;
      return this;
    }

    /** Receives what is stored and removed; none unless set. */
    public Builder listener(KvCacheListener listener) {
      this.listener = listener;
      return this;
    }

    /**
     * Returns the manager; its arrays are allocated now.
     *
     * @throws IllegalArgumentException if the options do not go together, naming the values
     */
    public PooledKvCache build() {
      final CacheGeometry geometry = new CacheGeometry(shape, prefixCache, speculation);
      requireNamesOfWholeBlocks();
      if (isOneFullGroup()) {
        return buildPaged();
      }
      if (offload.hostBlocks() > 0) {
        throw new IllegalArgumentException(
            "hostBlocks needs a cache with one group, of full attention: hostBlocks="
                + offload.hostBlocks()
                + ", groups="
                + shape.groups());
      }
      return new GroupedKvCacheManager(this, geometry);
    }

    private PagedKvCacheManager buildPaged() {
      if (offload.hostBlocks() > 0
          && (!prefixCache.isEnabled() || compatibility != Compatibility.HEADWAY)) {
        throw new IllegalArgumentException(
            "hostBlocks needs prefixCache enabled and compatibility HEADWAY: hostBlocks="
                + offload.hostBlocks()
                + ", prefixCache="
                + prefixCache
                + ", compatibility="
                + compatibility);
      }
      return new PagedKvCacheManager(this);
    }

    private void requireNamesOfWholeBlocks() {
      if (hasher instanceof VllmNamedBlocks
          && shape.groups().stream().mapToInt(KvGroup::blockSize).distinct().count() > 1) {
        throw new IllegalArgumentException(
            "all groups must have one block size for a hasher that names blocks as vLLM does:"
                + " groups="
                + shape.groups());
      }
    }

    /** Returns a {@link GroupedKvCacheManager} whatever the groups are: for comparisons. */
    GroupedKvCacheManager buildGrouped() {
      return new GroupedKvCacheManager(this, new CacheGeometry(shape, prefixCache, speculation));
    }

    private boolean isOneFullGroup() {
      return shape.groups().size() == 1 && shape.groups().get(0) instanceof KvGroup.FullAttention;
    }
  }
}
