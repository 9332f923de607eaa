package dev.headway.simulation.calibrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.simulation.calibrate.Calibration.FirstTokenTerms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs whose differences are known. */
class CalibrationTest {

  private static final String HEADER =
      "request_id,arrival_s,input_tokens,output_tokens,ttft_s,e2e_s,error\n";

  @TempDir private Path folder;

  private TimedRequests read(String name, String rows) throws IOException {
    final Path file = Files.writeString(folder.resolve(name), HEADER + rows);
    return TimedRequests.read(file);
  }

  /** Requests whose first token takes constant + perToken, and whose others take tpot. */
  private String rows(double constant, double perToken, double tpot, String prefix) {
    final Random random = new Random(5);
    final StringBuilder rows = new StringBuilder();
    for (int i = 0; i < 200; i++) {
      final int input = 1 + random.nextInt(4_000);
      final int output = 2 + random.nextInt(100);
      final double ttft = constant + perToken * input;
      rows.append(
          String.format(
              Locale.ROOT,
              "%s%d,%d.5,%d,%d,%.9f,%.9f,%n",
              prefix,
              i,
              i,
              input,
              output,
              ttft,
              ttft + tpot * (output - 1)));
    }
    return rows.toString();
  }

  @Test
  void shouldSayByHowMuchAndInWhichTerm() throws IOException {
    final Calibration calibration =
        Calibration.of(
            read("measured.csv", rows(0.020, 1e-5, 0.010, "r")),
            read("simulated.csv", rows(0.015, 1.2e-5, 0.011, "r")));

    assertThat(calibration.pairs()).hasSize(200);
    assertThat(calibration.isById()).isTrue();
    assertThat(calibration.unlike()).isZero();
    assertThat(calibration.metric(LatencyMetric.TPOT).bias()).isCloseTo(0.1, within(1e-6));
    assertThat(calibration.metric(LatencyMetric.TPOT).meanError()).isCloseTo(0.1, within(1e-6));
    assertThat(calibration.metric(LatencyMetric.TTFT).pearson()).isCloseTo(1, within(1e-9));
    final FirstTokenTerms terms = calibration.firstTokenTerms();
    assertThat(terms.constantNs()).isCloseTo(-5e6, within(10.0));
    assertThat(terms.perTokenNs()).isCloseTo(2_000, within(0.1));
  }

  @Test
  void shouldMatchByOrderWhereNoIdIsInBoth() throws IOException {
    final Calibration calibration =
        Calibration.of(
            read("measured.csv", rows(0.020, 1e-5, 0.010, "a")),
            read("simulated.csv", rows(0.020, 1e-5, 0.010, "b")));

    assertThat(calibration.isById()).isFalse();
    assertThat(calibration.pairs()).hasSize(200);
    assertThat(calibration.metric(LatencyMetric.E2E).meanError()).isZero();
  }

  /** A client knows its requests by the ids of the load, and its server by those that were sent. */
  @Test
  void shouldMatchByTheIdThatWasSent() throws IOException {
    final String header = HEADER.replace("error", "error,sent_id");
    final StringBuilder told = new StringBuilder();
    final StringBuilder served = new StringBuilder("cmpl-run-warmup-0,0.1,16,1,0.1,0.1,\n");
    for (int i = 0; i < 30; i++) {
      told.append("random-%d,%d.5,16,%d,0.1,0.5,,run-%d\n".formatted(i, i, 2 + i, i));
      served.append("cmpl-run-%d,%d.6,16,%d,0.1,0.5,\n".formatted(i, i, 2 + i));
    }
    final TimedRequests client =
        TimedRequests.read(Files.writeString(folder.resolve("client.csv"), header + told));
    final TimedRequests server = read("server.csv", served.toString());

    for (Calibration calibration :
        List.of(Calibration.of(client, server), Calibration.of(server, client))) {
      assertThat(calibration.isById()).isTrue();
      assertThat(calibration.pairs()).hasSize(30);
      assertThat(calibration.unlike()).isZero();
    }
  }

  @Test
  void shouldRefuseRunsOfTwoLoads() throws IOException {
    final String warmUp = "warmup,0.1,16,1,0.1,0.1,\n";
    final TimedRequests one = read("one.csv", warmUp + rows(0.020, 1e-5, 0.010, "a"));
    final TimedRequests other = read("other.csv", warmUp + rows(0.020, 1e-5, 0.010, "b"));
    final TimedRequests shifted =
        read("shifted.csv", "x,0.1,16,1,0.1,0.1,\n" + rows(0.020, 1e-5, 0.010, "c"));

    assertThatThrownBy(() -> Calibration.of(one, other))
        .hasMessage(
            "both must be runs of one load: of 201 and 201 requests 1 are in both; simulate the load"
                + " that was measured");
    assertThatThrownBy(() -> Calibration.of(read("a.csv", rows(0.020, 1e-5, 0.010, "a")), shifted))
        .hasMessageContaining("in the order of arrival only")
        .hasMessageContaining("of 200 requests have equal lengths");
  }

  @Test
  void shouldCountWhatCannotBeCompared() throws IOException {
    final TimedRequests measured =
        read(
            "measured.csv",
            """
            a,10.0,100,5,0.1,0.5,
            b,11.0,100,5,,,timeout
            c,12.0,100,9,0.2,1.0,
            d,13.0,100,1,0.1,0.1,
            """);
    final TimedRequests simulated =
        read(
            "simulated.csv",
            """
            a,0.0,100,5,0.1,0.5,
            c,2.0,100,8,0.2,1.0,
            d,3.0,100,1,0.1,0.1,
            """);

    final Calibration calibration = Calibration.of(measured, simulated);

    assertThat(measured.failed()).isOne();
    assertThat(measured.requests().getFirst().arrivalNs()).as("the first arrives at 0").isZero();
    assertThat(calibration.pairs()).hasSize(3);
    assertThat(calibration.unlike()).isOne();
    assertThat(calibration.metric(LatencyMetric.TPOT).requests())
        .as("one token has no time per further token")
        .isEqualTo(2);
    assertThat(Calibration.durationNs(measured)).isEqualTo(3_100_000_000L);
    assertThat(Calibration.outputTokensPerSecond(measured)).isCloseTo(15 / 3.1, within(1e-9));
  }

