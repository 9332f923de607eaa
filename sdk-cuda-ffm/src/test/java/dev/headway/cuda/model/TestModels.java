package dev.headway.cuda.model;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.opentest4j.TestAbortedException;

/** Models for tests: one in the resources, small shapes with seeded weights, and those beside. */
public final class TestModels {

  private TestModels() {}

  /** The folder of stories260K in the test resources. */
  public static Path stories260K() {
    return resource("/models/stories260K-hf");
  }

  static Path resource(String name) {
    try {
      return Path.of(TestModels.class.getResource(name).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * A model folder below {@code -Dheadway.models=DIR}, or below {@code ../shared/models} beside the
   * checkout; without either the test is skipped.
   */
  public static Path beside(String name) {
    return beside("models", name);
  }

  /** A folder with a published config.json, found as {@link #beside(String)}. */
  static Path configBeside(String name) {
    return beside("model-configs", name);
  }

  private static Path beside(String kind, String name) {
    final String given = System.getProperty("headway.models", "");
    final Path parent =
        given.isEmpty() ? Path.of("../../shared", kind) : Path.of(given).resolveSibling(kind);
    final Path directory = parent.resolve(name);
    if (!Files.isDirectory(directory)) {
      throw new TestAbortedException(
          "model is not beside this checkout: folder=" + directory + "; set -Dheadway.models=DIR");
    }
    return directory;
  }

  /** A model with 97 tokens, 3 layers, 4 query and 2 key heads of 8, a head of its own. */
  public static ModelConfig tiny(ModelFamily family) {
    return tiny(family, OutputHead.OWN);
  }

  /** As {@link #tiny(ModelFamily)}, with a choice of head. */
  public static ModelConfig tiny(ModelFamily family, OutputHead head) {
    return new ModelConfig(
        family,
        97,
        24,
        40,
        3,
        new AttentionShape(4, 2, 8),
        new RopeConfig(10_000, new RopeScaling.None()),
        1e-5f,
        256,
        head,
        List.of());
  }
}
