package dev.headway.router.prompt;

import java.util.List;

/**
 * Turns prompts into the tokens that the workers make of them, so that what KV events name tokens
 * can be compared with it. Called by several threads at once. What it throws costs the request its
 * tokens, not its answer: it is routed by its text.
 */
public interface PromptTokenizer {

  /** A message of a conversation; the texts of its parts are one. */
  record Message(String role, String content) {}

  /** The tokens of a prompt of {@code /v1/completions} or {@code /generate}. */
  int[] completion(String prompt);

  /** The tokens of a conversation, as the model's chat template writes it for an answer. */
  int[] chat(List<Message> messages);
}
