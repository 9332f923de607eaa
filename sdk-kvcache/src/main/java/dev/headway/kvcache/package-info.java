/**
 * A paged KV cache in a handful of int arrays.
 *
 * <pre>{@code
 * PagedKvCacheManager ── what a request needs, and whether it fits
 *   ├─ PagedSequence      block table, block hashes (each computed once)
 *   ├─ BlockPool          reference counts, free queue, quarantine
 *   │    └─ FreeBlockQueue  least recently used first, O(1) everywhere
 *   └─ PrefixIndex        content of cached blocks, found by hash, believed by comparison
 *        └─ BlockHasher     keyed hash of a block and all before it
 * }</pre>
 *
 * <p>Read {@link dev.headway.kvcache.PagedKvCacheManager} first. One thread, the engine's. After
 * warm-up nothing here allocates. Behaviour is that of vLLM 0.28's KV-cache manager for one
 * full-attention group, block for block; the order of the free queue is part of it.
 */
@NullMarked
package dev.headway.kvcache;

import org.jspecify.annotations.NullMarked;
