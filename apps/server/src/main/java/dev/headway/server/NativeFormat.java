package dev.headway.server;

import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code /generate}, as SGLang has it: one prompt, and streams whose parts repeat the text so far.
 */
final class NativeFormat implements AnswerFormat {

  private final RequestReader reader;

  NativeFormat(RequestReader reader) {
    this.reader = reader;
  }

  @Override
  public GenerationRequest read(ObjectNode body) {
    return reader.generate(body);
  }

  @Override
  public String idPrefix() {
    return "";
  }

  @Override
  public Optional<String> givenId(ObjectNode body) {
    return Optional.of(new Fields(body).shortText("rid", "")).filter(rid -> !rid.isEmpty());
  }

  @Override
  public Answer answer(String id, String model, GenerationRequest asked) {
    return new NativeAnswer(id);
  }
}
