package dev.headway.simulation.workload;

import static dev.headway.simulation.workload.TraceFixture.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PromptTokensTest {
  private final PromptTokens given = new PromptTokens(1 << 30, 42);

  @Test
  void shouldShareExactlyTheEqualLeadingBlocks() {
    final int[] first = given.of(request("a", 0, 60, 1, 16, 5, 6, 7, 8));
    final int[] second = given.of(request("b", 9, 64, 1, 16, 5, 6, 9, 10));

    assertThat(Arrays.mismatch(first, second)).isEqualTo(32);
  }

  @Test
  void shouldCutTheLastBlockAtTheEndOfThePrompt() {
    final int[] cut = given.of(request("a", 0, 20, 1, 16, 5, 6));
    final int[] whole = given.of(request("b", 0, 32, 1, 16, 5, 6));

    assertThat(cut).hasSize(20).isEqualTo(Arrays.copyOf(whole, 20));
  }

  @Test
  void shouldMakeTheRestOfThePromptTheRequestsOwn() {
    final int[] first = given.of(request("a", 0, 40, 1, 16, 5));
    final int[] second = given.of(request("b", 0, 40, 1, 16, 5));
    final int[] third = given.of(request("c", 0, 40, 1));

    assertThat(Arrays.mismatch(first, second)).isEqualTo(16);
    assertThat(Arrays.mismatch(first, third)).isZero();
  }

  @Test
  void shouldDependOnSeedAndBlockAlone() {
    final WorkloadRequest request = request("a", 0, 40, 1, 16, 5);

    assertThat(given.of(request)).isEqualTo(new PromptTokens(1 << 30, 42).of(request));
    assertThat(given.of(request)).isNotEqualTo(new PromptTokens(1 << 30, 43).of(request));
  }

  /** Pins the algorithm: recorded prompts must stay what they were. */
  @Test
  void shouldNotChangeBetweenReleases() {
    final int[] tokens = new PromptTokens(32_000, 1).of(request("a", 0, 6, 1, 4, 0));

    assertThat(tokens).containsExactly(22192, 31096, 13650, 25798, 7098, 1848);
  }

  @Test
  void shouldStayInsideTheVocabularyAndUseAllOfIt() {
    final int[] tokens = new PromptTokens(10, 7).of(request("a", 0, 100_000, 1));

    final int[] counts = new int[10];
    for (int token : tokens) {
      counts[token]++;
    }
    assertThat(Arrays.stream(counts)).allMatch(count -> count > 9_600 && count < 10_400);
  }

  @Test
  void shouldRefuseVocabulariesWithoutChoice() {
    assertThatThrownBy(() -> new PromptTokens(1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("vocabularySize must be >= 2: vocabularySize=1");
  }
}
