package dev.headway.server;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Questions and answers of one endpoint. Any thread. */
interface AnswerFormat {

  /** Reads a body. */
  GenerationRequest read(ObjectNode body);

  /** What ids begin with. */
  String idPrefix();

  /** What the client calls the request, if the body says it. */
  default Optional<String> givenId(ObjectNode body) {
    return Optional.empty();
  }

  /**
   * Begins an answer.
   *
   * @param id what the client sees
   * @param model what the client calls it
   * @param echoes what choices begin with, for each prompt; none if they begin with nothing
   */
  Answer answer(String id, String model, GenerationRequest asked, List<PromptEcho> echoes);
}
