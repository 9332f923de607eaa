package dev.headway.serving.tool;

/** How a model that calls functions of its own accord writes it. */
public enum ToolParser {
  /** {@code <tool_call>{"name": ..., "arguments": {...}}</tool_call>}: Hermes, Qwen and others. */
  HERMES(ToolUse.Mode.HERMES);

  private final ToolUse.Mode mode;

  ToolParser(ToolUse.Mode mode) {
    this.mode = mode;
  }

  /** How answers are read. */
  public ToolUse.Mode mode() {
    return mode;
  }
}
