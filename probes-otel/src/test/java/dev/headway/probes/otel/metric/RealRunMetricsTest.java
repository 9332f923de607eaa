package dev.headway.probes.otel.metric;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.events.live.RecordConsumer;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.JournalLevel;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.PreemptedRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.probes.otel.fixture.PrometheusText;
import dev.headway.probes.otel.fixture.RecordedRun;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A scrape after a real run, against what the same records say when they are added up by hand. */
class RealRunMetricsTest {

  @TempDir private static Path temporary;
  private static PrometheusText scrape;
  private static Tally tally;

  @BeforeAll
  static void record() throws IOException {
    final Path journal = RecordedRun.record(temporary.resolve("journal"), JournalLevel.FULL);
    final Metrics metrics = new Metrics(MetricsOptions.defaults());
    tally = new Tally();
    RecordedRun.read(journal, metrics);
    RecordedRun.read(journal, tally);
    scrape = PrometheusText.parse(metrics.text());
  }

  @Test
  void shouldCountEveryEnd() {
    assertThat(scrape.sum("vllm:request_success_total")).isEqualTo(tally.finished.size());
    assertThat(scrape.sum("vllm:request_success_total", "finished_reason", "length"))
        .isEqualTo(RecordedRun.REQUESTS);
    assertThat(scrape.sum("vllm:request_success_total", "finished_reason", "abort")).isEqualTo(4);
    assertThat(scrape.sum("vllm:request_success_total", "finished_reason", "error")).isZero();
    assertThat(scrape.sum("headway_finished_requests_total", "reason", "deadline")).isEqualTo(1);
    assertThat(scrape.sum("headway_finished_requests_total", "reason", "shutdown")).isEqualTo(1);
    assertThat(scrape.sum("headway_rejections_total", "reason", "context_length_limit"))
        .isEqualTo(1);
  }

  @Test
  void shouldCountTokens() {
    assertThat(scrape.sum("vllm:generation_tokens_total")).isEqualTo(tally.produced);
    assertThat(scrape.sum("vllm:prompt_tokens_total")).isEqualTo(tally.promptTokens);
    assertThat(scrape.sum("vllm:prompt_tokens_by_source_total")).isEqualTo(tally.promptTokens);
    assertThat(scrape.sum("vllm:prefix_cache_hits_total")).isEqualTo(tally.hits).isPositive();
    assertThat(scrape.sum("vllm:prefix_cache_queries_total")).isEqualTo(tally.queries);
    assertThat(scrape.sum("vllm:iteration_tokens_total_sum")).isEqualTo(tally.scheduledTokens);
    assertThat(scrape.sum("vllm:iteration_tokens_total_count")).isEqualTo(tally.executedSteps);
  }

  @Test
  void shouldCountPreemptionsThatTheForkForgets() {
    assertThat(tally.preemptions).isPositive();
    assertThat(scrape.sum("vllm:num_preemptions_total")).isEqualTo(tally.preemptions);
    assertThat(scrape.sum("headway_preemptions_total", "cause", "kv_blocks"))
        .isEqualTo(tally.preemptions);
    assertThat(scrape.sum("headway_preemption_lost_tokens_total")).isEqualTo(tally.lostTokens);
    assertThat(scrape.sum("vllm:request_num_preemptions_sum")).isEqualTo(tally.preemptions);
    assertThat(scrape.sum("headway_recomputed_tokens_total"))
        .isEqualTo(tally.recomputed)
        .isPositive();
  }

  @Test
  void shouldBookEveryNanosecondOfAWaitToAReason() {
    assertThat(tally.waitedNs).isPositive();
    assertThat(scrape.sum("headway_waiting_seconds_total"))
        .isCloseTo(tally.waitedNs / 1e9, within(1e-6));
    assertThat(scrape.named("headway_waiting_seconds_total")).hasSizeGreaterThan(3);
    assertThat(scrape.sum("headway_waiting_requests")).isZero();
    assertThat(scrape.sum("headway_queue_time_seconds_count")).isEqualTo(tally.admissions);
  }

  @Test
  void shouldObserveEachRequestOnce() {
    final double ended = tally.finished.size();
    final double withToken = tally.firstTokens.size();

    assertThat(count("vllm:e2e_request_latency_seconds")).isEqualTo(ended);
    assertThat(count("vllm:request_prompt_tokens")).isEqualTo(ended);
    assertThat(count("vllm:request_generation_tokens")).isEqualTo(ended);
    assertThat(count("vllm:request_params_max_tokens")).isEqualTo(ended);
    assertThat(count("vllm:time_to_first_token_seconds")).isEqualTo(withToken);
    assertThat(count("vllm:request_prefill_time_seconds")).isEqualTo(withToken);
    assertThat(count("vllm:request_decode_time_seconds")).isEqualTo(withToken);
    assertThat(count("vllm:request_queue_time_seconds")).isEqualTo(tally.admitted.size());
    assertThat(scrape.sum("vllm:request_generation_tokens_sum")).isEqualTo(tally.produced);
  }

