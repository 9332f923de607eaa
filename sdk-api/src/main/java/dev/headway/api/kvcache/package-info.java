/**
 * The paged KV cache: block tables of requests and shared prefixes.
 *
 * <pre>{@code
 * lookup ─▶ allocate ─▶ extend ─▶ extend ─▶ release
 *              └─ reports what is missing ─┘
 * }</pre>
 *
 * <p>Read {@link dev.headway.api.kvcache.KvCacheManager}, then {@link
 * dev.headway.api.kvcache.KvSequence}. A {@link dev.headway.api.kvcache.KvGroup} describes what a
 * kind of layers keeps; a sequence has a block table for each, and all draw from the same blocks.
 * Blocks are ints; block 0 is the null block: no sequence holds it, and in a block table it marks
 * tokens that the layers no longer attend to. The engine thread calls everything here.
 */
@NullMarked
package dev.headway.api.kvcache;

import org.jspecify.annotations.NullMarked;
