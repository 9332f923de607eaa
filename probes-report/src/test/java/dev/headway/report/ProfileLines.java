package dev.headway.report;

import dev.headway.events.model.RunModel;
import dev.headway.probes.csv.EventScript;
import dev.headway.report.profile.ProfileWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The profile of a script, as text and as JSON. */
public record ProfileLines(String text) {

  private static final JsonMapper MAPPER = new JsonMapper();

  public static ProfileLines of(EventScript script) {
    final StringBuilder text = new StringBuilder();
    try (RunModel observer = ProfileWriter.toText(text)) {
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
