package dev.headway.simulation.fit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedSet;
import java.util.TreeSet;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What an executor said of itself when its run was recorded: the attributes {@code batch_sizes} and
 * {@code product_rows} of {@link dev.headway.api.executor.Executor#attributes}, in the {@code
 * manifest.json} beside the rows.
 */
final class RecordedTraits {

  private static final JsonMapper JSON = JsonMapper.shared();

  private RecordedTraits() {}

  /**
   * The most decodes of each class that is served alike, rising.
   *
   * @return empty if there is no such file, or it has none of the attributes
   * @throws IOException if it cannot be read, or a number in an attribute is none
   */
  static SortedSet<Integer> classEnds(Path manifest) throws IOException {
    final SortedSet<Integer> ends = new TreeSet<>();
    if (Files.exists(manifest)) {
      try {
        for (JsonNode run : JSON.readTree(manifest.toFile()).path("runs")) {
          final JsonNode attributes = run.path("attributes");
          add(attributes, "batch_sizes", 0, ends);
          add(attributes, "product_rows", -1, ends);
        }
      } catch (JacksonException | NumberFormatException e) {
        throw new IOException(manifest + " must be a manifest: " + e.getMessage(), e);
      }
    }
    return ends;
  }

  /**
   * The names of the models that were recorded.
   *
   * @return empty if there is no such file, or it has none
   * @throws IOException if it cannot be read
   */
  static SortedSet<String> models(Path manifest) throws IOException {
    final SortedSet<String> models = new TreeSet<>();
    if (Files.exists(manifest)) {
      try {
        for (JsonNode run : JSON.readTree(manifest.toFile()).path("runs")) {
          final String model = run.path("attributes").path("model").asString("");
          if (!model.isEmpty()) {
            models.add(model);
          }
        }
      } catch (JacksonException e) {
        throw new IOException(manifest + " must be a manifest: " + e.getMessage(), e);
      }
    }
    return models;
  }

  private static void add(JsonNode attributes, String name, int offset, SortedSet<Integer> ends) {
    final String text = attributes.path(name).asString("").strip();
    if (!text.isEmpty()) {
      for (String number : text.split(" +", -1)) {
        final int end = Integer.parseInt(number) + offset;
        if (end > 0) {
          ends.add(end);
        }
      }
    }
  }
}
