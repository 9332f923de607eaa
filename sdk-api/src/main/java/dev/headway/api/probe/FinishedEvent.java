package dev.headway.api.probe;

import dev.headway.api.request.FinishReason;
import org.jspecify.annotations.Nullable;

/** A request ended, at {@link #atNs()}. Exactly one for every queued request. */
public interface FinishedEvent extends RequestEvent {

  /** How it ended. */
  FinishReason reason();

  /** The stop token that ended it, or {@link dev.headway.api.Absent#ABSENT}. */
  long stopTokenId();

  /** What failed, or null if nothing did. */
  @Nullable Throwable cause();

  /** KV blocks it released. */
  int freedBlocks();
}
