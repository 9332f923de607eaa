package dev.headway.executor.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Masks of vocabularies that end within a word, and at its end. */
class TokenMaskTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 31, 32, 33, 64, 97})
  void shouldKeepTheOneTokenThatIsAllowed(int vocabulary) {
    for (int allowed = 0; allowed < vocabulary; allowed++) {
      final int[] masks = new int[1 + (vocabulary + 31) / 32];
      masks[1 + (allowed >> 5)] = 1 << allowed;
      assertThat(TokenMask.allowsAny(masks, 1, vocabulary)).isTrue();

      final float[] logits = new float[vocabulary];
      final int[] mask = new int[masks.length - 1];
      System.arraycopy(masks, 1, mask, 0, mask.length);
      TokenMask.apply(logits, mask);

      for (int token = 0; token < vocabulary; token++) {
        assertThat(logits[token]).isEqualTo(token == allowed ? 0 : Float.NEGATIVE_INFINITY);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 31, 33, 97})
  void shouldIgnoreBitsBehindTheVocabulary(int vocabulary) {
    final int[] mask = new int[(vocabulary + 31) / 32];
    mask[mask.length - 1] = -1 << vocabulary;

    assertThat(TokenMask.allowsAny(mask, 0, vocabulary)).isFalse();
    assertThatThrownBy(() -> TokenMask.apply(new float[vocabulary], mask))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a grammar must allow a token: vocab_size=" + vocabulary);
  }
}
