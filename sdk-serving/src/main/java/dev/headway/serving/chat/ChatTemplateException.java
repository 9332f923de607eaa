package dev.headway.serving.chat;

/** A template gave no prompt for some messages; the message says why, in one line. */
public final class ChatTemplateException extends RuntimeException {

  /** What has happened. */
  public enum Kind {
    /** The template has refused the messages, as its author meant it to. */
    REFUSED,
    /** The template could not be run: it is wrong, or uses what is not known here. */
    FAILED,
    /** The template has run for as long as it may; it was stopped. */
    TOO_LONG,
    /** It was not run: it is being run for others. */
    BUSY
  }

  private final transient Kind kind;

  ChatTemplateException(Kind kind, String message) {
    super(message.replaceAll("\\s*\\R\\s*", " "), null, false, false);
    this.kind = kind;
  }

  /** Returns the same with the line of the template in front. */
  ChatTemplateException at(int line) {
    return new ChatTemplateException(kind, "line=" + line + ": " + getMessage());
  }

  /** What has happened. */
  public Kind kind() {
    return kind;
  }
}
