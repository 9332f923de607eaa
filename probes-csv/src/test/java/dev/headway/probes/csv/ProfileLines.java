package dev.headway.probes.csv;

import dev.headway.probes.chronicle.observe.RunObserver;
import dev.headway.probes.csv.profile.ProfileWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The profile of a script, as text and as JSON. */
record ProfileLines(String text) {

  private static final JsonMapper MAPPER = new JsonMapper();

  static ProfileLines of(EventScript script) {
    final StringBuilder text = new StringBuilder();
    try (RunObserver observer = ProfileWriter.toText(text)) {
      script.playTo(observer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new ProfileLines(text.toString());
  }

  List<JsonNode> records() {
    return text.lines().map(MAPPER::readTree).toList();
  }
}
