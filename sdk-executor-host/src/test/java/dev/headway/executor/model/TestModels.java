package dev.headway.executor.model;

import dev.headway.executor.model.ExpertRouting.Scoring;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/** Models for tests: one in the resources, small shapes with seeded weights, and those beside. */
public final class TestModels {

  private TestModels() {}

  /** The folder of stories260K in the test resources. */
  public static Path stories260K() {
    return resource("/models/stories260K-hf");
  }

  /** A folder of the test resources; unpacked where these lie in a jar. */
  static Path resource(String name) {
    try {
      final URI uri = TestModels.class.getResource(name).toURI();
      return uri.getScheme().equals("jar") ? unpacked(uri, name) : Path.of(uri);
    } catch (URISyntaxException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Path unpacked(URI folder, String name) throws IOException {
    final Path target = Files.createTempDirectory("headway-test-model");
    target.toFile().deleteOnExit();
    try (FileSystem jar = FileSystems.newFileSystem(folder, Map.of());
        Stream<Path> files = Files.list(jar.getPath(name))) {
      for (Path file : files.toList()) {
        final Path copy = target.resolve(file.getFileName().toString());
        Files.copy(file, copy);
        copy.toFile().deleteOnExit();
      }
    }
    return target;
  }

  /**
   * A model folder below {@code -Dheadway.models=DIR}, or below {@code ../shared/models} beside the
   * checkout; without either the test is skipped.
   */
  public static Path beside(String name) {
    final Path directory = larger("headway.models", "models").resolve(name);
    if (!Files.isDirectory(directory)) {
      throw new TestAbortedException(
          "not tested with the model " + name + ": give its parent by -Dheadway.models=DIR");
    }
    return directory;
  }

  /**
   * A folder with a published config.json below {@code -Dheadway.modelConfigs=DIR}, or below {@code
   * ../shared/model-configs} beside the checkout; empty if it is in neither.
   */
  static Optional<Path> configBeside(String name) {
    final Path directory = larger("headway.modelConfigs", "model-configs").resolve(name);
    return Files.isDirectory(directory) ? Optional.of(directory) : Optional.empty();
  }

  /** The folder that a property names, or the one of that kind beside the checkout. */
  private static Path larger(String property, String kind) {
    final String given = System.getProperty(property, "");
    return given.isEmpty() ? Path.of("../../shared", kind) : Path.of(given);
  }

  /** A model with 97 tokens, 3 layers, 4 query and 2 key heads of 8, a head of its own. */
  public static ModelConfig tiny(ModelFamily family) {
    return tiny(family, OutputHead.OWN);
  }

  /** As {@link #tiny(ModelFamily)}, with a choice of head. */
  public static ModelConfig tiny(ModelFamily family, OutputHead head) {
    final ModelConfigBuilder shape =
        ModelConfig.builder(family)
            .vocabularySize(97)
            .hiddenSize(24)
            .intermediateSize(40)
            .layers(3)
            .attention(new AttentionShape(4, 2, 8))
            .maxPositions(256)
            .outputHead(head);
    if (family == ModelFamily.GLM4_MOE) {
      shape.rope(new RopeConfig(10_000, new RopeScaling.None(), 0.5));
    }
    return (family.hasExperts() ? shape.experts(experts(family)) : shape).build();
  }

  /** Experts for {@link #tiny}: 8, of which a token has 2 or 3. */
  public static ExpertsShape experts(ModelFamily family) {
    return switch (family) {
      case MIXTRAL, GPT_OSS -> new ExpertsShape(8, 2, 40, softmax(true), 0, List.of());
      case QWEN3_MOE -> new ExpertsShape(8, 3, 16, softmax(true), 0, List.of());
      case GLM4_MOE ->
          new ExpertsShape(
              8, 3, 16, new ExpertRouting(Scoring.SIGMOID, true, 2.5, 4, 2), 1, List.of(0));
      default -> throw new IllegalArgumentException("no experts in " + family);
    };
  }

  static ExpertRouting softmax(boolean renormalise) {
    return new ExpertRouting(Scoring.SOFTMAX, renormalise);
  }

  /** The same model with other heads. */
  public static ModelConfig withAttention(ModelConfig config, AttentionShape attention) {
    return config.toBuilder().attention(attention).build();
  }

  /** The same model with another rotary embedding. */
  public static ModelConfig withRope(ModelConfig config, RopeConfig rope) {
    return config.toBuilder().rope(rope).build();
  }
}
