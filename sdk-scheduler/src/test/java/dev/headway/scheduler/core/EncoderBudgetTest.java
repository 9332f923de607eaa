package dev.headway.scheduler.core;

import static dev.headway.scheduler.testing.PlanAssert.assertThat;
import static dev.headway.scheduler.testing.SchedulerFixture.fixture;
import static dev.headway.scheduler.testing.SchedulerFixture.request;
import static dev.headway.scheduler.testing.SchedulerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.ChunkedMmInput;
import dev.headway.api.config.EncoderOptions;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.Request;
import dev.headway.api.schedule.BlockFence;
import dev.headway.api.step.EncoderInputs;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.encoder.EncoderCache;
import dev.headway.scheduler.testing.SchedulerFixture;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks of 4 tokens; an item's tokens are all embeddings. */
class EncoderBudgetTest {

  @Test
  void shouldEncodeAnItemWithTheChunkThatReachesIt() {
    final SchedulerFixture given =
        encoder(8, 8, 16)
            .longPrefillTokenThreshold(4)
            .waiting(seeing("a", 13, MultiModalItem.of("cat", 6, 5)));

    given.schedule();
    assertThat(encoded(given)).isEmpty();
    given.update().schedule();

    assertThat(encoded(given)).as("[4, 8) begins the item").containsExactly("a:0");
    assertThat(given.planOut().encoderInputs().embeddings()).isEqualTo(5);
    given.update().schedule();
    assertThat(encoded(given)).as("it is kept").isEmpty();
    assertThat(cache(given).freeableSlots()).isEqualTo(11);
    given.update();
    assertThat(cache(given).freeableSlots()).as("[8, 12) is done with it").isEqualTo(16);
    assertThat(cache(given).freeSlots()).as("and can be found").isEqualTo(11);
  }

  @Test
  void shouldCountAnItemByItsPlaceAmongAllItemsOfTheRequest() {
    final SchedulerFixture given =
        encoder(8, 8, 16)
            .waiting(
                seeing(
                    "a",
                    12,
                    MultiModalItem.withoutEncoder("embeds", 0, 2),
                    MultiModalItem.of("cat", 2, 3),
                    MultiModalItem.of("dog", 5, 3)))
            .schedule();

    assertThat(encoded(given)).containsExactly("a:1", "a:2");
    assertThatThrownBy(() -> given.planOut().encoderInputs().item(0, 2))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessage("item index must be in [0, count): index=2, count=2");
  }

  @Test
  void shouldEndTheChunkBeforeAnItemThatDoesNotFit() {
    final SchedulerFixture given =
        encoder(6, 6, 20)
            .waiting(
                seeing("a", 20, MultiModalItem.of("cat", 2, 6), MultiModalItem.of("dog", 10, 4)))
            .schedule();

    assertThat(encoded(given)).containsExactly("a:0");
    assertThat(given.planOut().scheduledTokens(0)).as("up to the second item").isEqualTo(10);
    given.update().schedule();
    assertThat(encoded(given)).containsExactly("a:1");
  }

  @Test
  void shouldNotCutAnItemWhereThatIsDisabled() {
    final SchedulerFixture given =
        fixture()
            .longPrefillTokenThreshold(8)
            .settings(
                settings -> settings.encoder(new EncoderOptions(6, 6, 20, ChunkedMmInput.DISABLED)))
            .waiting(seeing("a", 14, MultiModalItem.of("cat", 5, 6)))
            .schedule();

    assertThat(encoded(given)).isEmpty();
    assertThat(given.planOut().scheduledTokens(0)).isEqualTo(5);
    given.update().schedule();
    assertThat(encoded(given)).containsExactly("a:0");
    assertThat(given.planOut().scheduledTokens(0)).isEqualTo(8);
  }

  /** The item begins behind the chunk, where its drafting modules look ahead to. */
  @Test
  void shouldGiveNoMoreTokensThanThereAreBeforeAnItemThatIsNotCut() {
    final SchedulerFixture given =
        fixture()
            .maxNumSeqs(2)
            .maxNumBatchedTokens(4)
            .settings(
                settings ->
                    settings
                        .speculation(SpeculationOptions.of(SpeculativeMethod.MTP_MULTI, 4))
                        .encoder(new EncoderOptions(3, 6, 20, ChunkedMmInput.DISABLED)))
            .running("b", 1)
            .waiting(seeing("a", 12, MultiModalItem.of("cat", 6, 3)))
            .step();

    given.schedule();

    assertThat(given.plan()).startsAt("a", 2).schedules("a", 3);
  }

