package dev.headway.router.kvcache;

import dev.headway.router.prompt.PromptTokenizer;
import dev.headway.routing.kvevents.KvEventIndex;
import org.jspecify.annotations.Nullable;

/**
 * How a router knows what workers have in their KV caches.
 *
 * @param index is fed with the KV events of the workers, and asked by the policy; null to follow no
 *     events
 * @param tokenizer makes the workers' tokens of texts, as the index knows nothing else; null if
 *     clients send tokens, or the policy compares texts
 */
public record CacheOptions(@Nullable KvEventIndex index, @Nullable PromptTokenizer tokenizer) {

  /** Follows nothing and makes no tokens. */
  public static final CacheOptions NONE = new CacheOptions(null, null);
}
