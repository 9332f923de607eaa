package dev.headway.routing.timing;

import dev.headway.fuzz.ParserFuzz;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Timings that servers and routers say in their answers. */
class TimingFuzzTest extends ParserFuzz {

  TimingFuzzTest() {
    super(IllegalArgumentException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    final JsonNode json;
    try {
      json = JsonMapper.shared().readTree(input);
    } catch (RuntimeException e) {
      return; // not ours
    }
    TimingJson.readServer(json);
    TimingJson.readRouter(json);
  }
}
