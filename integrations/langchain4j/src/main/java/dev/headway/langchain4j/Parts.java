package dev.headway.langchain4j;

import dev.headway.serving.tool.CallText;

/** Who gets an answer as it comes. One thread. */
interface Parts {

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
