package dev.headway.executor.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.ExpertsShape;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelConfigBuilder;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.OutputHead;
import dev.headway.executor.model.RopeConfig;
import dev.headway.executor.model.RopeScaling;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.model.TinyModel;
import dev.headway.executor.model.WeightType;
import dev.headway.executor.reference.Golden;
import dev.headway.executor.reference.Precision;
import dev.headway.executor.reference.ReferenceModel;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The logits of the reference, within what sums in another order make of them. */
class VectorModelTest {

  private static final float TOLERANCE = 1e-4f;

  @ParameterizedTest
  @EnumSource(TinyModel.class)
  void shouldMakeTheLogitsOfTheReferenceForEachFamily(TinyModel tiny) {
    for (WeightType type : WeightType.values()) {
      assertLogits(Model.random(tiny.config(), 7, type), tiny + ", " + type);
      final ModelConfig tied = TestModels.tiny(tiny.config().family(), OutputHead.TIED);
      assertLogits(Model.random(tied, 7, type), tied.family() + ", tied, " + type);
    }
  }

  /** Sizes that fill neither panels nor vectors nor groups of heads, and scaled positions. */
  @Test
  void shouldMakeTheLogitsOfTheReferenceForOddShapes() {
    final long firstSeed = System.nanoTime();
    for (int i = 0; i < 40; i++) {
      final ModelFamily family = ModelFamily.values()[i % ModelFamily.values().length];
      // two experts may be equally good within a rounding, so theirs are always the same
      final long seed = (family.hasExperts() ? 0 : firstSeed) + i;
      final Random random = new Random(seed);
      final int kvHeads = 1 + random.nextInt(3);
      final int inner = 1 + random.nextInt(200);
      final ModelConfigBuilder shape =
          ModelConfig.builder(family)
              .vocabularySize(1 + random.nextInt(200))
              .hiddenSize(1 + random.nextInt(150))
              .intermediateSize(inner)
              .layers(2)
              .attention(
                  new AttentionShape(
                      kvHeads * (1 + random.nextInt(7)), kvHeads, 2 + 2 * random.nextInt(20)))
              .rope(new RopeConfig(10_000, new RopeScaling.Llama3(8, 1, 4, 16)))
              .maxPositions(256)
              .outputHead(OutputHead.values()[random.nextInt(2)]);
      if (family.hasExperts()) {
        shape.experts(experts(random, family, inner));
      }
      final ModelConfig config = shape.build();

      assertLogits(Model.random(config, seed, WeightType.F32), "seed=" + seed + ", " + config);
    }
  }

  private static ExpertsShape experts(Random random, ModelFamily family, int inner) {
    final ExpertsShape tiny = TestModels.experts(family);
    final int experts = 8 * (1 + random.nextInt(3));
    return new ExpertsShape(
        experts,
        1 + random.nextInt(4),
        family == ModelFamily.MIXTRAL || family == ModelFamily.GPT_OSS
            ? inner
            : 1 + random.nextInt(100),
        tiny.routing(),
        tiny.sharedExperts(),
        tiny.denseLayers());
  }

  @Test
  void shouldMakeTheLogitsOfTransformersForTheStoryModels() {
    for (Path directory : List.of(Stories.SMALL, TestModels.beside("tinystories-656k"))) {
      try (Model model = Model.load(directory);
          Alone alone = new Alone(model, 2)) {
        for (Golden golden : Golden.read(directory)) {
          final float[] logits = alone.logits(golden.promptIds());

          for (int i = 0; i < golden.topIds().length; i++) {
            assertThat(logits[golden.topIds()[i]])
                .as("%s, token %d after '%s'", directory, golden.topIds()[i], golden.prompt())
                .isCloseTo(golden.topLogits()[i], within(TOLERANCE));
          }
        }
      }
    }
  }

  private static void assertLogits(Model model, String what) {
    final int[] prompt = new Random(3).ints(19, 0, model.config().vocabularySize()).toArray();
    final float[] expected = new ReferenceModel(model, Precision.FLOAT32).logits(prompt);
    try (Alone alone = new Alone(model, 2)) {
      final float[] logits = alone.logits(prompt);

      assertThat(logits).as(what).containsExactly(expected, within(TOLERANCE));
    }
  }
}
