/**
 * The paged KV cache: who holds which blocks, and what can be shared.
 *
 * <pre>{@code
 * lookup ─▶ allocate ─▶ extend ─▶ extend ─▶ release
 *              └─ says what is missing ─┘
 * }</pre>
 *
 * <p>Read {@link dev.headway.api.kvcache.KvCacheManager}, then {@link
 * dev.headway.api.kvcache.KvSequence}. A {@link dev.headway.api.kvcache.KvGroup} says what a kind
 * of layers keeps; a sequence has a block table for each, and all draw from the same blocks. Blocks
 * are ints; block 0 is the null block: nobody holds it, and in a table it stands for tokens that
 * the layers no longer look at. The engine thread calls everything here.
 */
@NullMarked
package dev.headway.api.kvcache;

import org.jspecify.annotations.NullMarked;
