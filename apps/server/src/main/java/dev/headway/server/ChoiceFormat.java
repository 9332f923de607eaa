package dev.headway.server;

import tools.jackson.databind.node.ArrayNode;

/** Choices in the JSON of one of OpenAI's endpoints. Any thread. */
interface ChoiceFormat {

  /** The field {@code object} of a whole answer. */
  String wholeObject();

  /** The field {@code object} of a chunk. */
  String chunkObject();

  /** Adds what a stream says of a choice before its first token, if anything. */
  void addOpening(ArrayNode choices, int index);

  /** Adds a whole choice, which is done. */
  void addWhole(ArrayNode choices, ChoiceText choice, boolean logprobs);

  /** Adds what became certain of a choice, and how it ended if it did. */
  void addPart(ArrayNode choices, ChoiceText choice, boolean logprobs);
}
