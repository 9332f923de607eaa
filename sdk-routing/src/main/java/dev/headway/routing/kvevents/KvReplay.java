package dev.headway.routing.kvevents;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a subscriber gets what it missed. */
@FunctionalInterface
public interface KvReplay {

  /** A publisher that keeps nothing. */
  KvReplay NONE = sequence -> null;

  /** What the publisher still has from a number on, in order; null if no answer came in time. */
  @Nullable List<KvMessage> from(long sequence);
}