  @Test
  void shouldObserveTheTimesOfTheRecords() {
    assertThat(scrape.sum("vllm:time_to_first_token_seconds_sum"))
        .isCloseTo(tally.ttftNs / 1e9, within(1e-6));
    assertThat(scrape.sum("vllm:e2e_request_latency_seconds_sum"))
        .isCloseTo(tally.e2eNs / 1e9, within(1e-6));
    assertThat(scrape.sum("vllm:request_inference_time_seconds_sum"))
        .isCloseTo(
            scrape.sum("vllm:request_prefill_time_seconds_sum")
                + scrape.sum("vllm:request_decode_time_seconds_sum"),
            within(1e-6));
  }

  @Test
  void shouldObserveEveryIntervalBetweenTokens() {
    assertThat(count("vllm:inter_token_latency_seconds"))
        .as("one token a step: all but the first of each request")
        .isEqualTo(tally.produced - tally.firstTokens.size());
    assertThat(scrape.sum("vllm:inter_token_latency_seconds_sum"))
        .isCloseTo(scrape.sum("vllm:request_decode_time_seconds_sum"), within(1e-6));
  }

  @Test
  void shouldEndIdle() {
    assertThat(scrape.sum("vllm:num_requests_running")).isZero();
    assertThat(scrape.sum("vllm:num_requests_waiting")).isZero();
    assertThat(scrape.sum("vllm:kv_cache_usage_perc")).isZero();
    assertThat(scrape.sum("headway_kv_blocks", "state", "free")).isEqualTo(27);
    assertThat(scrape.sum("headway_kv_blocks", "state", "used")).isZero();
    assertThat(scrape.sum("headway_unknown_request_records_total")).isZero();
  }

  @Test
  void shouldSplitTheTimeOfSteps() {
    for (String phase : List.of("schedule", "forward", "update")) {
      assertThat(scrape.sum("headway_step_phase_seconds_count", "phase", phase))
          .as(phase)
          .isEqualTo(phase.equals("forward") ? tally.executedSteps : tally.steps);
    }
    assertThat(scrape.sum("headway_step_phase_seconds_sum", "phase", "forward"))
        .isCloseTo(tally.forwardNs / 1e9, within(1e-6));
  }

  @Test
  void shouldTellTargetsMetAndMissed() {
    assertThat(scrape.sum("headway_ttft_targets_total")).isEqualTo(2);
    assertThat(scrape.sum("headway_ttft_targets_total", "state", "missed")).isEqualTo(1);
  }

  @Test
  void shouldLabelEverySeriesWithModelAndEngine() {
    assertThat(scrape.samples())
        .filteredOn(sample -> !sample.name().startsWith("gen_ai_"))
        .allSatisfy(
            sample ->
                assertThat(sample.labels())
                    .containsEntry("model_name", "toy")
                    .containsEntry("engine", "0"));
  }

  @ParameterizedTest
  @MethodSource("queries")
  void shouldAnswerWhatVllmDashboardsAsk(String query) {
    final String[] words = query.split(" ");
    final List<PrometheusText.Sample> found = scrape.named(words[0]);

    assertThat(found).as(query).isNotEmpty();
    for (int i = 1; i < words.length; i++) {
      final String[] pair = words[i].split("=");
      assertThat(found)
          .as(query)
          .anySatisfy(
              sample -> {
                assertThat(sample.labels()).containsKey(pair[0]);
                if (pair.length == 2) {
                  assertThat(sample.labels()).containsEntry(pair[0], pair[1]);
                }
              });
    }
  }

