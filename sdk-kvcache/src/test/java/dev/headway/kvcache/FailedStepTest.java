package dev.headway.kvcache;

import static dev.headway.kvcache.GroupedFixture.branch;
import static dev.headway.kvcache.GroupedFixture.cache;
import static dev.headway.kvcache.GroupedFixture.full;
import static dev.headway.kvcache.GroupedFixture.states;
import static dev.headway.kvcache.GroupedFixture.text;
import static dev.headway.kvcache.GroupedFixture.window;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.PrefixRetention;
import org.junit.jupiter.api.Test;

/** Who rests on a step that failed while others are out, and what nobody finds any more. */
class FailedStepTest {

  @Test
  void shouldTellWhoHasFoundWhatAReleasedRequestWasToWrite() {
    final GroupedFixture given = cache(full(4)).request("gone", text(1, 9)); // step 1
    given.admit("gone");
    given.nextStep().release("gone");
    given.request("sharer", text(1, 9)).request("other", text(2, 9));
    given.admit("sharer");
    given.admit("other");

    assertThat(restsOn(given, "sharer", "gone", 1)).isTrue();
    assertThat(given.manager().restsOn(given.sequence("sharer"), 1)).isTrue();
    assertThat(restsOn(given, "sharer", "other", 1)).isFalse();
    assertThat(restsOn(given, "other", "gone", 1)).isFalse();
    assertThat(given.manager().restsOn(given.sequence("sharer"), 2)).isFalse();
  }

  /** The block became findable in step 2, and step 1 was to write its first half. */
  @Test
  void shouldTellWhoHasFoundABlockThatTheFailedStepHasBegun() {
    final GroupedFixture given = cache(full(4)).request("gone", text(1, 9));
    given.admitChunk("gone", 2);
    given.nextStep().grow("gone", 2);
    given.nextStep().release("gone");
    given.request("sharer", text(1, 9)).admit("sharer");

    assertThat(given.sequence("sharer").findableTokens()).isEqualTo(8);
    assertThat(restsOn(given, "sharer", "gone", 1)).isTrue();
    assertThat(restsOn(given, "sharer", "gone", 2)).isTrue();
    assertThat(restsOn(given, "sharer", "gone", 3)).isFalse();
  }

  @Test
  void shouldTellWhoNoLongerLooksAtTheBlockThatFailed() {
    final GroupedFixture given = windows().request("gone", text(1, 16));
    given.admitChunk("gone", 4);
    given.nextStep().grow("gone", 8);
    given.nextStep().release("gone");
    given.request("sharer", text(1, 13)).admit("sharer");

    assertThat(given.blocksOf("sharer", 0)).startsWith(0, 0);
    assertThat(restsOn(given, "sharer", "gone", 1)).isTrue();
  }

  @Test
  void shouldTellWhoBuildsOnThoseWhoDo() {
    final GroupedFixture given = windows().request("gone", text(1, 8));
    given.admitChunk("gone", 4);
    given.nextStep().release("gone");
    given.request("between", text(1, 16)).admitChunk("between", 8);
    given.nextStep().release("between");
    given.request("sharer", text(1, 13)).admit("sharer");

    assertThat(given.blocksOf("sharer", 0)).startsWith(0, 0);
    assertThat(restsOn(given, "sharer", "gone", 1)).isTrue();
    assertThat(given.manager().restsOn(given.sequence("sharer"), 1)).isTrue();
  }

  /** What it had found before it was released and admitted again does not matter. */
  @Test
  void shouldForgetWhatARequestHadFoundBefore() {
    final GroupedFixture given = windows().request("gone", text(1, 8));
    given.admitChunk("gone", 4);
    given.request("sharer", text(1, 8)).admit("sharer");
    assertThat(restsOn(given, "sharer", "gone", 1)).isTrue();
    given.release("sharer");
    given.manager().forget(given.sequence("gone"), 0);
    given.nextStep().admit("sharer");

    assertThat(restsOn(given, "sharer", "gone", 1)).isFalse();
  }

