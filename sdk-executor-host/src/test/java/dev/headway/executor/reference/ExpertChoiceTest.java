package dev.headway.executor.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.executor.model.ExpertRouting;
import dev.headway.executor.model.ExpertRouting.Scoring;
import dev.headway.executor.model.ExpertsShape;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ExpertChoiceTest {

  private static final float[] NONE = {};

  @Test
  void shouldShareTheSoftmaxAmongTheChosen() {
    final ExpertChoice choice = choose(softmax(3, 2, true), 1, 3, 2);

    assertThat(chosen(choice)).containsExactly(1, 2);
    assertThat(choice.weight(0)).isCloseTo(0.7310586f, within(1e-6f)); // 1 / (1 + exp(-1))
    assertThat(choice.weight(1)).isCloseTo(0.26894143f, within(1e-6f));
  }

  @Test
  void shouldKeepTheSoftmaxOverAllWhereItIsNotRenormalised() {
    final ExpertChoice choice = choose(softmax(3, 2, false), 1, 3, 2);

    assertThat(choice.weight(0)).isCloseTo(0.66524096f, within(1e-6f)); // exp(3) / sum
    assertThat(choice.weight(1)).isCloseTo(0.24472848f, within(1e-6f));
  }

  /** Also among those whose parts of the softmax are too small for a float. */
  @Test
  void shouldTakeTheLowerIndexOfEqualExperts() {
    assertThat(chosen(choose(softmax(5, 2, true), 4, 7, 4, 4, 4))).containsExactly(0, 1);
    assertThat(chosen(choose(softmax(4, 3, true), 0, 0, 0, 0))).containsExactly(0, 1, 2);
    assertThat(chosen(choose(softmax(4, 3, true), 200, 10, 0, 20))).containsExactly(0, 1, 3);
  }

  @Test
  void shouldChooseByTheCorrectedScoreAndWeighByTheScore() {
    final ExpertsShape shape = sigmoid(3, 1, false, 2.5, 1, 1);
    final ExpertChoice choice = new ExpertChoice(shape);

    choice.choose(new float[] {9, 1, 0, -1}, 1, new float[] {0, 0.5f, 0});

    assertThat(chosen(choice)).containsExactly(1);
    assertThat(choice.weight(0)).isEqualTo(1.25f); // 0.5 * 2.5
  }

  @Test
  void shouldChooseFromTheGroupsWhoseTwoBestHaveTheLargestSum() {
    final ExpertChoice choice = new ExpertChoice(sigmoid(6, 2, true, 1, 3, 1));

    choice.choose(new float[] {9, -9, 1, 1, 0, 0}, 0, new float[6]);

    assertThat(chosen(choice)).containsExactly(2, 3);
    assertThat(choice.weight(0)).isEqualTo(0.5f);
  }

  /** Where transformers would give them 0, which is more. */
  @Test
  void shouldNotChooseFromOtherGroupsWhereCorrectionsAreNegative() {
    final ExpertChoice choice = new ExpertChoice(sigmoid(4, 2, true, 1, 2, 1));

    choice.choose(new float[] {0, 0, 0, 0}, 0, new float[] {-2, -2, -1, -1});

    assertThat(chosen(choice)).containsExactly(2, 3);
  }

  @Test
  void shouldTakeTheLowerIndexOfEqualGroups() {
    final ExpertChoice choice = new ExpertChoice(sigmoid(6, 2, true, 1, 3, 1));

    choice.choose(new float[] {-1, -1, 2, 2, 2, 2}, 0, new float[6]);

    assertThat(chosen(choice)).containsExactly(2, 3);
  }

  @Test
  void shouldWeighAsTheFormulasInDoublePrecision() {
    final long seed = System.nanoTime();
    final Random random = new Random(seed);
    for (int i = 0; i < 500; i++) {
      final ExpertsShape shape = shape(random);
      final float[] logits = gaussians(random, shape.experts(), 2);
      final float[] correction = gaussians(random, shape.experts(), 0.3f);
      final double[] expected = RoutedOracle.weights(shape, logits, correction);
      final ExpertChoice choice = new ExpertChoice(shape);

      choice.choose(logits, 0, correction);

      final double[] weights = new double[shape.experts()];
      for (int slot = 0; slot < choice.count(); slot++) {
        weights[choice.expert(slot)] = choice.weight(slot);
      }
      assertThat(weights)
          .as("seed=%d, i=%d, %s", seed, i, shape)
          .containsExactly(expected, within(1e-5));
    }
  }

  private static ExpertsShape shape(Random random) {
    final int groups = 1 + random.nextInt(4);
    final int size = 2 + random.nextInt(30);
    final int kept = 1 + random.nextInt(groups);
    final int perToken = 1 + random.nextInt(Math.min(8, kept * size));
    return random.nextBoolean()
        ? softmax(groups * size, perToken, random.nextBoolean())
        : sigmoid(groups * size, perToken, random.nextBoolean(), 1.5, groups, kept);
  }

  private static float[] gaussians(Random random, int count, float deviation) {
    final float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = deviation * (float) random.nextGaussian();
    }
    return values;
  }

  private static ExpertsShape softmax(int experts, int perToken, boolean renormalise) {
    return new ExpertsShape(
        experts, perToken, 1, new ExpertRouting(Scoring.SOFTMAX, renormalise), 0, List.of());
  }

  private static ExpertsShape sigmoid(
      int experts, int perToken, boolean renormalise, double factor, int groups, int kept) {
    return new ExpertsShape(
        experts,
        perToken,
        1,
        new ExpertRouting(Scoring.SIGMOID, renormalise, factor, groups, kept),
        0,
        List.of());
  }

  private static ExpertChoice choose(ExpertsShape shape, float... logits) {
    final ExpertChoice choice = new ExpertChoice(shape);
    choice.choose(logits, 0, NONE);
    return choice;
  }

  private static int[] chosen(ExpertChoice choice) {
    final int[] experts = new int[choice.count()];
    for (int slot = 0; slot < experts.length; slot++) {
      experts[slot] = choice.expert(slot);
    }
    return experts;
  }
}