  @Test
  void shouldTellTheExecutorWhatToDrop() {
    final SchedulerFixture given =
        encoder(6, 6, 8)
            .waiting(seeing("a", 7, MultiModalItem.of("cat", 0, 6)))
            .step()
            .waiting(seeing("b", 7, MultiModalItem.of("dog", 0, 6)))
            .schedule();

    assertThat(encoded(given)).containsExactly("b:0");
    assertThat(dropped(given)).containsExactly("cat");
  }

  /** Like the KV of such a chunk: the entry in the cache stays though no step encodes it. */
  @Test
  void shouldKeepTheItemOfAChunkThatWasTakenBackLikeVllm() {
    final SchedulerFixture given = victimWithAnItem(encoder(8, 8, 16).likeVllm());

    assertThat(given.plan()).schedulesOnly("needy").preempts("victim");
    assertThat(encoded(given)).isEmpty();
    assertThat(cache(given).cachedHashes()).as("never encoded").containsExactly("cat");
  }

  @Test
  void shouldForgetTheItemOfAChunkThatWasTakenBack() {
    final SchedulerFixture given = victimWithAnItem(encoder(8, 8, 16));

    assertThat(given.plan()).schedulesOnly("needy").preempts("victim");
    assertThat(encoded(given)).isEmpty();
    assertThat(cache(given).cachedHashes()).isEmpty();
    assertThat(cache(given).freeSlots()).isEqualTo(16);
  }

  private static SchedulerFixture victimWithAnItem(SchedulerFixture fixture) {
    return fixture
        .byPriority()
        .withoutGate()
        .blocks(7)
        .longPrefillTokenThreshold(8)
        .waiting(seeing("victim", 24, MultiModalItem.of("cat", 16, 8)).priority(9))
        .step()
        .waiting(Request.builder("needy", text(1, 4)).maxTokens(3).priority(0))
        .step()
        .schedule(); // the victim gets its last 8 tokens, then needy needs a block
  }

  /** Another entry of the plan refers to an output that the victim's was to encode. */
  @Test
  void shouldEncodeForAnotherEntryWhatAVictimWasToEncode() {
    final SchedulerFixture given =
        encoder(8, 8, 16)
            .byPriority()
            .withoutGate()
            .blocks(11)
            .longPrefillTokenThreshold(8)
            .waiting(seeing("victim", 21, MultiModalItem.of("cat", 16, 4)).priority(9))
            .step()
            .waiting(
                request("other", text(5, 13))
                    .items(List.of(MultiModalItem.of("cat", 8, 4)))
                    .priority(5))
            .waiting(Request.builder("needy", text(1, 4)).maxTokens(3).priority(7))
            .step();
    assertThat(given.plan()).schedulesOnly("victim", "other", "needy");

    given.schedule();

    assertThat(given.plan()).schedulesOnly("other", "needy").preempts("victim");
    assertThat(encoded(given)).containsExactly("other:0");
    assertThat(cache(given).freeableSlots()).isEqualTo(12);
  }

