package dev.headway.server;

import dev.headway.serving.ChoiceText;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;

/** Choices in the JSON of one of OpenAI's endpoints. Any thread. */
interface ChoiceFormat {

  /** The field {@code object} of a whole answer. */
  String wholeObject();

  /** The field {@code object} of a chunk. */
  String chunkObject();

  /**
   * Adds a whole choice, which is done.
   *
   * @param echo what it begins with, or null for nothing
   */
  void addWhole(ArrayNode choices, ChoiceText choice, @Nullable PromptEcho echo, boolean logprobs);

  /**
   * Adds what became certain of a choice, and how it ended if it did.
   *
   * @param echo what the choice begins with, or null for nothing
   */
  void addPart(ArrayNode choices, ChoiceText choice, @Nullable PromptEcho echo, boolean logprobs);
}
