package dev.headway.serving.tool;

import org.jspecify.annotations.Nullable;

/**
 * What of an answer is calls of functions. Immutable.
 *
 * @param mode how they are written
 * @param function which is called, if the client named it; else empty
 * @param isParallel whether an answer may have several calls
 */
public record ToolUse(Mode mode, String function, boolean isParallel) {

  /** No calls: all is text. */
  public static final ToolUse NONE = new ToolUse(Mode.NONE, "", true);

  /** How calls are written. */
  public enum Mode {
    /** There are none. */
    NONE,
    /** The answer is the arguments of one function. */
    NAMED,
    /** The answer is an array of calls. */
    REQUIRED,
    /** The answer is an array of calls, or JSON that is no array. */
    CALLS_OR_JSON,
    /** Calls are where the model writes them, in Hermes' form. */
    HERMES
  }

  /** Begins to read an answer; null if it has no calls. */
  public @Nullable CallText begin() {
    return switch (mode) {
      case NONE -> null;
      case NAMED -> new NamedCall(function);
      case REQUIRED -> new RequiredCalls(RequiredCalls.Form.CALLS);
      case CALLS_OR_JSON -> new RequiredCalls(RequiredCalls.Form.CALLS_OR_TEXT);
      case HERMES -> new HermesCalls(isParallel);
    };
  }
}