  @Test
  void shouldFollowTheQueueOverTime() throws IOException {
    final TimedRequests run = read("run.csv", "a,0,1,1,60,60,\nb,0,1,1,30,30,\nc,100,1,1,20,20,\n");
    final double[] queue = Calibration.of(run, run).queue(run);

    assertThat(queue).hasSize(120);
    assertThat(queue[10]).isCloseTo(2, within(1e-9));
    assertThat(queue[45]).isCloseTo(1, within(1e-9));
    assertThat(queue[80]).isZero();
    assertThat(queue[110]).isCloseTo(1, within(1e-9));
  }

  @Test
  void shouldReadEveryForm() throws IOException {
    final Path perRequest = folder.resolve("csv/per_request.csv");
    Files.createDirectories(perRequest.getParent());
    Files.writeString(
        perRequest,
        """
        request_id,status,arrival_time,input_tokens,output_tokens,ttft,e2e_latency,first_token_time
        a,finished,1000,7,3,50,90,1050
        b,rejected,2000,7,0,,,
        """);
    final Path vllm =
        Files.writeString(
            folder.resolve("vllm.jsonl"),
            """
            {"request_id":"a","input_toks":7,"output_toks":3,"arrival_time":1777142838.5,\
            "queued_ts":10.0,"scheduled_ts":10.1,"first_token_ts":10.25,"last_token_ts":11.0}
            """);
    final Path blis =
        Files.writeString(
            folder.resolve("trace.csv"),
            """
            request_id,input_tokens,output_tokens,arrival_time_us,first_chunk_time_us,\
            last_chunk_time_us,status
            0,7,3,1000,1250,2000,ok
            1,7,3,1000,0,0,error
            """);

    final TimedRequest ours = TimedRequests.read(folder).requests().getFirst();
    assertThat(ours).isEqualTo(new TimedRequest("a", 0, 7, 3, 50, 90));
    assertThat(ours.tpotNs()).isEqualTo(20);
    assertThat(TimedRequests.read(vllm).requests())
        .containsExactly(new TimedRequest("a", 0, 7, 3, 250_000_000, 1_000_000_000));
    assertThat(TimedRequests.read(blis).requests())
        .containsExactly(new TimedRequest("0", 0, 7, 3, 250_000, 1_000_000));
    assertThat(TimedRequests.read(blis).failed()).isOne();
  }

  @Test
  void shouldTellMeasuredRequestsFromOtherLines() throws IOException {
    final Path measured = folder.resolve("measured.jsonl");
    final Path steps = folder.resolve("steps.jsonl");
    final Path broken = folder.resolve("broken.jsonl");
    Files.writeString(
        measured,
        "{\"request_id\":\"a\",\"input_toks\":5,\"output_toks\":2,\"arrival_time\":1.0}\n");
    Files.writeString(steps, "{\"step\":1,\"requests\":[]}\n");
    Files.writeString(broken, "{\n");

    assertThat(TimedRequests.isIn(measured)).isTrue();
    assertThat(TimedRequests.isIn(steps)).isFalse();
    assertThat(TimedRequests.isIn(broken)).isFalse();
  }

  @Test
  void shouldNameWhatIsWrong() {
    assertThatThrownBy(() -> read("a.csv", "a,0,1,1,2,1,\n"))
        .hasMessageContaining("a.csv, line 2: times must be 0 <= first token <= last token");
    assertThatThrownBy(() -> read("b.csv", "a,x,1,1,2,3,\n")).hasMessageContaining("b.csv, line 2");
    assertThatThrownBy(() -> read("c.csv", "a,0,1,1,,,late\n"))
        .hasMessageContaining("must have requests that got tokens: failed=1");
    assertThatThrownBy(
            () -> TimedRequests.read(Files.writeString(folder.resolve("d.csv"), "x,y\n1,2\n")))
        .hasMessageContaining("must have a column ttft_s");
    assertThatThrownBy(() -> TimedRequests.read(folder.resolve("none")))
        .isInstanceOf(IOException.class);
  }

  @Test
  void shouldWriteOurJsonAndThatOfBlis() throws IOException {
    final Calibration calibration =
        Calibration.of(
            read("measured.csv", rows(0.020, 1e-5, 0.010, "r")),
            read("simulated.csv", rows(0.020, 1e-5, 0.011, "r")));

    final JsonNode ours = JsonMapper.shared().readTree(CalibrationJson.of(calibration));
    assertThat(ours.path("tpot").path("bias_of_mean").doubleValue()).isCloseTo(0.1, within(1e-6));
    assertThat(ours.path("tpot").path("measured_p99_ns").doubleValue())
        .isCloseTo(1e7, within(10.0));
    final JsonNode blis = JsonMapper.shared().readTree(CalibrationJson.blis(calibration));
    assertThat(blis.path("trace_info").path("matched_pairs").intValue()).isEqualTo(200);
    final JsonNode itl = blis.path("metrics").path("itl").path("workload_level");
    assertThat(itl.path("real_mean").doubleValue()).isCloseTo(10_000, within(0.01));
    assertThat(itl.path("mean_percent_error").doubleValue()).isCloseTo(10, within(1e-4));
  }
}