  static List<String> queries() throws IOException {
    try (var in =
        Objects.requireNonNull(
            RealRunMetricsTest.class.getResourceAsStream("vllm-dashboard-series.txt"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .toList();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          gen_ai_server_time_to_first_token_seconds   | .001 .005 .01 .02 .04 .06 .08 .1 .25 .5 .75 1 2.5 5 7.5 10
          gen_ai_server_time_per_output_token_seconds | .01 .025 .05 .075 .1 .15 .2 .3 .4 .5 .75 1 2.5
          gen_ai_server_request_duration_seconds      | .01 .02 .04 .08 .16 .32 .64 1.28 2.56 5.12 10.24 20.48 40.96 81.92
          vllm:time_to_first_token_seconds            | .001 .005 .01 .02 .04 .06 .08 .1 .25 .5 .75 1 2.5 5 7.5 10 20 40 80 160 640 2560
          vllm:inter_token_latency_seconds            | .01 .025 .05 .075 .1 .15 .2 .3 .4 .5 .75 1 2.5 5 7.5 10 20 40 80
          vllm:request_time_per_output_token_seconds  | .01 .025 .05 .075 .1 .15 .2 .3 .4 .5 .75 1 2.5 5 7.5 10 20 40 80
          vllm:e2e_request_latency_seconds            | .3 .5 .8 1 1.5 2 2.5 5 10 15 20 30 40 50 60 120 240 480 960 1920 7680
          vllm:request_queue_time_seconds             | .3 .5 .8 1 1.5 2 2.5 5 10 15 20 30 40 50 60 120 240 480 960 1920 7680
          vllm:iteration_tokens_total                 | 1 8 16 32 64 128 256 512 1024 2048 4096 8192 16384
          vllm:request_prompt_tokens                  | 1 2 5 10 20 50 100 200 500
          vllm:request_params_n                       | 1 2 5 10 20
          """)
  void shouldHaveTheBucketsThatOthersExpect(String name, String bounds) {
    final List<Double> expected =
        new java.util.ArrayList<>(
            List.of(bounds.strip().split(" ")).stream().map(Double::valueOf).toList());
    expected.add(Double.POSITIVE_INFINITY);

    assertThat(scrape.bounds(name)).isEqualTo(expected);
  }

  @Test
  void shouldLabelGenAiMetricsAsTheConventionSays() {
    assertThat(scrape.named("gen_ai_server_request_duration_seconds_count"))
        .allSatisfy(
            sample ->
                assertThat(sample.labels())
                    .containsEntry("gen_ai_operation_name", "text_completion")
                    .containsEntry("gen_ai_provider_name", "headway")
                    .containsEntry("gen_ai_request_model", "toy"));
    assertThat(scrape.sum("gen_ai_server_request_duration_seconds_count", "error_type", ""))
        .isEqualTo(RecordedRun.REQUESTS);
    assertThat(scrape.sum("gen_ai_server_request_duration_seconds_count", "error_type", "abort"))
        .isEqualTo(2);
    assertThat(count("gen_ai_server_time_to_first_token_seconds"))
        .as("successful responses only")
        .isEqualTo(RecordedRun.REQUESTS);
  }

  private static double count(String histogram) {
    return scrape.sum(histogram + "_count");
  }

  /** The same figures, the slow and simple way: each request on its own. */
  private static final class Tally implements RecordConsumer {
    private final Map<Long, QueuedRecord> queued = new HashMap<>();
    private final Map<Long, Long> waitingSince = new HashMap<>();
    private final Map<Long, Integer> highWater = new HashMap<>();
    private final Map<Long, Integer> admitted = new HashMap<>();
    private final Map<Long, Long> firstTokens = new HashMap<>();
    private final Map<Long, FinishedRecord> finished = new HashMap<>();
    private final Map<Long, String> decided = new HashMap<>();
    private long produced;
    private long promptTokens;
    private long hits;
    private long queries;
    private long scheduledTokens;
    private long steps;
    private long executedSteps;
    private long preemptions;
    private long lostTokens;
    private long recomputed;
    private long waitedNs;
    private long admissions;
    private long ttftNs;
    private long e2eNs;
    private long forwardNs;
    private long plannedTokens;

    @Override
    public void onQueued(QueuedRecord request) {
      queued.put(request.requestNumber(), request);
      waitingSince.put(request.requestNumber(), request.queuedNs());
    }

    @Override
    public void onAdmitted(AdmittedRecord request) {
      decided.put(request.requestNumber(), "admitted");
      admissions++;
      if (request.kind().equals("new")) {
        admitted.put(request.requestNumber(), request.cachedTokens());
        hits += request.cachedTokens();
        queries += queued.get(request.requestNumber()).promptTokens();
      }
    }

    @Override
    public void onPreempted(PreemptedRecord record) {
      decided.put(record.requestNumber(), "preempted");
      preemptions++;
      lostTokens += record.lostTokens();
    }

    @Override
    public void onPlanned(PlannedStep step) {
      decided.forEach(
          (number, what) -> {
            if (what.equals("admitted")) {
              waitedNs += step.endNs() - waitingSince.remove(number);
            } else {
              waitingSince.put(number, step.endNs());
            }
          });
      decided.clear();
      plannedTokens = step.totalTokens();
      for (int entry = 0; entry < step.batchSize(); entry++) {
        final int from = step.computedTokens(entry);
        final int end = from + step.scheduledTokens(entry);
        final int before = highWater.getOrDefault(step.number(entry), 0);
        recomputed += Math.max(0, Math.min(end, before) - from);
        highWater.merge(step.number(entry), end, Math::max);
      }
    }

    @Override
    public void onFirstToken(FirstTokenRecord firstToken) {
      firstTokens.put(firstToken.requestNumber(), firstToken.atNs());
      promptTokens += queued.get(firstToken.requestNumber()).promptTokens();
      ttftNs += firstToken.atNs() - queued.get(firstToken.requestNumber()).arrivalNs();
    }

    @Override
    public void onFinished(FinishedRecord request) {
      finished.put(request.requestNumber(), request);
      e2eNs += request.atNs() - queued.get(request.requestNumber()).arrivalNs();
      final Long since = waitingSince.remove(request.requestNumber());
      waitedNs += since == null ? 0 : request.atNs() - since;
    }

    @Override
    public void onStepCompleted(CompletedStep step) {
      steps++;
      produced += step.producedTotal();
      if (step.wasExecuted()) {
        executedSteps++;
        scheduledTokens += plannedTokens;
        forwardNs +=
            step.forwardNs() == ABSENT ? step.outputNs() - step.submitNs() : step.forwardNs();
      }
    }

    @Override
    public void close() {}
  }
}
