/**
 * A paged KV cache in a handful of int arrays.
 *
 * <pre>{@code
 * KvCacheManagers ── chooses one of the two, both a PooledKvCache
 *   ├─ BlockPool            reference counts, free queue, quarantine
 *   │    └─ FreeBlocks        by priority, then least recently used first, O(1) everywhere
 *   └─ InFlightDependencies dependents of a failed step: BlockWriters, InFlightHits
 *
 * PagedKvCacheManager ── one group with full attention: what a request needs, and whether it fits
 *   ├─ PagedSequence        block table, block hashes (each computed once)
 *   ├─ PrefixIndex          which blocks hold which prefix of a PrefixTree
 *   ├─ PagedPrefixes        the longest prefix known, and what becomes findable
 *   └─ HostTier             what the device gave up, in host memory; PendingLoads of the step,
 *                           HostHits of a sequence
 *
 * GroupedKvCacheManager ── any mix of groups, all drawing from one pool
 *   ├─ CacheGeometry        granularities that follow from the options
 *   ├─ GroupedSequence      a BlockTable for each group, and a PrefixPath
 *   ├─ AttentionTypeManager what a type of layers needs, keeps and finds:
 *   │    FullAttentionManager, SlidingWindowManager, ChunkedLocalManager, MambaManager
 *   ├─ PrefixLookup         the longest prefix that all types hold
 *   ├─ BlockRegistrar       what becomes findable, with RetentionMask and PartialEntries
 *   ├─ CachedBlocks         which blocks hold which prefixes of the PrefixTree of all groups
 *   ├─ ChunkAlignment       where a chunk must end so that a state can be kept
 *   └─ PendingWork          copies and zeroing before the step runs
 *
 * PrefixTree ── prefixes in use, found by BlockHasher, accepted by comparison
 *   └─ PrefixNodeTable      one record of ints for each
 * }</pre>
 *
 * <p>Read {@link dev.headway.kvcache.PagedKvCacheManager} first, then {@link
 * dev.headway.kvcache.GroupedKvCacheManager}. One thread, the engine's. After warm-up nothing here
 * allocates. Behaviour is that of vLLM 0.28's KV-cache manager, block for block; the order of the
 * free queue is part of it.
 */
@NullMarked
package dev.headway.kvcache;

import org.jspecify.annotations.NullMarked;
