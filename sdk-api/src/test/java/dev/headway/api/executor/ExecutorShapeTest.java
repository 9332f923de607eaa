package dev.headway.api.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.kvcache.KvCacheShape;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

class ExecutorShapeTest {

  private static final KvCacheShape KV = KvCacheShape.builder().blockSize(16).blocks(100).build();

  /** One for each figure: each makes it another. */
  static final List<UnaryOperator<ExecutorShape.Builder>> CHANGES =
      List.of(
          shape -> shape.kvCache(KvCacheShape.builder().blockSize(16).blocks(99).build()),
          shape -> shape.maxNumSeqs(5),
          shape -> shape.vocabularySize(99),
          shape -> shape.maxNumBatchedTokens(65),
          shape -> shape.maxModelLen(129),
          shape -> shape.maxStepsInFlight(3),
          shape -> shape.hostBlocks(9));

  private static ExecutorShape.Builder required() {
    return ExecutorShape.builder().kvCache(KV).maxNumSeqs(4).vocabularySize(100);
  }

  private static ExecutorShape.Builder everything() {
    return required().maxNumBatchedTokens(64).maxModelLen(128).maxStepsInFlight(2).hostBlocks(8);
  }

  @Test
  void shouldHaveTheFiguresThatWereSet() {
    final ExecutorShape shape = everything().build();

    assertThat(shape.kvCache()).isSameAs(KV);
    assertThat(shape.maxNumSeqs()).isEqualTo(4);
    assertThat(shape.vocabularySize()).isEqualTo(100);
    assertThat(shape.maxNumBatchedTokens()).hasValue(64);
    assertThat(shape.maxModelLen()).hasValue(128);
    assertThat(shape.maxStepsInFlight()).isEqualTo(2);
    assertThat(shape.hostBlocks()).isEqualTo(8);
    assertThat(shape)
        .hasToString(
            "ExecutorShape[kvCache="
                + KV
                + ", maxNumSeqs=4, vocabularySize=100, maxNumBatchedTokens=64, maxModelLen=128,"
                + " maxStepsInFlight=2, hostBlocks=8]");
  }

  @Test
  void shouldTakeOneStepOfAnySizeUnlessToldOtherwise() {
    final ExecutorShape shape = required().build();

    assertThat(shape.maxNumBatchedTokens()).isEmpty();
    assertThat(shape.maxModelLen()).isEmpty();
    assertThat(shape.maxStepsInFlight()).isEqualTo(1);
    assertThat(shape.hostBlocks()).isZero();
    assertThat(shape)
        .hasToString(
            "ExecutorShape[kvCache="
                + KV
                + ", maxNumSeqs=4, vocabularySize=100, maxStepsInFlight=1, hostBlocks=0]");
  }

  @ParameterizedTest
  @FieldSource("CHANGES")
  void shouldCompareByEveryFigure(UnaryOperator<ExecutorShape.Builder> change) {
    final ExecutorShape shape = everything().build();
    final ExecutorShape same = everything().build();
    final ExecutorShape other = change.apply(everything()).build();

    assertThat(shape).isEqualTo(same).hasSameHashCodeAs(same);
    assertThat(shape).isNotEqualTo(other).isNotEqualTo("shape");
    assertThat(shape.hashCode()).isNotEqualTo(other.hashCode());
  }

  @ParameterizedTest
  @CsvSource({"0, 1, 1, maxNumSeqs", "1, 0, 1, vocabularySize", "1, 1, 0, maxStepsInFlight"})
  void shouldRefuseAnExecutorThatHoldsNothing(int seqs, int vocabulary, int steps, String name) {
    assertThatThrownBy(
            required().maxNumSeqs(seqs).vocabularySize(vocabulary).maxStepsInFlight(steps)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(name + " must be >= 1: " + name + "=0");
    assertThat(required().maxNumSeqs(1).vocabularySize(1).maxStepsInFlight(1).build()).isNotNull();
  }

  @Test
  void shouldRequireACache() {
    assertThatThrownBy(ExecutorShape.builder().maxNumSeqs(1).vocabularySize(1)::build)
        .isInstanceOf(NullPointerException.class)
        .hasMessage("kvCache");
  }

  @Test
  void shouldRefuseAStepTooSmallForEverySeatToDecode() {
    assertThatThrownBy(required().maxNumBatchedTokens(3)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "maxNumBatchedTokens must be >= maxNumSeqs so that every running request can decode:"
                + " maxNumBatchedTokens=3, maxNumSeqs=4");
    assertThat(required().maxNumBatchedTokens(4).build().maxNumBatchedTokens()).hasValue(4);
  }

  @Test
  void shouldRefuseAContextWithoutRoomForAnOutput() {
    assertThatThrownBy(() -> required().maxModelLen(1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxModelLen must be >= 2, one prompt and one output token: maxModelLen=1");
    assertThat(required().maxModelLen(2).build().maxModelLen()).hasValue(2);
  }

  @Test
  void shouldRefuseFewerHostBlocksThanNone() {
    assertThatThrownBy(required().hostBlocks(-1)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("hostBlocks must be >= 0, 0 for no tier in host memory: hostBlocks=-1");
  }
}
