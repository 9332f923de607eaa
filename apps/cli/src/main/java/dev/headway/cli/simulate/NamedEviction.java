package dev.headway.cli.simulate;

import dev.headway.api.kvcache.EvictionPolicy;
import dev.headway.kvcache.LfuEviction;
import dev.headway.kvcache.SlruEviction;

/** Which contents a prefix cache gives up first, by SGLang's names. */
public enum NamedEviction {
  LRU,
  LFU,
  SLRU;

  /** Of the option. */
  public static final String DESCRIPTION =
      "Which contents the prefix cache gives up first: lru, least recently used; lfu, least often"
          + " found; slru, those found less than twice before the others. Priorities that requests"
          + " ask for stand beside it (${DEFAULT-VALUE}).";

  /** The policy of this name. */
  public EvictionPolicy policy() {
    return switch (this) {
      case LRU -> EvictionPolicy.LRU;
      case LFU -> new LfuEviction();
      case SLRU -> SlruEviction.DEFAULT;
    };
  }
}
