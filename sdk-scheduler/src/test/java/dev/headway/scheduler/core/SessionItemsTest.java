package dev.headway.scheduler.core;

import static dev.headway.scheduler.testing.PlanAssert.assertThat;
import static dev.headway.scheduler.testing.SchedulerFixture.fixture;
import static dev.headway.scheduler.testing.SchedulerFixture.request;
import static dev.headway.scheduler.testing.SchedulerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.ChunkedMmInput;
import dev.headway.api.config.EncoderOptions;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.PrefixRetention;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.request.SessionInput;
import dev.headway.api.request.StopRule;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.step.EncoderInputs;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.testing.SchedulerFixture;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Images in further inputs of a session are those of a request that is sent whole. */
class SessionItemsTest {

  private static final StopRule THREE = StopRule.maxTokens(3);
  private static final StopRule ONE = StopRule.maxTokens(1);
  private static final int[] INPUT = {70, 71, 9, 9, 9, 9, 9, 72, 73};

  /** Tokens 2 to 6 of the input. */
  private static final MultiModalItem CAT = MultiModalItem.of("cat", 2, 5);

  private static Stream<List<KvGroup>> groups() {
    return Stream.of(
        List.of(), List.of(new KvGroup.FullAttention(4), new KvGroup.SlidingWindow(4, 64)));
  }

  /** A session of 8 prompt tokens, and 3 outputs of which 2 are computed, with blocks of 4. */
  private static SchedulerFixture idle(MultiModalItem... items) {
    return idle(List.of(), items);
  }

  private static SchedulerFixture idle(List<KvGroup> groups, MultiModalItem... items) {
    final SchedulerFixture given =
        fixture()
            .settings(
                config ->
                    config
                        .encoder(new EncoderOptions(8, 8, 16, ChunkedMmInput.ENABLED))
                        .prefixCache(
                            PrefixCacheOptions.builder().retention(PrefixRetention.DENSE).build()));
    if (!groups.isEmpty()) {
      given.groups(groups.toArray(KvGroup[]::new));
    }
    return given
        .waiting(request("s", THREE, text(50, 8)).items(List.of(items)).resumable())
        .answers("s", 1, 2, 3)
        .steps(3);
  }

  private static SchedulerFixture append(SchedulerFixture given, MultiModalItem... items) {
    given
        .driver()
        .scheduler()
        .append(
            given.view("s"),
            SessionInput.of(ONE, INPUT).withItems(List.of(items)),
            given.driver().tick());
    return given;
  }

  /** The whole conversation as one request, with the image where the session has it. */
  private static Request.Builder whole(SchedulerFixture given, String id, MultiModalItem... items) {
    final RequestView session = given.view("s");
    final int[] tokens = new int[session.promptTokens() + 2];
    session.copyTokenIds(0, tokens, 0, session.promptTokens());
    return request(id, tokens).items(List.of(items));
  }

  private static List<String> encoded(StepPlan plan) {
    final EncoderInputs inputs = plan.encoderInputs();
    final List<String> encoded = new ArrayList<>();
    for (int entry = 0; entry < plan.size(); entry++) {
      for (int index = 0; index < inputs.count(entry); index++) {
        final Request request = plan.request(entry).request();
        encoded.add(request.id() + ":" + request.items().get(inputs.item(entry, index)));
      }
    }
    return encoded;
  }

  @Test
  void shouldPlaceItsItemsBehindWhatIsComputed() {
    final SchedulerFixture given =
        append(idle(MultiModalItem.of("dog", 1, 3)), CAT, MultiModalItem.of("cow", 7, 1));

    given.schedule();

    assertThat(given.plan()).startsAt("s", 10).schedules("s", INPUT.length);
    assertThat(given.view("s").request().items())
        .containsExactly(
            MultiModalItem.of("dog", 1, 3),
            MultiModalItem.of("cat", 12, 5),
            MultiModalItem.of("cow", 17, 1));
    assertThat(encoded(given.planOut()))
        .containsExactly(
            "s:" + MultiModalItem.of("cat", 12, 5), "s:" + MultiModalItem.of("cow", 17, 1));
    assertThat(given.planOut().encoderInputs().embeddings()).isEqualTo(6);
  }

  @ParameterizedTest
  @MethodSource("groups")
  void shouldShareKvWithTheSameRequestSentWhole(List<KvGroup> groups) {
    final SchedulerFixture given = append(idle(groups), CAT).step();
    final Request.Builder equal = whole(given, "equal", MultiModalItem.of("cat", 12, 5));
    final Request.Builder other = whole(given, "other", MultiModalItem.of("dog", 12, 5));
    final Request.Builder plain = whole(given, "plain");

    given.waiting(equal).waiting(other).waiting(plain).schedule();

    assertThat(given.view("equal").cachedTokens()).as("its 4 full blocks").isEqualTo(16);
    assertThat(given.view("other").cachedTokens()).as("what is before the image").isEqualTo(12);
    assertThat(given.view("plain").cachedTokens()).isEqualTo(12);
  }

  /** The other way round: the image of an input is found where a whole request computed it. */
  @Test
  void shouldFindTheKvOfARequestThatWasSentWhole() {
    final SchedulerFixture given = append(idle(), CAT).step();
    given.waiting(whole(given, "equal", MultiModalItem.of("cat", 12, 5)).maxTokens(1));
    given.reset(ResetScope.PREEMPT_RUNNING);
    given.step();
    append(given);

    given.schedule();

    assertThat(given.plan()).startsAt("s", 16);
  }

  @Test
  void shouldKeepToTheBudgetOfTheEncoder() {
    final SchedulerFixture given = append(idle(), CAT, MultiModalItem.of("dog", 7, 2));

    given.schedule();
    assertThat(given.planOut().encoderInputs().embeddings()).isEqualTo(7);

    final SchedulerFixture narrow =
        fixture()
            .settings(
                config -> config.encoder(new EncoderOptions(5, 5, 16, ChunkedMmInput.ENABLED)))
            .waiting(request("s", THREE, text(50, 8)).resumable())
            .answers("s", 1, 2, 3)
            .steps(3);
    append(narrow, CAT, MultiModalItem.of("dog", 7, 2)).schedule();
    assertThat(encoded(narrow.planOut())).hasSize(1);
    assertThat(narrow.plan()).schedules("s", 7);
    narrow.update().schedule();
    assertThat(encoded(narrow.planOut())).hasSize(1);
    assertThat(narrow.plan()).schedules("s", 2);
  }

  @Test
  void shouldUseAnOutputThatIsKept() {
    final SchedulerFixture given = append(idle(MultiModalItem.of("cat", 1, 5)), CAT);

    given.schedule();

    assertThat(encoded(given.planOut())).as("the same image was in the prompt").isEmpty();
  }

  @Test
  void shouldEncodeAgainWhatAPreemptionTook() {
    final SchedulerFixture given = append(idle(), CAT).schedule();
    given.driver().scheduler().resetEncoderCache();
    given.update();
    given.driver().scheduler().resetEncoderCache();
    append(given, MultiModalItem.of("cow", 2, 1)).reset(ResetScope.PREEMPT_RUNNING);

    given.schedule();

    assertThat(encoded(given.planOut())).hasSize(2);
  }
}
