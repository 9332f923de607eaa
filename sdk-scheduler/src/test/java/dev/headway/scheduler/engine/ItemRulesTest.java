package dev.headway.scheduler.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.ChunkedMmInput;
import dev.headway.api.config.EncoderOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.Request;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ItemRulesTest {

  private static final SchedulerConfig.Builder SETTINGS =
      SchedulerConfig.builder(
          SchedulerLimits.builder().maxNumSeqs(4).maxNumBatchedTokens(16).maxModelLen(64).build());

  @Test
  void shouldTakeItemsOneAfterTheOtherWithoutDraftingModules() {
    assertThat(
            ItemRules.check(
                settings(SpeculationOptions.NONE, ChunkedMmInput.DISABLED),
                seeing(MultiModalItem.of("a", 0, 8), MultiModalItem.of("b", 8, 8))))
        .isNull();
  }

  /** At the last token of the first, modules look ahead to the second. */
  @Test
  void shouldRejectItemsThatDraftingModulesNeedAtOnceWhereThereIsNoRoom() {
    final SchedulerConfig settings = settings(eagle(), ChunkedMmInput.ENABLED);

    assertThat(
            ItemRules.check(
                settings, seeing(MultiModalItem.of("a", 0, 8), MultiModalItem.of("b", 10, 8))))
        .as("two tokens between them")
        .isNull();
    assertThat(message(settings, MultiModalItem.of("a", 0, 8), MultiModalItem.of("b", 9, 8)))
        .isEqualTo(
            "embeddings of items that drafting modules need at once must be <="
                + " maxNumEncoderInputTokens and encoderCacheSize: firstItem=0, embeddings=16,"
                + " room=8: id=a");
  }

  @Test
  void shouldRejectAnItemThatNoStepCanComputeWhole() {
    final SchedulerConfig settings =
        settings(eagle(), ChunkedMmInput.DISABLED).toBuilder().longPrefillTokenThreshold(8).build();

    assertThat(ItemRules.check(settings, seeing(MultiModalItem.of("a", 4, 7)))).isNull();
    assertThat(message(settings, MultiModalItem.of("a", 4, 8)))
        .isEqualTo(
            "an item that must not be cut, and the tokens in front of it that drafting modules look"
                + " ahead from, must fit into a step: item=0, tokens=9, largestChunk=8: id=a");
  }

  private static String message(SchedulerConfig settings, MultiModalItem... items) {
    return Objects.requireNonNull(ItemRules.check(settings, seeing(items))).message();
  }

  private static SpeculationOptions eagle() {
    return SpeculationOptions.of(SpeculativeMethod.EAGLE, 2);
  }

  private static SchedulerConfig settings(SpeculationOptions drafts, ChunkedMmInput cuts) {
    return SETTINGS.speculation(drafts).encoder(new EncoderOptions(8, 8, 8, cuts)).build();
  }

  private static Request seeing(MultiModalItem... items) {
    return Request.builder("a", new int[20]).items(List.of(items)).maxTokens(1).build();
  }
}
