package dev.headway.executor.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.TestModels;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.SystemNanoClock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Trained models answer what transformers answers. */
class GoldenModelTest {

  @Test
  void shouldMakeTheLogitsOfTransformersForStories260K() {
    assertLogits(TestModels.stories260K());
  }

  @Test
  void shouldMakeTheLogitsOfTransformersForTinystories656k() {
    assertLogits(TestModels.beside("tinystories-656k"));
  }

  @Test
  void shouldContinueAsTransformersForStories260K() {
    assertContinuations(TestModels.stories260K());
  }

  @Test
  void shouldContinueAsTransformersForTinystories656k() {
    assertContinuations(TestModels.beside("tinystories-656k"));
  }

  private static void assertLogits(Path directory) {
    try (Model model = Model.load(directory)) {
      final ReferenceModel reference = new ReferenceModel(model, Precision.FLOAT32);

      for (Golden golden : Golden.read(directory)) {
        final float[] logits = reference.logits(golden.promptIds());

        assertThat(largest(logits, 5))
            .as("top of '%s'", golden.prompt())
            .isEqualTo(golden.topIds());
        for (int i = 0; i < golden.topIds().length; i++) {
          assertThat(logits[golden.topIds()[i]])
              .as("logit of token %d after '%s'", golden.topIds()[i], golden.prompt())
              .isCloseTo(golden.topLogits()[i], within(1e-4f));
        }
      }
    }
  }

  /** All prompts in one engine at once, in chunks of at most 7 tokens. */
  private static void assertContinuations(Path directory) {
    final List<Golden> cases = Golden.read(directory);
    final SystemNanoClock clock = new SystemNanoClock();
    try (Model model = Model.load(directory);
        Engine engine =
            HeadwayEngine.builder(
                    ReferenceExecutor.builder(model, clock).blockSize(4).numBlocks(400).build())
                .clock(clock)
                .limits(
                    SchedulerLimits.builder()
                        .maxNumSeqs(7)
                        .maxNumBatchedTokens(7)
                        .maxModelLen(model.config().maxPositions())
                        .build())
                .build()) {
      final List<RequestHandle> handles = new ArrayList<>();
      for (Golden golden : cases) {
        final Request request =
            Request.builder("golden-" + handles.size(), golden.promptIds())
                .maxTokens(golden.outputs())
                .sampling(SamplingParams.GREEDY)
                .build();
        handles.add(engine.submit(request));
      }
      while (engine.step()) {}

      assertThat(cases).isNotEmpty();
      for (int i = 0; i < cases.size(); i++) {
        final Golden golden = cases.get(i);
        final RequestOutcome outcome = handles.get(i).outcome().toCompletableFuture().join();
        assertThat(outcome).isInstanceOf(Finished.class);
        assertThat(((Finished) outcome).outputTokenIds())
            .as("continuation of '%s'", golden.prompt())
            .isEqualTo(
                Arrays.copyOfRange(
                    golden.greedyIds(), golden.promptIds().length, golden.greedyIds().length));
      }
    }
  }

  private static int[] largest(float[] logits, int count) {
    final Integer[] ids = new Integer[logits.length];
    Arrays.setAll(ids, i -> i);
    Arrays.sort(ids, (a, b) -> Float.compare(logits[b], logits[a]));
    return Arrays.stream(ids).limit(count).mapToInt(Integer::intValue).toArray();
  }
}
