package dev.headway.api.probe;

import dev.headway.api.request.FinishReason;
import org.jspecify.annotations.Nullable;

/** A request ended, at {@link #atNs()}. Exactly one for every queued request. */
public interface FinishedEvent extends RequestEvent {

  /** How it ended. */
  FinishReason reason();

  /**
   * The one of its stop tokens that ended it, or {@link dev.headway.api.Absent#ABSENT}; absent too
   * for the end-of-sequence token.
   */
  long stopTokenId();

  /** What failed, or null if nothing did. */
  @Nullable Throwable cause();

  /** KV blocks it released. */
  int freedBlocks();
}
