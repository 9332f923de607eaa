package dev.headway.routing.timing;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class TimingChainTest {

  private static final long ORIGIN_NS = 5_000_000_000L;
  private static final long MS = 1_000_000;

  @Test
  void shouldCompareProcessesOfOneHostExactly() {
    final TimingChain chain = new TimingChain("host", ORIGIN_NS);

    final TimedRequest timed =
        chain.assemble(client(0), 7 * MS, router("host", 0), server("host", 0));

    assertThat(timed.at().ns(TimingStage.ARRIVED)).isEqualTo(1 * MS);
    assertThat(timed.at().ns(TimingStage.ROUTER_RECEIVED)).isEqualTo(3 * MS);
    assertThat(timed.at().ns(TimingStage.SERVER_RECEIVED)).isEqualTo(6 * MS);
    assertThat(timed.clockErrorNs()).isZero();
    assertThat(timed.isInOrder()).isTrue();
  }

  @Test
  void shouldAddUpToTheWholeExactly() {
    final TimingChain chain = new TimingChain("host", ORIGIN_NS);

    final TimedRequest whole =
        chain.assemble(client(0), 7 * MS, router("host", 0), server("host", 0));
    final TimedRequest direct = chain.assemble(client(0), 7 * MS, null, server("host", 0));
    final TimedRequest silent = chain.assemble(client(0), 7 * MS, null, null);

    for (TimedRequest timed : new TimedRequest[] {whole, direct, silent}) {
      assertThat(timed.segments().values().stream().mapToLong(Long::longValue).sum())
          .isEqualTo(timed.at().durationNs(TimingStage.ARRIVED, TimingStage.CLIENT_DONE));
    }
    assertThat(whole.segments()).hasSize(TimingSegment.values().length);
    assertThat(direct.segments())
        .doesNotContainKey(TimingSegment.ROUTER_PICK)
        .containsEntry(TimingSegment.TO_SERVER, 4 * MS);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1_000_000_000_000L, -77_777_777_777L})
  void shouldFindTheOffsetOfAnotherHostWithinItsError(long offsetNs) {
    final TimingChain chain = new TimingChain("here", ORIGIN_NS);
    final Random random = new Random(5);

    TimedRequest timed = null;
    for (int request = 0; request < 50; request++) {
      final long outNs = random.nextLong(MS);
      final RequestTiming client = client(0);
      client.set(TimingStage.SENT, ORIGIN_NS + 2 * MS - outNs);
      timed = chain.assemble(client, ABSENT, null, server("there", offsetNs));
    }

    assertThat(timed.serverClock().offsetNs() - offsetNs)
        .isBetween(-timed.serverClock().errorNs(), timed.serverClock().errorNs());
    assertThat(timed.isInOrder()).isTrue();
    assertThat(timed.at().ns(TimingStage.SERVER_RECEIVED) - 6 * MS)
        .isBetween(-timed.clockErrorNs(), timed.clockErrorNs());
  }

  @Test
  void shouldAddTheErrorsOfClocksBehindEachOther() {
    final TimingChain chain = new TimingChain("here", ORIGIN_NS);

    final TimedRequest timed =
        chain.assemble(client(0), ORIGIN_NS + 8 * MS, router("r", 10 * MS), server("s", 30 * MS));

    assertThat(timed.serverClock().errorNs()).isEqualTo(timed.routerClock().errorNs() + 1_000);
    assertThat(timed.serverClock().offsetNs() - 30 * MS)
        .isBetween(-timed.serverClock().errorNs(), timed.serverClock().errorNs());
  }

  @Test
  void shouldSayWhichInstantIsOutOfOrder() {
    final RequestTiming at = client(0);

    at.set(TimingStage.CLIENT_FIRST, ORIGIN_NS + 30 * MS);

    assertThat(at.firstOutOfOrder(0)).isEqualTo(TimingStage.CLIENT_LAST_TOKEN);
    assertThat(client(0).firstOutOfOrder(0)).isNull();
  }

  /** Of a short answer all tokens may be there before the first is sent. */
  @Test
  void shouldLetTheSchedulerBeAheadOfTheServer() {
    final RequestTiming at =
        new RequestTiming()
            .set(TimingStage.DISPATCHED, 10)
            .set(TimingStage.QUEUED, 11)
            .set(TimingStage.DISPATCH_ENDED, 12)
            .set(TimingStage.PREFILL_DONE, 20)
            .set(TimingStage.LAST_TOKEN, 20)
            .set(TimingStage.FIRST_OUT, 25)
            .set(TimingStage.FIRST_SENT, 26)
            .set(TimingStage.CLIENT_FIRST, 27)
            .set(TimingStage.SERVER_FINISHED, 30);

    assertThat(at.firstOutOfOrder(0)).isNull();
    assertThat(at.set(TimingStage.LAST_TOKEN, 19).firstOutOfOrder(0))
        .isEqualTo(TimingStage.LAST_TOKEN);
    assertThat(at.set(TimingStage.LAST_TOKEN, 31).firstOutOfOrder(0))
        .isEqualTo(TimingStage.SERVER_FINISHED);
  }

  @Test
  void shouldBearTheErrorOfTheClocksOnlyWhereTheClockChanges() {
    final RequestTiming at = client(0);
    at.set(TimingStage.SERVER_RECEIVED, ORIGIN_NS + 2 * MS - 500);

    assertThat(at.firstOutOfOrder(499)).isEqualTo(TimingStage.SERVER_RECEIVED);
    assertThat(at.firstOutOfOrder(500)).isNull();
  }

  @Test
  void shouldReadWhatItWrites() {
    final ServerTiming server = server("s", 7);
    final RouterTiming router = router("r", 9);

    final ServerTiming readServer = TimingJson.readServer(TimingJson.write(server));
    final RouterTiming readRouter =
        TimingJson.readRouter(JsonMapper.shared().readTree(TimingJson.write(router).toString()));

    assertThat(readServer).usingRecursiveComparison().isEqualTo(server);
    assertThat(readRouter).usingRecursiveComparison().isEqualTo(router);
  }

  @Test
  void shouldRefuseATimingThatIsNone() {
    assertThatThrownBy(() -> TimingJson.readServer(JsonMapper.shared().readTree("{}")))
        .hasMessageContaining("the id of its clock");
    assertThatThrownBy(
            () ->
                TimingJson.readServer(
                    JsonMapper.shared().readTree("{\"clock\":\"c\",\"server_recv_ns\":1.5}")))
        .hasMessage("an instant must be whole nanoseconds: server_recv_ns=1.5");
  }

  /**
   * Client's instants: arrival 1 ms after the origin, the first token at 20 ms, the end at 25 ms.
   */
  private static RequestTiming client(long offsetNs) {
    return new RequestTiming()
        .set(TimingStage.INTENDED, ORIGIN_NS + offsetNs)
        .set(TimingStage.ARRIVED, ORIGIN_NS + 1 * MS + offsetNs)
        .set(TimingStage.SENT, ORIGIN_NS + 2 * MS + offsetNs)
        .set(TimingStage.CLIENT_FIRST, ORIGIN_NS + 20 * MS + offsetNs)
        .set(TimingStage.CLIENT_LAST_TOKEN, ORIGIN_NS + 24 * MS + offsetNs)
        .set(TimingStage.CLIENT_DONE, ORIGIN_NS + 25 * MS + offsetNs);
  }

  private static RouterTiming router(String clock, long offsetNs) {
    final RequestTiming at =
        new RequestTiming()
            .set(TimingStage.ROUTER_RECEIVED, ORIGIN_NS + 3 * MS + offsetNs)
            .set(TimingStage.ROUTER_PICKED, ORIGIN_NS + 4 * MS + offsetNs)
            .set(TimingStage.TO_SERVER, ORIGIN_NS + 5 * MS + offsetNs);
    return new RouterTiming(
        clock,
        at,
        ORIGIN_NS + 7 * MS + offsetNs,
        "w1",
        "http://w1:8000",
        "round-robin",
        "rr_next",
        2,
        0,
        1_234,
        3,
        3,
        4,
        100,
        64,
        new ClockOffset.Estimate(20 * MS, 1_000));
  }

  private static ServerTiming server(String clock, long offsetNs) {
    final RequestTiming at = new RequestTiming();
    long ns = ORIGIN_NS + 6 * MS + offsetNs;
    for (TimingStage stage : TimingStage.values()) {
      if (stage.actor() == TimingActor.SERVER) {
        at.set(stage, ns);
        ns += MS / 2;
      }
    }
    return new ServerTiming(clock, at, 10, 4, 3, 1, 12_345, "max_num_seqs", "length");
  }
}
