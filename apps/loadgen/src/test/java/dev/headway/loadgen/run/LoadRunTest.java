package dev.headway.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.loadgen.Sink;
import dev.headway.loadgen.arrival.RateSchedule;
import dev.headway.loadgen.client.BodyOptions;
import dev.headway.loadgen.client.Endpoint;
import dev.headway.loadgen.client.HttpOptions;
import dev.headway.loadgen.client.HttpTarget;
import dev.headway.loadgen.dataset.BenchRequest;
import dev.headway.loadgen.dataset.PromptMaker;
import dev.headway.loadgen.metrics.BenchMetrics;
import dev.headway.loadgen.metrics.Latency;
import dev.headway.loadgen.metrics.Sample;
import dev.headway.loadgen.run.RunResult.End;
import dev.headway.routing.timing.TimingStage;
import dev.headway.simulation.workload.WorkloadRequest;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoadRunTest {

  private static final int PROMPT_TOKENS = 8;
  private static final int OUTPUT_TOKENS = 4;

  private final Sink sink = new Sink();

  @AfterEach
  void closeSink() {
    sink.close();
  }

  private RunResult run(int requests, RunOptions options) throws Exception {
    return run(requests, options, Endpoint.COMPLETIONS, true);
  }

  private RunResult run(int requests, RunOptions options, Endpoint endpoint, boolean stream)
      throws Exception {
    try (HttpTarget target =
        new HttpTarget(
            new HttpOptions(sink.uri(), Map.of(), null, 30, 2),
            new BodyOptions(endpoint, "sink", stream, true, null, true, null))) {
      return new LoadRun(target, prompts(endpoint), requests(requests), options, done -> {}).run();
    }
  }

  private static PromptMaker prompts(Endpoint endpoint) {
    return new PromptMaker(
        PromptMaker.COMMON_VOCABULARY,
        1,
        endpoint == Endpoint.CHAT ? PromptMaker.Form.TEXT : PromptMaker.Form.IDS);
  }

  private static List<BenchRequest> requests(int count) {
    return IntStream.range(0, count)
        .mapToObj(
            i ->
                new BenchRequest(
                    new WorkloadRequest(
                        "r" + i, 0, PROMPT_TOKENS, OUTPUT_TOKENS, new int[0], 0, null, 0),
                    null))
        .toList();
  }

  private static RunOptions open(long... offsetsNs) {
    return RunOptions.of(new Arrivals.OpenLoop(offsetsNs), RunLimits.NONE, "t-");
  }

  private static RunOptions open(RunLimits limits, long... offsetsNs) {
    return RunOptions.of(new Arrivals.OpenLoop(offsetsNs), limits, "t-");
  }

  @Test
  void shouldMeasureEveryRequestOnce() throws Exception {
    final RunResult result = run(20, open(new long[20]));

    assertThat(result.end()).isEqualTo(End.COMPLETE);
    assertThat(result.failed()).isZero();
    assertThat(result.records())
        .extracting(RunRecord::index)
        .containsExactlyElementsOf(IntStream.range(0, 20).boxed().toList());
    assertThat(result.samples())
        .hasSize(20)
        .allSatisfy(
            sample -> {
              assertThat(sample.promptTokens()).isEqualTo(7);
              assertThat(sample.outputTokens()).isEqualTo(OUTPUT_TOKENS);
              assertThat(sample.itl()).hasSize(OUTPUT_TOKENS - 1);
              assertThat(sample.ttft()).isPositive().isLessThanOrEqualTo(sample.latency());
            });
    assertThat(sink.ids)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 20).mapToObj(i -> "t-" + i).toList());
    assertThat(sink.bodies)
        .allSatisfy(
            body -> {
              assertThat(body.path("prompt").size()).isEqualTo(PROMPT_TOKENS);
              assertThat(body.path("max_tokens").asInt()).isEqualTo(OUTPUT_TOKENS);
              assertThat(body.path("ignore_eos").asBoolean()).isTrue();
              assertThat(body.path("return_timing").asBoolean()).isTrue();
              assertThat(body.path("stream_options").path("include_usage").asBoolean()).isTrue();
            });
  }

  /** A generator that waited for answers would take 100 seconds. */
  @Test
  void shouldSendAtItsRateThoughEachAnswerTakesASecond() throws Exception {
    final int requests = 100;
    final double rate = 50;
    final RateSchedule schedule = new RateSchedule(rate, null, 1, false, 7);
    sink.behaviour.delayMs = 1_000;

    final RunResult result = run(requests, open(schedule.offsetsNs(requests)));

    final double lastSeconds =
        result.records().getLast().exchange().at().ns(TimingStage.ARRIVED) / 1e9
            - result.originNs() / 1e9;
    final double sigma = Math.sqrt(requests) / rate;
    assertThat(result.failed()).isZero();
    assertThat(lastSeconds).as("seed 7").isBetween(2 - 4 * sigma, 2 + 4 * sigma);
    assertThat(sink.mostUnderWay.get()).as("all within a second are under way").isGreaterThan(25);
  }

  /** Arrivals every 0.1 s, one place, 0.5 s each: request i waits 0.4 i seconds. */
  @Test
  void shouldCountTheWaitForAPlaceApart() throws Exception {
    sink.behaviour.delayMs = 50;
    final long[] offsetsNs = IntStream.rangeClosed(1, 8).mapToLong(i -> i * 10_000_000L).toArray();

    final RunResult result =
        run(8, open(new RunLimits(1, 0, Double.POSITIVE_INFINITY, 100, false), offsetsNs));

    final List<Sample> samples = result.samples();
    assertThat(sink.mostUnderWay.get()).isEqualTo(1);
    for (int i = 0; i < samples.size(); i++) {
      assertThat(samples.get(i).queue()).as("request %d", i).isGreaterThanOrEqualTo(0.0399 * i);
    }
    final BenchMetrics metrics = BenchMetrics.of(samples, 0, result.durationSeconds(), List.of());
    assertThat(metrics.of(Latency.CLIENT_QUEUE_TIME).mean()).isGreaterThanOrEqualTo(0.139);
    assertThat(metrics.peakConcurrency()).isEqualTo(1);
  }

  @Test
  void shouldKeepPlacesThatComeFreeTogetherApartAtAStrictRate() throws Exception {
    sink.behaviour.delayMs = 100;

    run(8, open(new RunLimits(4, 50, Double.POSITIVE_INFINITY, 100, false), new long[8]));

    assertThat(sink.mostUnderWay.get()).isLessThanOrEqualTo(4);
    assertThat(sink.bodies).hasSize(8);
  }

  @Test
  void shouldSendTheNextWhenTheLastHasEndedInAClosedLoop() throws Exception {
    sink.behaviour.delayMs = 10;

    final RunResult result =
        run(12, RunOptions.of(new Arrivals.ClosedLoop(3, 0.005), RunLimits.NONE, "t-"));

    assertThat(result.samples()).hasSize(12);
    assertThat(sink.mostUnderWay.get()).isEqualTo(3);
    assertThat(result.plannedRate()).isNaN();
  }

  @Test
  void shouldWarmUpBesideTheMeasurement() throws Exception {
    final RunResult result =
        run(
            3,
            new RunOptions(
                new Arrivals.OpenLoop(new long[3]), RunLimits.NONE, 2, true, 0, true, "t-"));

    assertThat(result.records()).hasSize(5);
    assertThat(result.measured()).hasSize(3);
    assertThat(result.records()).filteredOn(RunRecord::warmup).hasSize(2);
    assertThat(sink.routes).contains("/reset_prefix_cache");
    assertThat(result.measured())
        .allSatisfy(r -> assertThat(r.exchange().text()).isEqualTo("wort wort wort wort "));
  }

  @Test
  void shouldSayByHowMuchTheServersCountersGrew() throws Exception {
    final RunResult result =
        run(
            3,
            new RunOptions(
                new Arrivals.OpenLoop(new long[3]), RunLimits.NONE, 2, false, 0, false, "t-"));

    assertThat(result.counters())
        .as("the warm-up is not among")
        .isEqualTo(Map.of("answered_total", 3.0));
  }

  /** A server may close a kept connection at any time; that is no failure of the request. */
  @Test
  void shouldSendAgainWhereAKeptConnectionWasClosed() throws Exception {
    sink.behaviour.closesKeptConnections = true;

    final RunResult result =
        run(6, RunOptions.of(new Arrivals.ClosedLoop(1, 0.03), RunLimits.NONE, "t-"));

    assertThat(result.failed()).isZero();
    assertThat(sink.connections.get()).isGreaterThan(2);
  }

  @Test
  void shouldRehearseWithoutTheServer() throws Exception {
    Rehearsal.run(
        new BodyOptions(Endpoint.CHAT, "sink", true, true, null, true, null),
        prompts(Endpoint.CHAT));

    assertThat(sink.routes).isEmpty();
  }

  @Test
  void shouldGiveUpIfTheWholeWarmUpFails() {
    sink.behaviour.status = 503;

    assertThatThrownBy(
            () ->
                run(
                    3,
                    new RunOptions(
                        new Arrivals.OpenLoop(new long[3]),
                        RunLimits.NONE,
                        2,
                        false,
                        0,
                        false,
                        "t-")))
        .isInstanceOf(IOException.class)
        .hasMessage("every warm-up request failed: HTTP 503: the sink refuses");
  }

  @Test
  void shouldReportWhyRequestsFailed() throws Exception {
    sink.behaviour.status = 429;

    final RunResult result = run(4, open(new long[4]));

    assertThat(result.failed()).isEqualTo(4);
    assertThat(result.samples()).isEmpty();
    assertThat(result.records())
        .allSatisfy(r -> assertThat(r.exchange().error()).isEqualTo("HTTP 429: the sink refuses"));
  }

  @Test
  void shouldFailARequestWhoseAnswerBreaksOff() throws Exception {
    sink.behaviour.breaksOff = true;

    final RunResult result = run(3, open(new long[3]));

    assertThat(result.records())
        .allSatisfy(
            r ->
                assertThat(r.exchange().error())
                    .isEqualTo("the server closed the connection before the end of the answer"));
  }

  @Test
  void shouldEndAfterTooManyErrors() throws Exception {
    sink.behaviour.status = 500;
    final long[] offsetsNs = IntStream.range(0, 200).mapToLong(i -> i * 10_000_000L).toArray();

    final RunResult result =
        run(200, open(new RunLimits(0, 0, Double.POSITIVE_INFINITY, 3, false), offsetsNs));

    assertThat(result.end()).isEqualTo(End.MAX_ERRORS);
    assertThat(result.records().size()).isLessThan(100);
  }

  @Test
  void shouldEndWhatIsUnderWayWhenItsTimeIsUp() throws Exception {
    sink.behaviour.delayMs = 60_000;

    final RunResult result = run(6, open(new RunLimits(4, 0, 0.2, 100, false), new long[6]));

    assertThat(result.end()).isEqualTo(End.MAX_SECONDS);
    assertThat(result.aborted()).isEqualTo(6);
    assertThat(result.failed()).isZero();
  }

  @Test
  void shouldUseConnectionsAgain() throws Exception {
    run(40, RunOptions.of(new Arrivals.ClosedLoop(1, 0), RunLimits.NONE, "t-"));

    assertThat(sink.connections.get())
        .isLessThanOrEqualTo(3); // one for each thread, one for /metrics
  }

  @Test
  void shouldConnectAnewWhereTheServerClosesEachConnection() throws Exception {
    sink.behaviour.closesAfterEachAnswer = true;

    final RunResult result =
        run(40, RunOptions.of(new Arrivals.ClosedLoop(2, 0), RunLimits.NONE, "t-"));

    assertThat(result.failed()).isZero();
    assertThat(sink.connections.get()).isGreaterThanOrEqualTo(40);
  }

  @Test
  void shouldTakeAnswersThatComeWhole() throws Exception {
    final RunResult result = run(3, open(new long[3]), Endpoint.CHAT, false);

    assertThat(result.samples())
        .hasSize(3)
        .allSatisfy(
            sample -> {
              assertThat(sample.ttft()).isNaN();
              assertThat(sample.outputTokens()).isEqualTo(2);
              assertThat(sample.latency()).isPositive();
            });
    assertThat(sink.bodies)
        .allSatisfy(
            body -> {
              assertThat(body.path("messages").path(0).path("role").asString("")).isEqualTo("user");
              assertThat(body.has("stream_options")).isFalse();
            });
  }

  /** A chat opens with a role and nothing else; that is no token. */
  @Test
  void shouldNotCountTheOpeningOfAChat() throws Exception {
    final RunResult result = run(3, open(new long[3]), Endpoint.CHAT, true);

    assertThat(result.samples())
        .allSatisfy(sample -> assertThat(sample.itl()).hasSize(OUTPUT_TOKENS - 1));
  }

  @Test
  void shouldProbeBesideTheLoad() throws Exception {
    sink.behaviour.delayMs = 300;

    final RunResult result =
        run(
            2,
            new RunOptions(
                new Arrivals.OpenLoop(new long[2]),
                new RunLimits(1, 0, Double.POSITIVE_INFINITY, 100, false),
                0,
                false,
                20,
                false,
                "t-"));

    assertThat(result.probeSamples().size()).isGreaterThanOrEqualTo(5);
    assertThat(result.samples()).hasSize(2);
  }
}
