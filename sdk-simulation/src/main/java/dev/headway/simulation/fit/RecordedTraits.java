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
 * What an executor said of itself when its run was recorded: the attributes {@code batch_sizes},
 * {@code product_rows} and {@code model} of {@link dev.headway.api.executor.Executor#attributes},
 * in the {@code manifest.json} beside the rows.
 */
final class RecordedTraits {

  private static final JsonMapper JSON = JsonMapper.shared();

  private final SortedSet<Integer> classEnds = new TreeSet<>();
  private final SortedSet<String> models = new TreeSet<>();

  private RecordedTraits() {}

  /**
   * Reads a manifest.
   *
   * @return without traits if there is no such file, or it has none
   * @throws IOException if it cannot be read, or a number in an attribute is none
   */
  static RecordedTraits read(Path manifest) throws IOException {
    final RecordedTraits traits = new RecordedTraits();
    if (Files.exists(manifest)) {
      try {
        for (JsonNode run : JSON.readTree(manifest.toFile()).path("runs")) {
          traits.add(run.path("attributes"));
        }
      } catch (JacksonException | NumberFormatException e) {
        throw new IOException(manifest + " must be a manifest: " + e.getMessage(), e);
      }
    }
    return traits;
  }

  /** The most decodes of each class that is served alike, rising. */
  SortedSet<Integer> classEnds() {
    return classEnds;
  }

  /** The names of the models that were recorded. */
  SortedSet<String> models() {
    return models;
  }

  private void add(JsonNode attributes) {
    addEnds(attributes, "batch_sizes", 0);
    addEnds(attributes, "product_rows", -1);
    final String model = attributes.path("model").asString("");
    if (!model.isEmpty()) {
      models.add(model);
    }
  }

  private void addEnds(JsonNode attributes, String name, int offset) {
    final String text = attributes.path(name).asString("").strip();
    if (!text.isEmpty()) {
      for (String number : text.split(" +", -1)) {
        final int end = Integer.parseInt(number) + offset;
        if (end > 0) {
          classEnds.add(end);
        }
      }
    }
  }
}
