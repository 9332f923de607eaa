package dev.headway.api.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.SpeculationOptions.BatchSizeRange;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each kind of drafter takes of a step and of the cache. */
class SpeculationOptionsTest {

  @ParameterizedTest
  @CsvSource({
    "NONE,        SEQUENTIAL, 0, 0, 0, 0, false",
    "NGRAM,       SEQUENTIAL, 3, 0, 0, 0, false",
    "EAGLE,       SEQUENTIAL, 3, 3, 0, 1, true",
    "EAGLE,       PARALLEL,   3, 3, 2, 1, true",
    "DRAFT_MODEL, SEQUENTIAL, 3, 3, 1, 0, false",
    "DRAFT_MODEL, PARALLEL,   3, 3, 3, 0, false",
    "MTP_MULTI,   SEQUENTIAL, 3, 3, 0, 3, true",
    "DFLASH,      PARALLEL,   3, 4, 3, 0, false"
  })
  void shouldKnowWhatADrafterNeeds(
      SpeculativeMethod method,
      Drafting drafting,
      int tokens,
      int lookahead,
      int slots,
      int prefillLookahead,
      boolean recomputes) {
    final SpeculationOptions options = new SpeculationOptions(method, tokens, drafting, List.of());

    assertThat(options.lookaheadTokens()).isEqualTo(lookahead);
    assertThat(options.draftSlots()).isEqualTo(slots);
    assertThat(options.prefillLookaheadTokens()).isEqualTo(prefillLookahead);
    assertThat(options.recomputesLastHit()).isEqualTo(recomputes);
  }

  @Test
  void shouldDraftLessForLargerBatches() {
    final SpeculationOptions options = options(range(2, 4, 9), range(7, 8, 2), range(9, 9, 0));

    assertThat(Stream.of(0, 1, 2, 4, 5, 7, 8, 9, 100).map(options::draftTokensFor))
        .containsExactly(5, 0, 5, 5, 5, 2, 2, 0, 0);
    assertThat(SpeculationOptions.of(SpeculativeMethod.EAGLE, 5).draftTokensFor(100)).isEqualTo(5);
  }

  @Test
  void shouldRefuseRangesThatOverlapOrDescend() {
    assertThatThrownBy(() -> options(range(1, 4, 3), range(4, 8, 2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("batch size ranges must ascend and not overlap: perBatchSize=[")
        .hasMessageContaining("BatchSizeRange[fromSeqs=4, toSeqs=8, numSpeculativeTokens=2]");
    assertThatThrownBy(() -> options(range(5, 8, 2), range(1, 4, 3)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(options(range(1, 4, 3), range(5, 5, 2)).perBatchSize()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({"0,1,0", "2,1,0", "1,1,-1"})
  void shouldRefuseARangeThatIsNone(int from, int to, int tokens) {
    assertThatThrownBy(() -> range(from, to, tokens))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "a batch size range must have 1 <= fromSeqs <= toSeqs and numSpeculativeTokens >= 0:"
                + " fromSeqs="
                + from
                + ", toSeqs="
                + to
                + ", numSpeculativeTokens="
                + tokens);
  }

  @ParameterizedTest
  @CsvSource({"NONE,1", "EAGLE,0", "NGRAM,-1"})
  void shouldRefuseDraftsWithoutAMethodAndAMethodWithoutDrafts(
      SpeculativeMethod method, int tokens) {
    assertThatThrownBy(() -> SpeculationOptions.of(method, tokens))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("method=" + method + ", numSpeculativeTokens=" + tokens);
    assertThat(SpeculationOptions.of(SpeculativeMethod.EAGLE, 1).numSpeculativeTokens())
        .isEqualTo(1);
  }

  @Test
  void shouldCompareRangesByTheirFigures() {
    final BatchSizeRange range = range(1, 2, 3);

    assertThat(range).isEqualTo(range(1, 2, 3)).hasSameHashCodeAs(range(1, 2, 3));
    assertThat(range)
        .isNotEqualTo(range(2, 2, 3))
        .isNotEqualTo(range(1, 3, 3))
        .isNotEqualTo(range(1, 2, 4))
        .isNotEqualTo("range");
    assertThat(range.hashCode()).isNotEqualTo(range(1, 3, 3).hashCode());
  }

  private static SpeculationOptions options(BatchSizeRange... ranges) {
    return new SpeculationOptions(SpeculativeMethod.EAGLE, 5, Drafting.SEQUENTIAL, List.of(ranges));
  }

  private static BatchSizeRange range(int from, int to, int tokens) {
    return BatchSizeRange.builder().fromSeqs(from).toSeqs(to).numSpeculativeTokens(tokens).build();
  }
}
