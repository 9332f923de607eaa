/**
 * The paged KV cache: who holds which blocks, and what can be shared.
 *
 * <pre>{@code
 * match ─▶ admit ─▶ grow ─▶ grow ─▶ release
 *            └─ says what is missing ─┘
 * }</pre>
 *
 * <p>Read {@link dev.headway.api.kvcache.KvCacheManager}, then {@link
 * dev.headway.api.kvcache.KvSequence}. Blocks are ints; block 0 is the null block and is never
 * handed out. The engine thread calls everything here.
 */
@NullMarked
package dev.headway.api.kvcache;

import org.jspecify.annotations.NullMarked;
