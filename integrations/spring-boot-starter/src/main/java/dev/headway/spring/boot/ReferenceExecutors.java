package dev.headway.spring.boot;

import dev.headway.api.executor.Executor;
import dev.headway.api.time.NanoClock;
import dev.headway.executor.model.Model;
import dev.headway.executor.reference.ReferenceExecutor;
import java.nio.file.Path;

/** The one class that needs headway-executor-host. Stateless. */
final class ReferenceExecutors {

  private ReferenceExecutors() {}

  /**
   * Reads a model's weights, which takes seconds for a large one.
   *
   * @throws dev.headway.executor.model.ModelFormatException if the folder cannot be used
   */
  static Executor open(Path directory, HeadwayProperties properties, NanoClock clock) {
    try (Model model = Model.load(directory)) {
      final Integer asked = properties.limits().maxModelLen();
      final int longest = model.config().maxPositions();
      return ReferenceExecutor.builder(
              model.withMaxPositions(asked == null ? longest : Math.min(asked, longest)), clock)
          .blockSize(Executors.blockSize(properties))
          .numBlocks(Executors.blocks(properties))
          .hostBlocks(Executors.hostBlocks(properties))
          .maxNumSeqs(Executors.maxNumSeqs(properties))
          .build();
    }
  }
}
