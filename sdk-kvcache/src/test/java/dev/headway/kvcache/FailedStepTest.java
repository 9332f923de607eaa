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
    given.allocate("gone");
    given.nextStep().release("gone");
    given.request("sharer", text(1, 9)).request("other", text(2, 9));
    given.allocate("sharer");
    given.allocate("other");

    assertThat(given.dependsOn("sharer", "gone", 1)).isTrue();
    assertThat(given.dependsOn("sharer", null, 1)).isTrue();
    assertThat(given.dependsOn("sharer", "other", 1)).isFalse();
    assertThat(given.dependsOn("other", "gone", 1)).isFalse();
    assertThat(given.dependsOn("sharer", null, 2)).isFalse();
  }

  /** The block became findable in step 2, and step 1 was to write its first half. */
  @Test
  void shouldTellWhoHasFoundABlockThatTheFailedStepHasBegun() {
    final GroupedFixture given = cache(full(4)).request("gone", text(1, 9));
    given.allocateChunk("gone", 2);
    given.nextStep().extend("gone", 2);
    given.nextStep().release("gone");
    given.request("sharer", text(1, 9)).allocate("sharer");

    assertThat(given.sequence("sharer").sharedPrefixTokens()).isEqualTo(8);
    assertThat(given.dependsOn("sharer", "gone", 1)).isTrue();
    assertThat(given.dependsOn("sharer", "gone", 2)).isTrue();
    assertThat(given.dependsOn("sharer", "gone", 3)).isFalse();
  }

  @Test
  void shouldTellWhoNoLongerLooksAtTheBlockThatFailed() {
    final GroupedFixture given = windows().request("gone", text(1, 16));
    given.allocateChunk("gone", 4);
    given.nextStep().extend("gone", 8);
    given.nextStep().release("gone");
    given.request("sharer", text(1, 13)).allocate("sharer");

    assertThat(given.blocksOf("sharer", 0)).startsWith(0, 0);
    assertThat(given.dependsOn("sharer", "gone", 1)).isTrue();
  }

  @Test
  void shouldTellWhoBuildsOnThoseWhoDo() {
    final GroupedFixture given = windows().request("gone", text(1, 8));
    given.allocateChunk("gone", 4);
    given.nextStep().release("gone");
    given.request("between", text(1, 16)).allocateChunk("between", 8);
    given.nextStep().release("between");
    given.request("sharer", text(1, 13)).allocate("sharer");

    assertThat(given.blocksOf("sharer", 0)).startsWith(0, 0);
    assertThat(given.dependsOn("sharer", "gone", 1)).isTrue();
    assertThat(given.dependsOn("sharer", null, 1)).isTrue();
  }

  /** What it had found before it was released and admitted again does not matter. */
  @Test
  void shouldForgetWhatARequestHadFoundBefore() {
    final GroupedFixture given = windows().request("gone", text(1, 8));
    given.allocateChunk("gone", 4);
    given.request("sharer", text(1, 8)).allocate("sharer");
    assertThat(given.dependsOn("sharer", "gone", 1)).isTrue();
    given.release("sharer");
    given.releaseComputed("gone", 0);
    given.nextStep().allocate("sharer");

    assertThat(given.dependsOn("sharer", "gone", 1)).isFalse();
  }

  /** The request that failed was admitted anew since, and had found nothing of the failed step. */
  @Test
  void shouldNotTellOfWhatARequestWritesAfterItWasAdmittedAnew() {
    final GroupedFixture given = cache(full(4)).request("failed", text(1, 9));
    given.allocate("failed");
    given.nextStep().releaseComputed("failed", 0);
    given.allocate("failed");
    given.request("sharer", text(1, 9)).allocate("sharer");

    assertThat(given.dependsOn("sharer", null, 2)).isTrue();
    assertThat(given.dependsOn("sharer", "failed", 2)).isTrue();
    assertThat(given.dependsOn("sharer", "failed", 1)).isFalse();
  }

  /** In step 3 the state at 12 tokens moves to a block of its own, which the sharer finds. */
  @Test
  void shouldTellWhoHasFoundAStateThatWasCopied() {
    final GroupedFixture given =
        cache(full(8), states(8, 0)).matchUnit(4).request("gone", text(1, 14));
    given.allocateChunk("gone", 8);
    given.nextStep().extend("gone", 4);
    given.nextStep().extend("gone", 2);
    given.nextStep().release("gone");
    assertThat(given.work()).anyMatch(work -> work.startsWith("copy"));
    given.request("sharer", text(1, 14));
    assertThat(given.lookup("sharer")).isEqualTo(12);
    given.allocate("sharer");

    assertThat(given.dependsOn("sharer", "gone", 1)).isTrue();
    assertThat(given.dependsOn("sharer", "gone", 2)).isTrue();
    assertThat(given.dependsOn("sharer", "gone", 3)).isTrue();
    assertThat(given.dependsOn("sharer", null, 3)).isTrue();
  }

  @Test
  void shouldTellWhoGoesOnInTheCopyOfAState() {
    final GroupedFixture given =
        cache(full(8), states(8, 0)).matchUnit(4).request("gone", text(1, 14));
    given.allocateChunk("gone", 8);
    given.nextStep().extend("gone", 4);
    given.nextStep().release("gone");
    given.request("sharer", text(1, 14));
    assertThat(given.lookup("sharer")).isEqualTo(12);
    given.allocate("sharer");

    assertThat(given.dependsOn("sharer", "gone", 1)).isTrue();
    assertThat(given.dependsOn("sharer", "gone", 2)).isTrue();
  }

  @Test
  void shouldForgetWhatTheFailedStepAndLaterOnesWereToWrite() {
    final GroupedFixture given = cache(full(4), window(4, 6)).request("gone", text(1, 16));
    given.allocateChunk("gone", 4);
    given.nextStep().extend("gone", 8);
    given.request("other", text(2, 9)).allocate("other");
    given.release("gone");

    given.fail(1);

    assertThat(given.request("late", text(1, 16)).lookup("late")).isZero();
    assertThat(given.request("twin", text(2, 9)).lookup("twin"))
        .as("held, so not in doubt")
        .isEqualTo(8);
  }

  @Test
  void shouldRememberWhatWasFoundUntilItsStepIsOver() {
    final GroupedFixture given = cache(full(4)).nextStep().request("gone", text(1, 9)); // step 2
    given.allocate("gone");
    given.request("sharer", text(1, 9)).allocate("sharer");

    given.manager().stepEnded(1);
    assertThat(given.dependsOn("sharer", "gone", 2)).isTrue();

    given.manager().stepEnded(2);
    assertThat(given.dependsOn("sharer", "gone", 2)).isFalse();
  }

  @Test
  void shouldKeepWhatWasAnswered() {
    final GroupedFixture given =
        cache(full(4), window(4, 6)).retention(PrefixRetention.DENSE).request("a", text(1, 16));
    given.allocateChunk("a", 8);
    given.nextStep().manager().stepEnded(1);
    given.release("a");
    given.request("b", branch(1, 8, 16)).allocate("b");

    assertThat(given.dependsOn("b", null, 1)).isFalse();
    given.release("b");
    given.fail(2);

    assertThat(given.request("late", text(1, 16)).lookup("late")).isEqualTo(8);
  }

  private static GroupedFixture windows() {
    return cache(window(4, 4)).retention(PrefixRetention.DENSE);
  }
}
