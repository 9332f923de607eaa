package dev.headway.executor.vector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.Executor;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.reference.Golden;
import dev.headway.executor.reference.ReferenceExecutor;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.SystemNanoClock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Trained models tell the stories that transformers and the reference tell. */
class GoldenStoriesTest {

  @Test
  void shouldContinueAsTransformersForStories260K() {
    assertContinuations(Stories.SMALL);
  }

  @Test
  void shouldContinueAsTransformersForTinystories656k() {
    assertContinuations(TestModels.beside("tinystories-656k"));
  }

  private static void assertContinuations(Path directory) {
    final List<Golden> cases = Golden.read(directory);
    final SystemNanoClock clock = new SystemNanoClock();
    try (Model model = Model.load(directory)) {
      final List<int[]> vector =
          continuations(
              VectorExecutor.builder(model, clock).blockSize(4).numBlocks(400).threads(2).build(),
              clock,
              model,
              cases);
      final List<int[]> reference =
          continuations(
              ReferenceExecutor.builder(model, clock).blockSize(4).numBlocks(400).build(),
              clock,
              model,
              cases);

      assertThat(cases).isNotEmpty();
      for (int i = 0; i < cases.size(); i++) {
        final Golden golden = cases.get(i);
        assertThat(vector.get(i))
            .as("continuation of '%s'", golden.prompt())
            .isEqualTo(reference.get(i))
            .isEqualTo(
                Arrays.copyOfRange(
                    golden.greedyIds(), golden.promptIds().length, golden.greedyIds().length));
      }
    }
  }

  /** All prompts in one engine at once, in chunks of at most 7 tokens. */
  private static List<int[]> continuations(
      Executor executor, SystemNanoClock clock, Model model, List<Golden> cases) {
    final List<Heard> heard = new ArrayList<>();
    try (Engine engine =
        HeadwayEngine.builder(executor)
            .clock(clock)
            .limits(
                SchedulerLimits.builder()
                    .maxNumSeqs(7)
                    .maxNumBatchedTokens(7)
                    .maxModelLen(model.config().maxPositions())
                    .build())
            .build()) {
      for (Golden golden : cases) {
        heard.add(new Heard());
        engine.submit(
            Request.builder("golden-" + heard.size(), golden.promptIds())
                .maxTokens(golden.outputs())
                .sampling(SamplingParams.GREEDY)
                .build(),
            heard.getLast());
      }
      while (engine.step()) {}
    }
    return heard.stream().map(Heard::tokenIds).toList();
  }
}
