package dev.headway.serving.tool;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Text with {@code <tool_call>{"name": ..., "arguments": {...}}</tool_call>} in it. A call is added
 * once it is whole; what is none after all is text.
 */
final class HermesCalls extends CallText {

  private static final String BEGIN = "<tool_call>";
  private static final String END = "</tool_call>";

  private final boolean isParallel;
  private final StringBuilder held = new StringBuilder();
  private boolean inCall;

  HermesCalls(boolean isParallel) {
    this.isParallel = isParallel;
  }

  @Override
  public void push(String text) {
    held.append(text);
    boolean isMore = true;
    while (isMore) {
      isMore = inCall ? takeCall() : takeText();
    }
  }

  /** Returns whether a call has begun. */
  private boolean takeText() {
    final int at = held.indexOf(BEGIN);
    final int certain = at >= 0 ? at : held.length() - heldBack();
    final String text = held.substring(0, certain);
    if (calls().isEmpty() || !text.isBlank()) { // line ends between calls say nothing
      text(text);
    }
    held.delete(0, at >= 0 ? at + BEGIN.length() : certain);
    inCall = at >= 0;
    return inCall;
  }

  /** Length of the end that may be the beginning of a call. */
  private int heldBack() {
    for (int length = Math.min(BEGIN.length() - 1, held.length()); length > 0; length--) {
      if (BEGIN.startsWith(held.substring(held.length() - length))) {
        return length;
      }
    }
    return 0;
  }

  /** Returns whether a call has ended. */
  private boolean takeCall() {
    final int at = held.indexOf(END);
    if (at < 0) {
      return false;
    }
    final String json = held.substring(0, at);
    held.delete(0, at + END.length());
    inCall = false;
    if (!add(json)) {
      text(BEGIN + json + END);
    }
    return true;
  }

  private boolean add(String json) {
    final JsonNode call;
    try {
      call = JsonMapper.shared().readTree(json);
    } catch (JacksonException e) {
      return false;
    }
    if (!call.path("name").isString() || !call.path("arguments").isObject()) {
      return false;
    }
    if (calls().isEmpty() || isParallel) {
      begin(call.path("name").stringValue());
      arguments(call.path("arguments").toString());
    }
    return true;
  }

  @Override
  public void finish() {
    final boolean isLastCall = inCall && add(held.toString()); // some models leave its end out
    if (!isLastCall) {
      text((inCall ? BEGIN : "") + held);
    }
    held.setLength(0);
    inCall = false;
  }
}
