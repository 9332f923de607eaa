package dev.headway.executor.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.executor.model.Model;
import dev.headway.executor.model.TinyModel;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReferenceModelTest {

  private static final long SEED = 20261129;
  private static final int TOKENS = 21;

  @ParameterizedTest
  @EnumSource
  void shouldKnowNothingOfTheTokensThatFollow(TinyModel tiny) {
    final Model model = Model.random(tiny.config(), SEED);
    final ReferenceModel reference = new ReferenceModel(model, Precision.BFLOAT16);
    final int vocabulary = model.config().vocabularySize();
    final int[] tokens = new Random(SEED).ints(TOKENS, 0, vocabulary).toArray();

    final float[][] together = reference.logitsFrom(2, tokens);

    assertThat(together).hasNumberOfRows(TOKENS - 1);
    for (int known = 2; known <= TOKENS; known++) {
      assertThat(together[known - 2])
          .as("after %d tokens, seed=%d", known, SEED)
          .isEqualTo(reference.logits(Arrays.copyOf(tokens, known)));
    }
  }

  @ParameterizedTest
  @EnumSource(names = "LLAMA")
  void shouldRefuseBeginningsThatAreNone(TinyModel tiny) {
    final ReferenceModel reference =
        new ReferenceModel(Model.random(tiny.config(), SEED), Precision.FLOAT32);

    assertThatThrownBy(() -> reference.logitsFrom(0, 1, 2))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> reference.logitsFrom(3, 1, 2))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }
}
