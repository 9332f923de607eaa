package dev.headway.scheduler.policy.tokens;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.RequestStatus;
import dev.headway.testkit.FakeRequest;
import dev.headway.testkit.policy.PolicyContract;
import dev.headway.testkit.policy.SampleStep;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EqualProgressTest {

  private final EqualProgress given = new EqualProgress(16, 0);

  @Test
  void shouldSplitTokensEvenlyAndGiveTheFirstOnesOneUnitMore() {
    assertThat(chunks(80, 0, prefill(0, 500), prefill(1, 500), prefill(2, 500)))
        .containsExactly(32, 32, 16);
  }

  @Test
  void shouldGiveShortOnesWhatTheyWantAndTheRestToOthers() {
    assertThat(chunks(96, 0, prefill(0, 500), prefill(1, 5), prefill(2, 500)))
        .containsExactly(48, 5, 32);
  }

  @Test
  void shouldGiveEverybodyEverythingWhenThereIsEnough() {
    assertThat(chunks(128, 0, prefill(0, 50), prefill(1, 60))).containsExactly(50, 60);
  }

  @Test
  void shouldLeaveDecodesTheirTokens() {
    assertThat(chunks(66, 0, prefill(0, 500), decode(1), prefill(2, 500), decode(3)))
        .containsExactly(32, 1, 32, 1);
  }

  @Test
  void shouldGiveAtLeastOneTokenWhenUnitsDoNotGoRound() {
    assertThat(chunks(20, 0, prefill(0, 500), prefill(1, 500))).containsExactly(16, 1);
  }

  @Test
  void shouldKeepAShareForANewcomer() {
    final EqualProgress one = new EqualProgress(16, 1);
    final SampleStep step = step(64, 3, prefill(0, 500));
    one.onStep(step);

    assertThat(one.largestChunk(step.running(0), 64, step)).isEqualTo(32);
    assertThat(one.largestChunk(prefillOf(9, 500, RequestStatus.WAITING), 32, step)).isEqualTo(32);
  }

  @Test
  void shouldDifferByAtMostAUnitAndWasteLessThanAUnit() {
    final Random random = new Random(1);
    for (int round = 0; round < 2_000; round++) {
      final FakeRequest[] running = new FakeRequest[1 + random.nextInt(8)];
      for (int i = 0; i < running.length; i++) {
        running[i] = random.nextInt(4) == 0 ? decode(i) : prefill(i, 2 + random.nextInt(300));
      }
      final int tokens = 20 * running.length + random.nextInt(500);

      final int[] chunks = chunks(tokens, 0, running);

      int unsatisfied = Integer.MAX_VALUE;
      for (int i = 0; i < chunks.length; i++) {
        if (chunks[i] < running[i].knownTokens() - running[i].computedTokens()) {
          unsatisfied = Math.min(unsatisfied, chunks[i]);
        }
      }
      final int sum = Arrays.stream(chunks).sum();
      assertThat(sum).as("round %d", round).isLessThanOrEqualTo(tokens);
      if (unsatisfied < Integer.MAX_VALUE) {
        assertThat(Arrays.stream(chunks).max().getAsInt() - unsatisfied).isLessThanOrEqualTo(16);
        assertThat(tokens - sum).as("round %d", round).isLessThan(16);
      }
    }
  }

  private int[] chunks(int tokens, int waiting, FakeRequest... running) {
    final SampleStep step = step(tokens, waiting, running);
    given.onStep(step);
    final int[] chunks = new int[running.length];
    for (int i = 0; i < running.length; i++) {
      final int wanted = running[i].knownTokens() - running[i].computedTokens();
      chunks[i] = wanted < 2 ? wanted : given.largestChunk(running[i], wanted, step);
    }
    return chunks;
  }

  private static SampleStep step(int tokens, int waiting, FakeRequest... running) {
    return SampleStep.of(PolicyContract.CONFIG, 16, 64)
        .tokensLeft(tokens)
        .waiting(waiting)
        .running(running)
        .build();
  }

  private static FakeRequest prefill(long number, int left) {
    return prefillOf(number, left, RequestStatus.RUNNING);
  }

  private static FakeRequest prefillOf(long number, int left, RequestStatus status) {
    return FakeRequest.numbered(number, left + 32, 10).status(status).computedTokens(32);
  }

  private static FakeRequest decode(long number) {
    return FakeRequest.numbered(number, 20, 10)
        .status(RequestStatus.RUNNING)
        .outputTokens(4)
        .computedTokens(23);
  }
}
