package dev.headway.serving.tool;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * An answer that is an array of {@code {"name": ..., "parameters": {...}}}, in this order, as its
 * grammar has made it: a name is known as soon as the parameters behind it begin. An answer that
 * may be text instead is text unless it begins with a bracket.
 */
final class RequiredCalls extends CallText {

  private static final int IN_CALL = 2;
  private static final int IN_PARAMETERS = 3;

  /** What an answer is, as far as it is known. */
  enum Form {
    CALLS,
    TEXT,
    CALLS_OR_TEXT
  }

  private final StringBuilder head = new StringBuilder();
  private int depth;
  private boolean inString;
  private boolean isEscaped;
  private Form form;

  /** An answer that is text is that from its beginning. */
  RequiredCalls(Form form) {
    this.form = form;
  }

  @Override
  public void push(String text) {
    if (form == Form.CALLS_OR_TEXT && !text.isEmpty()) {
      form = text.charAt(0) == '[' ? Form.CALLS : Form.TEXT;
    }
    if (form == Form.TEXT) {
      text(text);
    } else {
      pushCalls(text);
    }
  }

  private void pushCalls(String text) {
    int from = 0;
    for (int i = 0; i < text.length(); i++) {
      final int before = depth;
      step(text.charAt(i));
      if (before == IN_CALL && depth == IN_PARAMETERS) {
        begin(name());
        from = i;
      } else if (before == IN_PARAMETERS && depth == IN_CALL) {
        arguments(text.substring(from, i + 1));
        head.setLength(0);
      } else if (depth == IN_CALL) {
        head.append(text.charAt(i));
      }
    }
    if (depth >= IN_PARAMETERS) {
      arguments(text.substring(from));
    }
  }

  private void step(char c) {
    if (inString) {
      inString = isEscaped || c != '"';
      isEscaped = !isEscaped && c == '\\';
      return;
    }
    switch (c) {
      case '"' -> inString = true;
      case '{', '[' -> depth++;
      case '}', ']' -> depth--;
      default -> {} // within a value
    }
  }

  /** Of what stands in front of the parameters. */
  private String name() {
    try {
      return JsonMapper.shared().readTree(head + "null}").path("name").asString("");
    } catch (JacksonException e) {
      return ""; // no grammar has made it
    }
  }

  @Override
  public void finish() {}
}
