package dev.headway.executor.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.executor.model.Model;
import dev.headway.executor.model.TinyModel;
import dev.headway.executor.model.WeightType;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PrecisionTest {

  private static final int PROMPTS = 20;

  /**
   * A softmax summed in another order can turn a rounding, so that a few prompts differ by a step
   * of bfloat16; one rounding point too many or too few would change nearly all of them.
   */
  @ParameterizedTest
  @EnumSource(TinyModel.class)
  void shouldRoundToBfloat16WhereTheKernelsStore(TinyModel tiny) {
    // where two experts are equally good within a rounding, another one is no fault
    final long firstSeed = tiny.config().experts() == null ? System.nanoTime() : 1;
    int equal = 0;
    double unrounded = 0;
    for (long seed = firstSeed; seed < firstSeed + PROMPTS; seed++) {
      final Model model = Model.random(tiny.config(), seed, WeightType.F32);
      final int[] prompt = new Random(seed).ints(6, 0, 97).toArray();
      final float[] expected = new RoundedForward(model).logits(prompt);
      final float[] logits = new ReferenceModel(model, Precision.BFLOAT16).logits(prompt);

      final double error = relativeError(logits, expected);
      equal += error < 1e-6 ? 1 : 0;
      unrounded +=
          relativeError(new ReferenceModel(model, Precision.FLOAT32).logits(prompt), expected);
      assertThat(error).as("seed=%d", seed).isLessThan(0.03);
    }

    assertThat(equal).as("prompts with equal logits, firstSeed=%d", firstSeed).isGreaterThan(17);
    assertThat(unrounded / PROMPTS).as("mean error of rounding").isBetween(1e-3, 0.05);
  }

  private static double relativeError(float[] actual, float[] expected) {
    double error = 0;
    double norm = 0;
    for (int i = 0; i < actual.length; i++) {
      error += Math.pow(actual[i] - expected[i], 2);
      norm += Math.pow(expected[i], 2);
    }
    return Math.sqrt(error / norm);
  }
}
