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
    try {
      return Path.of(TestModels.class.getResource("/models/stories260K-hf").toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * A model folder below {@code -Dheadway.models=DIR}, or below {@code ../shared/models} beside the
   * checkout; without either the test is skipped.
   */
  public static Path beside(String name) {
    final String given = System.getProperty("headway.models", "");
    final Path directory =
        (given.isEmpty() ? Path.of("../../shared/models") : Path.of(given)).resolve(name);
    if (given.isEmpty() && !Files.isDirectory(directory)) {
      throw new TestAbortedException(
          "model is not beside this checkout: name=" + name + "; set -Dheadway.models=DIR");
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
