package dev.headway.loadgen.arrival;

import dev.headway.toolbox.csv.WholeNumber;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * A schedule as a file, so that programs in several languages send the same load: a JSON object of
 * {@code i, offset_ns, prompt_len, output_len} per line. Stateless.
 */
public final class ScheduleFile {

  private static final JsonMapper JSON = JsonMapper.shared();

  private ScheduleFile() {}

  /**
   * A line.
   *
   * @param offsetNs when the request is sent, in nanoseconds after the start, at least 0
   * @param promptTokens at least 1
   * @param outputTokens at least 1
   */
  public record Entry(long offsetNs, int promptTokens, int outputTokens) {}

  /**
   * Writes a schedule.
   *
   * @throws IOException if the file cannot be written
   */
  public static void write(Path file, List<Entry> entries) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
      int index = 0;
      for (Entry entry : entries) {
        out.write(
            JsonNodeFactory.instance
                .objectNode()
                .put("i", index++)
                .put("offset_ns", entry.offsetNs)
                .put("prompt_len", entry.promptTokens)
                .put("output_len", entry.outputTokens)
                .toString());
        out.write('\n');
      }
    }
  }

  /**
   * Reads a schedule.
   *
   * @throws IOException if the file cannot be read or a line is wrong; names the line
   */
  public static List<Entry> read(Path file) throws IOException {
    final List<Entry> entries = new ArrayList<>();
    try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      long lastNs = 0;
      int number = 0;
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        number++;
        if (line.isBlank()) {
          continue;
        }
        final Entry entry = entry(file, number, line);
        if (entry.offsetNs < lastNs || entry.promptTokens < 1 || entry.outputTokens < 1) {
          throw new IOException(
              file
                  + ", line "
                  + number
                  + ": offset_ns must not fall, prompt_len and output_len must be >= 1: "
                  + line);
        }
        lastNs = entry.offsetNs;
        entries.add(entry);
      }
    }
    if (entries.isEmpty()) {
      throw new IOException(file + " must hold at least one line");
    }
    return entries;
  }

  private static Entry entry(Path file, int number, String line) throws IOException {
    try {
      final JsonNode json = JSON.readTree(line);
      return new Entry(
          WholeNumber.parse(json.path("offset_ns").asString("")),
          WholeNumber.parseInt(json.path("prompt_len").asString("")),
          WholeNumber.parseInt(json.path("output_len").asString("")));
    } catch (JacksonException | NumberFormatException e) {
      throw new IOException(
          file
              + ", line "
              + number
              + " must be an object of whole numbers offset_ns, prompt_len, output_len: "
              + line,
          e);
    }
  }
}
