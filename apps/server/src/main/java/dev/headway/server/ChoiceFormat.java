package dev.headway.server;

import dev.headway.serving.ChoiceText;
import tools.jackson.databind.node.ArrayNode;

/** Choices in the JSON of one of OpenAI's endpoints. Any thread. */
interface ChoiceFormat {

  /** The field {@code object} of a whole answer. */
  String wholeObject();

  /** The field {@code object} of a chunk. */
  String chunkObject();

  /** Adds a whole choice, which is done. */
  void addWhole(ArrayNode choices, ChoiceText choice, boolean logprobs);

  /** Adds what became certain of a choice, and how it ended if it did. */
  void addPart(ArrayNode choices, ChoiceText choice, boolean logprobs);
}