  /** The request that failed was admitted anew since, and had found nothing of the failed step. */
  @Test
  void shouldNotTellOfWhatARequestWritesAfterItWasAdmittedAnew() {
    final GroupedFixture given = cache(full(4)).request("failed", text(1, 9));
    given.admit("failed");
    given.manager().forget(given.sequence("failed"), 0);
    given.nextStep().release("failed");
    given.admit("failed");
    given.request("sharer", text(1, 9)).admit("sharer");

    assertThat(given.manager().restsOn(given.sequence("sharer"), 2)).isTrue();
    assertThat(restsOn(given, "sharer", "failed", 2)).isTrue();
    assertThat(restsOn(given, "sharer", "failed", 1)).isFalse();
  }

  /** In step 3 the state at 12 tokens moves to a block of its own, which the sharer finds. */
  @Test
  void shouldTellWhoHasFoundAStateThatWasCopied() {
    final GroupedFixture given =
        cache(full(8), states(8, 0)).matchUnit(4).request("gone", text(1, 14));
    given.admitChunk("gone", 8);
    given.nextStep().grow("gone", 4);
    given.nextStep().grow("gone", 2);
    given.nextStep().release("gone");
    assertThat(given.work()).anyMatch(work -> work.startsWith("copy"));
    given.request("sharer", text(1, 14));
    assertThat(given.match("sharer")).isEqualTo(12);
    given.admit("sharer");

    assertThat(restsOn(given, "sharer", "gone", 1)).isTrue();
    assertThat(restsOn(given, "sharer", "gone", 2)).isTrue();
    assertThat(restsOn(given, "sharer", "gone", 3)).isTrue();
    assertThat(given.manager().restsOn(given.sequence("sharer"), 3)).isTrue();
  }

  @Test
  void shouldTellWhoGoesOnInTheCopyOfAState() {
    final GroupedFixture given =
        cache(full(8), states(8, 0)).matchUnit(4).request("gone", text(1, 14));
    given.admitChunk("gone", 8);
    given.nextStep().grow("gone", 4);
    given.nextStep().release("gone");
    given.request("sharer", text(1, 14));
    assertThat(given.match("sharer")).isEqualTo(12);
    given.admit("sharer");

    assertThat(restsOn(given, "sharer", "gone", 1)).isTrue();
    assertThat(restsOn(given, "sharer", "gone", 2)).isTrue();
  }

  @Test
  void shouldForgetWhatTheFailedStepAndLaterOnesWereToWrite() {
    final GroupedFixture given = cache(full(4), window(4, 6)).request("gone", text(1, 16));
    given.admitChunk("gone", 4);
    given.nextStep().grow("gone", 8);
    given.request("other", text(2, 9)).admit("other");
    given.release("gone");

    given.manager().distrust(1);

    assertThat(given.request("late", text(1, 16)).match("late")).isZero();
    assertThat(given.request("twin", text(2, 9)).match("twin"))
        .as("held, so not in doubt")
        .isEqualTo(8);
  }

  @Test
  void shouldRememberWhatWasFoundUntilItsStepIsOver() {
    final GroupedFixture given = cache(full(4)).nextStep().request("gone", text(1, 9)); // step 2
    given.admit("gone");
    given.request("sharer", text(1, 9)).admit("sharer");

    given.manager().confirm(1);
    assertThat(restsOn(given, "sharer", "gone", 2)).isTrue();

    given.manager().confirm(2);
    assertThat(restsOn(given, "sharer", "gone", 2)).isFalse();
  }

  @Test
  void shouldKeepWhatWasAnswered() {
    final GroupedFixture given =
        cache(full(4), window(4, 6)).retention(PrefixRetention.DENSE).request("a", text(1, 16));
    given.admitChunk("a", 8);
    given.nextStep().manager().confirm(1);
    given.release("a");
    given.request("b", branch(1, 8, 16)).admit("b");

    assertThat(given.manager().restsOn(given.sequence("b"), 1)).isFalse();
    given.release("b");
    given.manager().distrust(2);

    assertThat(given.request("late", text(1, 16)).match("late")).isEqualTo(8);
  }

  private static GroupedFixture windows() {
    return cache(window(4, 4)).retention(PrefixRetention.DENSE);
  }

  private static boolean restsOn(GroupedFixture given, String id, String writer, long stepId) {
    return given.manager().restsOn(given.sequence(id), given.sequence(writer), stepId);
  }
}
