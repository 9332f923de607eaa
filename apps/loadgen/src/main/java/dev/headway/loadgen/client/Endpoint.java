package dev.headway.loadgen.client;

/** A route of OpenAI's protocol. */
public enum Endpoint {
  /** {@code /v1/completions}. */
  COMPLETIONS("/v1/completions", "openai"),
  /** {@code /v1/chat/completions}. */
  CHAT("/v1/chat/completions", "openai-chat");

  private final String path;
  private final String label;

  Endpoint(String path, String label) {
    this.path = path;
    this.label = label;
  }

  /** The path, below the server's address. */
  public String path() {
    return path;
  }

  /** What {@code vllm bench serve} calls it. */
  public String label() {
    return label;
  }
}
