package dev.headway.server.chat;

/** A template gave no prompt for some messages; the message says why, in one line. */
public final class ChatTemplateException extends RuntimeException {

  /** Whose fault it is. */
  public enum Kind {
    /** The template has refused the messages, as its author meant it to. */
    REFUSED,
    /** The template could not be run: it is wrong, or uses what is not known here. */
    FAILED
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

  /** Whose fault it is. */
  public Kind kind() {
    return kind;
  }
}
