package dev.headway.serving.reply;

import org.jspecify.annotations.Nullable;

/** There is no reply; the message says why. */
public final class ReplyException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /** What to do about it. */
  public enum Kind {
    /** It asks for what cannot be honoured. */
    UNSUPPORTED,
    /** It can never be answered as it is. */
    INVALID,
    /** The engine has too much to do: it may be asked again later. */
    OVERLOADED,
    /** A time has passed. */
    TIMED_OUT,
    /** The engine is closed. */
    CLOSED,
    /** It was cancelled. */
    CANCELLED,
    /** The executor, or what goes with it, has failed. */
    FAILED
  }

  private final Kind kind;

  /** Makes one without a cause. */
  public ReplyException(Kind kind, @Nullable String message) {
    this(kind, message, null);
  }

  /** Makes one with what has caused it. */
  public ReplyException(Kind kind, @Nullable String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** What to do about it. */
  public Kind kind() {
    return kind;
  }
}
