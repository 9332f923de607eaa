package dev.headway.scheduler.policy.order;

import static dev.headway.scheduler.policy.order.Orders.asking;
import static dev.headway.scheduler.policy.order.Orders.ranked;
import static dev.headway.scheduler.policy.order.Orders.step;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.Request;
import dev.headway.api.step.EntryKind;
import dev.headway.testkit.FakePlan;
import dev.headway.testkit.FakeRequest;
import org.junit.jupiter.api.Test;

class PrefixOrdersTest {

  @Test
  void shouldTakeTheLongestMatchFirst() {
    assertThat(
            ranked(
                new LongestPrefixMatch(),
                step().waiting(3).build(),
                cached(0, 40),
                cached(1, 80),
                cached(2, 60)))
        .containsExactly(1L, 2L, 0L);
  }

  @Test
  void shouldGoByArrivalWhenManyWait() {
    assertThat(
            ranked(
                new LongestPrefixMatch(),
                step().waiting(129).build(),
                cached(0, 40),
                cached(1, 80)))
        .containsExactly(0L, 1L);
  }

  @Test
  void shouldHoldBackThoseThatShareABeginningWithAnEarlierOne() {
    assertThat(ranked(new LongestPrefixMatch(), step().build(), of(0, 7), of(1, 7), of(2, 8)))
        .containsExactly(0L, 2L, 1L);
  }

  @Test
  void shouldNotHoldBackWhoFindsABeginningInTheCache() {
    final FakeRequest hit = FakeRequest.of(1, asking(1, 7, 50).build()).cachedPrefixTokens(33);

    assertThat(ranked(new LongestPrefixMatch(), step().build(), of(0, 7), hit))
        .containsExactly(1L, 0L);
  }

  @Test
  void shouldNotHoldBackWhoSharesLittle() {
    final int[] prompt = new int[50];
    prompt[31] = 1;
    final FakeRequest other =
        FakeRequest.of(1, Request.builder("other", prompt).maxTokens(1).build());

    assertThat(ranked(new LongestPrefixMatch(), step().build(), of(0, 0), other, of(2, 9)))
        .containsExactly(0L, 1L, 2L);
  }

  @Test
  void shouldNotHoldBackWhoCannotShare() {
    final FakeRequest salted = FakeRequest.of(1, asking(1, 7, 50).cacheSalt("salt").build());
    final FakeRequest adapted =
        FakeRequest.of(2, asking(2, 7, 50).lora(new LoraAdapter(1, "a")).build());
    final FakeRequest skipping =
        FakeRequest.of(3, asking(3, 7, 50).prefixReuse(PrefixReuse.SKIPPED).build());

    assertThat(
            ranked(new LongestPrefixMatch(), step().build(), of(0, 7), salted, adapted, skipping))
        .containsExactly(0L, 1L, 2L, 3L);
  }

  @Test
  void shouldTakeTheShortestPrefillFirst() {
    assertThat(
            ranked(
                new ShortestPrefill(0),
                step().build(),
                cached(0, 40),
                cached(1, 90),
                FakeRequest.numbered(2, 30, 10)))
        .containsExactly(1L, 2L, 0L);
  }

  @Test
  void shouldPreferWhoHasWaitedLong() {
    final FakeRequest old = FakeRequest.numbered(0, 90, 10).arrived(0, 0);
    final FakeRequest shorter = FakeRequest.numbered(1, 20, 10).arrived(950_000_000, 950_000_000);

    assertThat(ranked(new ShortestPrefill(10), step().build(), old, shorter))
        .containsExactly(1L, 0L);
    assertThat(ranked(new ShortestPrefill(1_000), step().build(), old, shorter))
        .containsExactly(0L, 1L);
  }

  @Test
  void shouldTakeTheHighestResponseRatioFirst() {
    final HighestResponseRatio given = new HighestResponseRatio();
    final FakeRequest longAndOld = FakeRequest.numbered(0, 100, 10);
    final FakeRequest shortAndNew = FakeRequest.numbered(1, 10, 10);
    given.onQueued(longAndOld);
    serve(given, 1_000);
    given.onQueued(shortAndNew);

    serve(given, 50); // ratios 10.5 and 5
    assertThat(ranked(given, step().build(), longAndOld, shortAndNew)).containsExactly(0L, 1L);

    serve(given, 100); // 11.5 and 15
    assertThat(ranked(given, step().build(), longAndOld, shortAndNew)).containsExactly(1L, 0L);
  }

  @Test
  void shouldNotCountDecodesAsWaiting() {
    final HighestResponseRatio given = new HighestResponseRatio();
    final FakeRequest first = FakeRequest.numbered(0, 100, 10);
    final FakeRequest second = FakeRequest.numbered(1, 1, 10);
    given.onQueued(first);
    serve(given, 1);
    given.onQueued(second);
    final FakeRequest decoding = FakeRequest.numbered(9, 10, 10).outputTokens(3);
    for (int i = 0; i < 100; i++) {
      given.onServed(new FakePlan().add(decoding, EntryKind.RUNNING, 1, 1));
    }

    assertThat(ranked(given, step().build(), first, second)).containsExactly(0L, 1L);
  }

  @Test
  void shouldTakeTheAdapterThatMostUse() {
    final FakeRequest[] running = {adapted(10, 2), adapted(11, 1), adapted(12, 2), of(13, 0)};

    assertThat(
            ranked(
                new RunningAdapters(),
                step().running(running).build(),
                of(0, 0),
                adapted(1, 1),
                adapted(2, 3),
                adapted(3, 2)))
        .containsExactly(3L, 1L, 0L, 2L);
  }

  @Test
  void shouldTakeTheRequestsOfAnAdapterTogether() {
    assertThat(
            ranked(
                new RunningAdapters(),
                step().running(adapted(10, 4)).build(),
                adapted(0, 1),
                adapted(1, 2),
                of(2, 0),
                adapted(3, 1),
                adapted(4, 4),
                adapted(5, 2)))
        .containsExactly(4L, 0L, 3L, 1L, 5L, 2L);
  }

  @Test
  void shouldNotTakeTheBeginningOfOneRequestForThatOfAnother() {
    final ShortestPrefill given = new ShortestPrefill(0);
    final FakeRequest first = of(0, 7);
    final FakeRequest same = of(1, 7);
    final FakeRequest other = of(1 + 1024, 8);

    for (int step = 0; step < 3; step++) {
      assertThat(ranked(given, step().build(), other)).containsExactly(other.number());
      assertThat(ranked(given, step().build(), first, same, other)).endsWith(same.number());
    }
  }

  private static void serve(HighestResponseRatio order, int promptTokens) {
    final FakeRequest other = FakeRequest.numbered(99, promptTokens, 10);
    order.onServed(new FakePlan().add(other, EntryKind.NEW, promptTokens, 1));
  }

  private static FakeRequest of(long number, int token) {
    return FakeRequest.of(number, asking(number, token, 50).build());
  }

  private static FakeRequest adapted(long number, int adapter) {
    return FakeRequest.of(
        number, asking(number, 1, 50).lora(new LoraAdapter(adapter, "a" + adapter)).build());
  }

  private static FakeRequest cached(long number, int tokens) {
    return FakeRequest.numbered(number, 100, 10).cachedPrefixTokens(tokens);
  }
}
