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
import dev.headway.testkit.policy.SampleRequest;
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
    final SampleRequest hit =
        SampleRequest.of(asking(1, 7, 50).build(), 1).cachedPrefixTokens(33).build();

    assertThat(ranked(new LongestPrefixMatch(), step().build(), of(0, 7), hit))
        .containsExactly(1L, 0L);
  }

  @Test
  void shouldNotHoldBackWhoSharesLittle() {
    final int[] prompt = new int[50];
    prompt[31] = 1;
    final SampleRequest other =
        SampleRequest.of(Request.builder("other", prompt).maxTokens(1).build(), 1).build();

    assertThat(ranked(new LongestPrefixMatch(), step().build(), of(0, 0), other, of(2, 9)))
        .containsExactly(0L, 1L, 2L);
  }

  @Test
  void shouldNotHoldBackWhoCannotShare() {
    final SampleRequest salted =
        SampleRequest.of(asking(1, 7, 50).cacheSalt("salt").build(), 1).build();
    final SampleRequest adapted =
        SampleRequest.of(asking(2, 7, 50).lora(new LoraAdapter(1, "a")).build(), 2).build();
    final SampleRequest skipping =
        SampleRequest.of(asking(3, 7, 50).prefixReuse(PrefixReuse.SKIPPED).build(), 3).build();

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
                SampleRequest.numbered(2, 30, 10).build()))
        .containsExactly(1L, 2L, 0L);
  }

  @Test
  void shouldPreferWhoHasWaitedLong() {
    final SampleRequest old = SampleRequest.numbered(0, 90, 10).arrivalNs(0).build();
    final SampleRequest shorter = SampleRequest.numbered(1, 20, 10).arrivalNs(950_000_000).build();

    assertThat(ranked(new ShortestPrefill(10), step().build(), old, shorter))
        .containsExactly(1L, 0L);
    assertThat(ranked(new ShortestPrefill(1_000), step().build(), old, shorter))
        .containsExactly(0L, 1L);
  }

  @Test
  void shouldTakeTheHighestResponseRatioFirst() {
    final HighestResponseRatio given = new HighestResponseRatio();
    final SampleRequest longAndOld = SampleRequest.numbered(0, 100, 10).build();
    final SampleRequest shortAndNew = SampleRequest.numbered(1, 10, 10).build();
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
    final SampleRequest first = SampleRequest.numbered(0, 100, 10).build();
    final SampleRequest second = SampleRequest.numbered(1, 1, 10).build();
    given.onQueued(first);
    serve(given, 1);
    given.onQueued(second);
    final SampleRequest decoding = SampleRequest.numbered(9, 10, 10).outputTokens(3).build();
    for (int i = 0; i < 100; i++) {
      given.onServed(new FakePlan().add(decoding, EntryKind.RUNNING, 1, 1));
    }

    assertThat(ranked(given, step().build(), first, second)).containsExactly(0L, 1L);
  }

  @Test
  void shouldTakeTheAdapterThatMostUse() {
    final SampleRequest[] running = {adapted(10, 2), adapted(11, 1), adapted(12, 2), of(13, 0)};

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
    final SampleRequest first = of(0, 7);
    final SampleRequest same = of(1, 7);
    final SampleRequest other = of(1 + 1024, 8);

    for (int step = 0; step < 3; step++) {
      assertThat(ranked(given, step().build(), other)).containsExactly(other.number());
      assertThat(ranked(given, step().build(), first, same, other)).endsWith(same.number());
    }
  }

  private static void serve(HighestResponseRatio order, int promptTokens) {
    final SampleRequest other = SampleRequest.numbered(99, promptTokens, 10).build();
    order.onServed(new FakePlan().add(other, EntryKind.NEW, promptTokens, 1));
  }

  private static SampleRequest of(long number, int token) {
    return SampleRequest.of(asking(number, token, 50).build(), number).build();
  }

  private static SampleRequest adapted(long number, int adapter) {
    return SampleRequest.of(
            asking(number, 1, 50).lora(new LoraAdapter(adapter, "a" + adapter)).build(), number)
        .build();
  }

  private static SampleRequest cached(long number, int tokens) {
    return SampleRequest.numbered(number, 100, 10).cachedPrefixTokens(tokens).build();
  }
}
