package dev.headway.scheduler.golden;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** One recorded run of vLLM's scheduler: its configuration and every operation with its outcome. */
record GoldenTrace(String name, JsonNode config, List<JsonNode> operations) {

  private static final ObjectMapper JSON = new ObjectMapper();

  static GoldenTrace read(Path file) {
    final List<JsonNode> lines = new ArrayList<>();
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.add(JSON.readTree(line));
      }
    } catch (IOException e) {
      throw new IllegalStateException("golden trace is not readable: file=" + file, e);
    }
    return new GoldenTrace(nameOf(file), lines.get(0), lines.subList(1, lines.size()));
  }

  String family() {
    return config.get("family").asString();
  }

  static String nameOf(Path file) {
    return file.getFileName().toString().replace(".jsonl.gz", "");
  }

  /** The family as the file name tells it, without reading the file. */
  static String familyOf(Path file) {
    return nameOf(file).replaceFirst("-\\d+(-large)?$", "");
  }
}
