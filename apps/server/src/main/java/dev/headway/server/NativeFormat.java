package dev.headway.server;

import java.util.List;
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
    final String rid = new Fields(body).shortText("rid", "");
    if (rid.isEmpty()) {
      return Optional.empty();
    }
    if (!RequestIds.ID.matcher(rid).matches()) { // its sender will ask for it by this name
      throw ApiException.invalid(
          "rid", "rid must be 1 to 128 of A-Z, a-z, 0-9 and ._:/@-: characters=" + rid.length());
    }
    return Optional.of(rid);
  }

  @Override
  public Answer answer(String id, String model, GenerationRequest asked, List<PromptEcho> echoes) {
    return new NativeAnswer(id);
  }
}
