package dev.headway.server;

import dev.headway.fuzz.ParserFuzz;
import dev.headway.serving.ServedModel;
import dev.headway.serving.chat.BuiltInTemplate;
import dev.headway.serving.tokenizer.ByteTokenizer;
import dev.headway.serving.tool.ToolParser;
import java.util.List;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/** Bodies of requests, on every route that takes one. */
class RequestBodyFuzzTest extends ParserFuzz {

  private final RequestReader reader =
      new RequestReader(
          new ServedModel(
              "model",
              new ByteTokenizer(),
              BuiltInTemplate.named("chatml").orElseThrow(),
              new int[] {0},
              256,
              512),
          RequestLimits.ofHeap(1L << 30),
          ToolParser.HERMES);
  private final List<Function<ObjectNode, GenerationRequest>> routes =
      List.of(reader::completion, reader::chat, reader::generate);

  RequestBodyFuzzTest() {
    super();
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    for (Function<ObjectNode, GenerationRequest> route : routes) {
      try {
        route.apply(Json.object(input));
      } catch (ApiException e) {
        Json.bytes(Json.error(e));
      }
    }
  }
}
