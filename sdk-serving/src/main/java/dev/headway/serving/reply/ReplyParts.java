package dev.headway.serving.reply;

import dev.headway.serving.tool.CallText;

/**
 * Who gets a reply as it comes. One thread, but for {@link #isCancelled}, which another may change.
 */
public interface ReplyParts {

  /** The request was submitted; {@code cancel} may be called by any thread. */
  default void begin(Runnable cancel) {}

  /** Text; may be empty. */
  default void text(String text) {}

  /** What is added to the arguments of a call; nothing at its beginning. */
  default void call(int index, CallText.Call call, String arguments) {}

  /** Nothing follows, and so many calls are complete. */
  default void end(int completeCalls) {}

  /** Whether no more is wanted. */
  default boolean isCancelled() {
    return false;
  }
}
