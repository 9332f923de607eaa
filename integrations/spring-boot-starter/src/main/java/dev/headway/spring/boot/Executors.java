package dev.headway.spring.boot;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.spring.boot.HeadwayProperties.ExecutorKind;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** Executors of properties alone. Stateless. */
final class Executors {

  private static final String REFERENCE_CLASS = "dev.headway.executor.reference.ReferenceExecutor";
  private static final int BLOCKS = 2_048;
  private static final int BLOCK_SIZE = 16;
  private static final int MAX_NUM_SEQS = 64;

  private Executors() {}

  /**
   * Makes the executor that the properties ask for.
   *
   * @throws HeadwayConfigurationException if they ask for none, or for one that cannot be made
   */
  static Executor of(HeadwayProperties properties, NanoClock clock, @Nullable ClassLoader loader) {
    final ExecutorKind kind = kind(properties);
    return switch (kind) {
      case SIMULATED -> simulated(properties, clock);
      case REFERENCE -> reference(properties, clock, loader);
    };
  }

  private static ExecutorKind kind(HeadwayProperties properties) {
    final ExecutorKind asked = properties.executor();
    if (asked == null && properties.model().directory() == null) {
      throw new HeadwayConfigurationException(
          "an engine needs an executor: declare a bean of type dev.headway.api.executor.Executor,"
              + " or set headway.model.directory to a Hugging Face folder, or"
              + " headway.executor=simulated");
    }
    if (asked == ExecutorKind.SIMULATED && properties.model().directory() != null) {
      throw new HeadwayConfigurationException(
          "the simulated executor runs no model: headway.executor=simulated,"
              + " headway.model.directory="
              + properties.model().directory());
    }
    return asked == null ? ExecutorKind.REFERENCE : asked;
  }

  private static Executor simulated(HeadwayProperties properties, NanoClock clock) {
    final ExecutorShape.Builder shape =
        ExecutorShape.builder()
            .kvCache(
                KvCacheShape.builder()
                    .blockSize(blockSize(properties))
                    .blocks(blocks(properties))
                    .build())
            .maxNumSeqs(maxNumSeqs(properties))
            .hostBlocks(hostBlocks(properties))
            .vocabularySize(properties.simulated().vocabularySize());
    return new SimulatedExecutor(
        shape.build(),
        LinearLatencyModel.LLAMA_3_1_8B_ON_H100,
        clock,
        properties.simulated().seed());
  }

  private static Executor reference(
      HeadwayProperties properties, NanoClock clock, @Nullable ClassLoader loader) {
    final String directory = properties.model().directory();
    if (directory == null) {
      throw new HeadwayConfigurationException(
          "the reference executor needs a model: headway.executor=reference,"
              + " headway.model.directory is not set");
    }
    if (!ClassUtils.isPresent(REFERENCE_CLASS, loader)) {
      throw new HeadwayConfigurationException(
          "a model's directory needs headway-executor-host on the class path, and Java 25 or newer:"
              + " headway.model.directory="
              + directory
              + ", java="
              + Runtime.version().feature());
    }
    return ReferenceExecutors.open(Path.of(directory), properties, clock);
  }

  static int blocks(HeadwayProperties properties) {
    return orElse(properties.kvCache().blocks(), BLOCKS);
  }

  static int blockSize(HeadwayProperties properties) {
    return orElse(properties.kvCache().blockSize(), BLOCK_SIZE);
  }

  static int hostBlocks(HeadwayProperties properties) {
    return orElse(properties.kvCache().hostBlocks(), 0);
  }

  static int maxNumSeqs(HeadwayProperties properties) {
    return orElse(properties.limits().maxNumSeqs(), MAX_NUM_SEQS);
  }

  private static int orElse(@Nullable Integer value, int otherwise) {
    return value == null ? otherwise : value;
  }
}