  /** Two requests each hold an item that the other would have to give up. */
  @Test
  void shouldPreemptWhereRequestsWaitForEachOthersItems() {
    final SchedulerFixture given =
        encoder(4, 100, 8, SpeculationOptions.of(SpeculativeMethod.EAGLE, 1))
            .longPrefillTokenThreshold(3)
            .waiting(
                seeing("old", 9, MultiModalItem.of("a", 0, 4), MultiModalItem.of("b", 4, 4))
                    .maxTokens(2))
            .waiting(
                request("young", text(5, 9))
                    .items(List.of(MultiModalItem.of("c", 0, 4), MultiModalItem.of("d", 4, 4)))
                    .maxTokens(2));
    given.step();
    assertThat(given.plan()).schedules("old", 3).schedules("young", 3);

    given.schedule();

    assertThat(given.plan()).schedulesOnly("old").preempts("young");
    assertThat(encoded(given)).containsExactly("old:1");
    assertThat(dropped(given)).containsExactly("c");
    given.update().steps(20);
    assertThat(given.ended("old")).isNotNull();
    assertThat(given.ended("young")).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldHoldNoOutputForARequestThatWaits(boolean likeVllm) {
    final SchedulerFixture given =
        encoder(7, 100, 8, SpeculationOptions.of(SpeculativeMethod.EAGLE, 1));
    if (likeVllm) {
      given.likeVllm();
    }
    given
        .longPrefillTokenThreshold(4)
        .waiting(
            request("gone", text(6, 2)).items(List.of(MultiModalItem.of("a", 0, 1))).maxTokens(1))
        .step()
        .step()
        .waiting(request("runs", text(7, 9)).items(List.of(MultiModalItem.of("c", 0, 7))))
        .step()
        .waiting(seeing("waits", 9, MultiModalItem.of("a", 0, 1), MultiModalItem.of("b", 1, 7)))
        .schedule();

    assertThat(given.waitingIds()).containsExactly("waits");
    assertThat(cache(given).evictionOrder()).isEqualTo(likeVllm ? List.of() : List.of("a"));
  }

  @Test
  void shouldDropWhatAFailedEntryWasToEncode() {
    final SchedulerFixture given =
        encoder(6, 6, 12)
            .waiting(seeing("a", 7, MultiModalItem.of("cat", 0, 6)))
            .schedule()
            .fail(new IllegalStateException("lost"), BlockFence.RELEASE)
            .schedule();

    assertThat(dropped(given)).containsExactly("cat");
    given.update().waiting(seeing("b", 7, MultiModalItem.of("cat", 0, 6))).schedule();
    assertThat(encoded(given)).containsExactly("b:0");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldForgetAllOutputsInAReset(boolean likeVllm) {
    final SchedulerFixture given = encoder(6, 6, 12).longPrefillTokenThreshold(4);
    if (likeVllm) {
      given.likeVllm();
    }
    given
        .waiting(seeing("old", 3, MultiModalItem.of("dog", 0, 2)))
        .step()
        .waiting(seeing("a", 7, MultiModalItem.of("cat", 0, 6)))
        .step();

    given.driver().scheduler().resetEncoderCache();
    given.schedule();

    assertThat(encoded(given)).as("in the middle of the item").containsExactly("a:0");
    assertThat(dropped(given)).isEqualTo(likeVllm ? List.of() : List.of("dog"));
    assertThat(cache(given).freeSlots()).isEqualTo(6);
  }

  @Test
  void shouldHaveNoItemsWithoutAnEncoder() {
    final SchedulerFixture given =
        fixture().waiting(seeing("a", 7, MultiModalItem.of("cat", 0, 6))).schedule();
    given.driver().scheduler().resetEncoderCache();

    assertThat(given.planOut().encoderInputs()).isSameAs(EncoderInputs.NONE);
  }

  private static SchedulerFixture encoder(int maxItem, int budget, int slots) {
    return encoder(maxItem, budget, slots, SpeculationOptions.NONE);
  }

  private static SchedulerFixture encoder(
      int maxItem, int budget, int slots, SpeculationOptions drafts) {
    final EncoderOptions options =
        new EncoderOptions(maxItem, budget, slots, ChunkedMmInput.ENABLED);
    return fixture().settings(settings -> settings.encoder(options).speculation(drafts));
  }

  private static Request.Builder seeing(String id, int tokens, MultiModalItem... items) {
    return request(id, text(0, tokens)).items(List.of(items));
  }

  private static EncoderCache cache(SchedulerFixture given) {
    return EncoderCaches.of(given.driver().scheduler());
  }

  /** Items that the plan encodes, as REQUEST:ITEM. */
  private static List<String> encoded(SchedulerFixture given) {
    final StepPlan plan = given.planOut();
    final List<String> items = new ArrayList<>();
    for (int entry = 0; entry < plan.size(); entry++) {
      for (int i = 0; i < plan.encoderInputs().count(entry); i++) {
        items.add(plan.request(entry).id() + ":" + plan.encoderInputs().item(entry, i));
      }
    }
    return items;
  }

  private static List<String> dropped(SchedulerFixture given) {
    final EncoderInputs inputs = given.planOut().encoderInputs();
    final List<String> hashes = new ArrayList<>();
    for (int i = 0; i < inputs.droppedCount(); i++) {
      hashes.add(inputs.dropped(i));
    }
    return hashes;
  }
}
