package dev.headway.scheduler.core;

import static dev.headway.api.Absent.ABSENT;
import static dev.headway.scheduler.testing.SchedulerFixture.fixture;
import static dev.headway.scheduler.testing.SchedulerFixture.request;
import static dev.headway.scheduler.testing.SchedulerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.StopRule;
import dev.headway.scheduler.testing.SchedulerFixture;
import dev.headway.scheduler.testing.SchedulerFixture.Ended;
import org.junit.jupiter.api.Test;

/** When generation ends, and what is said of it; tested after each token in vLLM's order. */
class StopRulesTest {

  private static final int EOS = 2;
  private static final int STOP = 77;
  private static final StopRule RULE =
      StopRule.maxTokens(5).withEosTokenId(EOS).withStopTokenIds(STOP);

  @Test
  void shouldEndAfterMaxTokens() {
    final SchedulerFixture given = ending(StopRule.maxTokens(3)).steps(5);

    assertThat(given.ended("a")).isEqualTo(Ended.with(FinishReason.LENGTH));
    assertThat(given.outputs("a")).containsExactly(1, 1, 1);
  }

  @Test
  void shouldEndWhenTheContextIsFull() {
    final SchedulerFixture given =
        fixture().maxModelLen(8).waiting(request("a", StopRule.maxTokens(50), text(1, 5))).steps(5);

    assertThat(given.ended("a")).isEqualTo(Ended.with(FinishReason.LENGTH));
    assertThat(given.outputs("a")).hasSize(3);
  }

  @Test
  void shouldEndWithTheEndOfSequenceTokenAndReportNoToken() {
    final SchedulerFixture given = ending(RULE).answers("a", 9, EOS).steps(4);

    assertThat(given.ended("a")).isEqualTo(new Ended(FinishReason.STOP, ABSENT, null));
    assertThat(given.outputs("a")).containsExactly(9, EOS);
  }

  @Test
  void shouldEndWithAStopTokenAndReportIt() {
    final SchedulerFixture given = ending(RULE).answers("a", 9, STOP).steps(4);

    assertThat(given.ended("a")).isEqualTo(new Ended(FinishReason.STOP, STOP, null));
    assertThat(given.outputs("a")).containsExactly(9, STOP);
  }

  @Test
  void shouldEndWithATokenIdOfZero() {
    final SchedulerFixture given =
        ending(StopRule.maxTokens(5).withStopTokenIds(0)).answers("a", 0).steps(2);

    assertThat(given.ended("a")).isEqualTo(new Ended(FinishReason.STOP, 0, null));
  }

  @Test
  void shouldGoOnPastAnIgnoredEndOfSequenceToken() {
    final SchedulerFixture given =
        ending(RULE.ignoringEos()).answers("a", EOS, EOS, 9, 9, 9).steps(6);

    assertThat(given.ended("a")).isEqualTo(Ended.with(FinishReason.LENGTH));
  }

  @Test
  void shouldReportAnIgnoredEndOfSequenceTokenThatIsAStopTokenToo() {
    final StopRule rule = RULE.withStopTokenIds(STOP, EOS);

    assertThat(ending(rule.ignoringEos()).answers("a", EOS).steps(2).ended("a"))
        .isEqualTo(new Ended(FinishReason.STOP, EOS, null));
    assertThat(ending(rule).answers("a", EOS).steps(2).ended("a"))
        .as("not ignored it comes first")
        .isEqualTo(new Ended(FinishReason.STOP, ABSENT, null));
  }

  @Test
  void shouldEndForNothingBeforeMinTokens() {
    final SchedulerFixture given =
        ending(RULE.withMinTokens(3)).answers("a", EOS, STOP, STOP).steps(5);

    assertThat(given.ended("a")).isEqualTo(new Ended(FinishReason.STOP, STOP, null));
    assertThat(given.outputs("a")).containsExactly(EOS, STOP, STOP);
  }

  @Test
  void shouldNotRememberAStopFromBeforeMinTokens() {
    final SchedulerFixture given =
        ending(RULE.withMinTokens(2)).answers("a", STOP, 9, 9, 9, 9).steps(6);

    assertThat(given.ended("a")).isEqualTo(Ended.with(FinishReason.LENGTH));
  }

  @Test
  void shouldSayStopRatherThanLengthForTheLastTokenAllowed() {
    assertThat(ending(RULE).answers("a", 9, 9, 9, 9, STOP).steps(6).ended("a"))
        .isEqualTo(new Ended(FinishReason.STOP, STOP, null));
    assertThat(ending(RULE).answers("a", 9, 9, 9, 9, EOS).steps(6).ended("a"))
        .isEqualTo(new Ended(FinishReason.STOP, ABSENT, null));
  }

  @Test
  void shouldTestMinTokensBeforeTheLengthOfTheContext() {
    final StopRule rule = StopRule.maxTokens(50).withMinTokens(4);
    final SchedulerFixture given =
        fixture().maxModelLen(8).waiting(request("a", rule, text(1, 5))).steps(6);

    assertThat(given.ended("a")).isNull();
    assertThat(given.view("a").knownTokens()).isEqualTo(8);
  }

  @Test
  void shouldGiveBlocksBackInTheStepThatEndsARequest() {
    final SchedulerFixture given =
        fixture().blocks(3).waiting(request("a", StopRule.maxTokens(1), text(1, 9)));

    given.schedule();
    assertThat(given.driver().kv().freeBlocks()).isZero();

    given.update();
    assertThat(given.driver().kv().freeBlocks()).isEqualTo(3);
    assertThat(given.log().of("first", "finished"))
        .containsExactly("1: first a", "1: finished a LENGTH token=absent freed=3");
  }

  @Test
  void shouldNotGenerateOnAPrefillChunk() {
    final SchedulerFixture given =
        fixture().maxNumSeqs(4).maxNumBatchedTokens(4).waiting("a", 6).step();
    assertThat(given.outputs("a")).isEmpty();

    given.step();

    assertThat(given.outputs("a")).hasSize(1);
  }

  private static SchedulerFixture ending(StopRule rule) {
    return fixture().waiting(request("a", rule, text(1, 5)));
  }
}
