package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.probes.chronicle.JournalSource;
import dev.headway.report.html.JournalReport;
import dev.headway.report.html.figures.FiguresGatherer;
import dev.headway.report.html.figures.ReportFigures;
import dev.headway.report.html.figures.Slo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A small load under several policies, to the table and the files. */
class CompareCommandTest {

  private static final int REQUESTS = 400;
  private static final String OVERLOAD = "short-long(requests=" + REQUESTS + ",rate=40,seed=3)";

  @TempDir private Path dir;

  private CliRun compare(String load, Path out, Object... more) {
    return CliRun.of(
        Stream.concat(
                Stream.of("compare", load, "--out", out, "--resamples", 50, "--short-prompt", 2000),
                Stream.of(more))
            .toArray());
  }

  private static Map<String, Map<String, String>> metrics(Path out, String policy) {
    return CsvRows.of(out.resolve("policies.csv")).rows().stream()
        .filter(row -> row.get("policy").equals(policy))
        .collect(Collectors.toMap(row -> row.get("metric"), row -> row));
  }

  private static double value(Path out, String policy, String metric) {
    final Map<String, String> row = metrics(out, policy).get(metric);
    assertThat(row).as("%s of %s", metric, policy).isNotNull();
    return Double.parseDouble(row.get("value"));
  }

  @Test
  void shouldServeShortPromptsEarlierByShortestPrefill() {
    final Path out = dir.resolve("out");
    final CliRun run = compare(OVERLOAD, out, "--policy", "fcfs", "--policy", "shortest-prefill");

    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    assertThat(value(out, "shortest-prefill", "ttft_short_p50"))
        .isLessThan(0.5 * value(out, "fcfs", "ttft_short_p50"));
    assertThat(value(out, "shortest-prefill", "ttft_long_p99"))
        .isGreaterThan(value(out, "fcfs", "ttft_short_p99"));
    final Map<String, String> median = metrics(out, "fcfs").get("ttft_short_p50");
    assertThat(Double.parseDouble(median.get("low")))
        .isLessThan(Double.parseDouble(median.get("value")));
    assertThat(Double.parseDouble(median.get("high")))
        .isGreaterThan(Double.parseDouble(median.get("value")));
    assertThat(run.out()).contains("shortest-prefill", "goodput", OVERLOAD);
    assertThat(run.out().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThan(121));
  }

  @Test
  void shouldPreemptNobodyWhenBlocksAreReserved() {
    final Path out = dir.resolve("out");
    compare(
        "long-outputs(requests=60,rate=20)",
        out,
        "--num-blocks",
        700,
        "--policy",
        "fcfs",
        "--policy",
        "no-evict",
        "--policy",
        "engine(num-blocks=20000)");

    assertThat(value(out, "fcfs", "preemptions")).isPositive();
    assertThat(value(out, "fcfs", "recomputed_tokens")).isPositive();
    assertThat(value(out, "fcfs", "lost_tokens"))
        .isGreaterThanOrEqualTo(value(out, "fcfs", "recomputed_tokens"));
    assertThat(value(out, "no-evict", "preemptions")).isZero();
    assertThat(value(out, "no-evict", "recompute_tax")).isZero();
    assertThat(value(out, "engine(num-blocks=20000)", "preemptions")).isZero();
    for (String policy : List.of("fcfs", "no-evict", "engine(num-blocks=20000)")) {
      assertThat(value(out, policy, "finished")).isEqualTo(60);
    }
  }

  @Test
  void shouldGoOnWhenTheFirstRunningRequestIsItsOwnVictim() {
    final Path out = dir.resolve("out");
    final CliRun run =
        compare(
            "long-outputs(requests=200,rate=20,seed=2)",
            out,
            "--num-blocks",
            700,
            "--policy",
            "most-kv",
            "--policy",
            "least-computed",
            "--policy",
            "cost-aware");

    assertThat(run.err()).isEmpty();
    assertThat(value(out, "most-kv", "self_preemptions")).isPositive();
    assertThat(value(out, "most-kv", "finished")).isEqualTo(200);
    assertThat(value(out, "cost-aware", "finished")).isEqualTo(200);
  }

  @Test
  void shouldShareTheEngineBetweenTenants() {
    final Path out = dir.resolve("out");
    compare(
        "bursty-tenants(requests=1500,rate=30,seed=1)",
        out,
        "--max-num-seqs",
        32,
        "--fairness-window",
        2,
        "--policy",
        "fcfs",
        "--policy",
        "vtc");

    assertThat(value(out, "vtc", "jain")).isGreaterThan(value(out, "fcfs", "jain") + 0.1);
    assertThat(value(out, "vtc", "jain")).isLessThanOrEqualTo(1);
  }

  @Test
  void shouldSayThatHardlyAnyRequestWaited() {
    final Path out = dir.resolve("out");

    final CliRun idle =
        compare("chatbot(requests=100,rate=1)", out, "--policy", "fcfs", "--policy", "hrrn");

    assertThat(value(out, "fcfs", "waited_share")).isZero();
    assertThat(idle.out())
        .contains(
            "Hardly any request waited (0.0 %), and what does not wait is in no order: raise the"
                + " rate",
            "(--rate-scale) or lower --max-num-seqs",
            "fairness is between tenants, and the load has none: --tenants N draws some");
  }

  @Test
  void shouldShowTheFirstTokensOfEachTenant() {
    final Path out = dir.resolve("out");

    final CliRun run =
        compare(
            OVERLOAD,
            out,
            "--max-num-seqs",
            8,
            "--tenants",
            8,
            "--policy",
            "fcfs",
            "--policy",
            "vtc");

    assertThat(value(out, "fcfs", "waited_share")).isGreaterThan(0.5);
    assertThat(run.out())
        .doesNotContain("Hardly any")
        .contains("TTFT by tenant, p50 / p99, s; the 6 of 8 with most requests");
    assertThat(run.out().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThan(121));
  }

  @Test
  void shouldObeyPrioritiesOfTheTrace() {
    final Path out = dir.resolve("out");
    compare(
        "priorities(requests=400,rate=40)",
        out,
        "--policy",
        "fcfs",
        "--policy",
        "priority",
        "--policy",
        "priority+engine(displacement=true,max-num-seqs=16)",
        "--policy",
        "priority+engine(max-num-seqs=16)");

    assertThat(value(out, "priority", "ttft_short_p50"))
        .isLessThan(0.5 * value(out, "fcfs", "ttft_short_p50"));
    assertThat(value(out, "priority+engine(displacement=true,max-num-seqs=16)", "preemptions"))
        .isGreaterThan(value(out, "priority+engine(max-num-seqs=16)", "preemptions"));
  }

  @Test
  void shouldWriteTheSameBytesTwice() throws IOException {
    final Object[] policies = {"--policy", "hrrn", "--policy", "vtc", "--tenants", 3};
    compare(OVERLOAD, dir.resolve("one"), policies);
    compare(OVERLOAD, dir.resolve("two"), policies);

    for (String file : List.of("policies.csv", "requests.csv")) {
      assertThat(dir.resolve("two").resolve(file))
          .hasSameBinaryContentAs(dir.resolve("one").resolve(file));
    }
  }

  @Test
  void shouldWriteARowForEveryRequestAndAnswerInJsonToo() throws IOException {
    final Path out = dir.resolve("out");
    compare(OVERLOAD, out, "--policy", "earliest-deadline", "--slo-ttft", 1500, "--tenants", 3);

    final List<Map<String, String>> rows = CsvRows.of(out.resolve("requests.csv")).rows();
    assertThat(rows).hasSize(REQUESTS);
    final long late =
        rows.stream().filter(r -> r.get("outcome").equals("rejected_by_policy")).count();
    assertThat(late).isPositive();
    assertThat(rows).allMatch(row -> row.get("tenant").startsWith("tenant-"));
    assertThat(rows.stream().filter(row -> row.get("meets_slo").equals("true")))
        .allMatch(row -> Long.parseLong(row.get("ttft_ns")) <= 1_500_000_000L);
    final JsonNode json = new JsonMapper().readTree(Files.readString(out.resolve("compare.json")));
    final JsonNode run = json.get("runs").get(0);
    assertThat(run.get("outcomes").get("rejected_by_policy").asLong()).isEqualTo(late);
    assertThat(run.get("metrics").get("not_finished").get("value").asLong()).isEqualTo(late);
    assertThat(json.get("machine").get("earliest-deadline").get("policy_ns").asLong()).isPositive();
  }

  @Test
  void shouldMeasureWhatReplayMeasures() throws IOException {
    final Path trace = dir.resolve("trace.csv");
    final StringBuilder rows =
        new StringBuilder("request_id,arrival_ns,input_tokens,output_tokens\n");
    for (int i = 0; i < 120; i++) {
      rows.append("r-%d,%d,%d,%d%n".formatted(i, i * 20_000_000L, 100 + 7 * (i % 60), 1 + i % 40));
    }
    Files.writeString(trace, rows);
    final Object[] engine = {
      "--num-blocks",
      64,
      "--max-num-seqs",
      4,
      "--max-num-batched-tokens",
      256,
      "--policy",
      "hrrn+fewest-outputs",
      "--async-scheduling",
      "--speculative-method",
      "ngram",
      "--num-speculative-tokens",
      2
    };
    final Path out = dir.resolve("compared");
    assertThat(compare(trace.toString(), out, engine).err()).isEmpty();
    final CliRun replay =
        CliRun.of(
            Stream.concat(
                    Stream.of(
                        "replay", trace, "--journal-level", "off", "--out", dir.resolve("replay")),
                    Stream.of(engine))
                .toArray());

    assertThat(replay.err()).isEmpty();
    final JsonNode run =
        new JsonMapper().readTree(Files.readString(dir.resolve("replay/summary.json"))).get("run");
    final String policy = "hrrn+fewest-outputs";
    assertThat(value(out, policy, "preemptions")).isEqualTo(run.get("preemptions").asDouble());
    assertThat(value(out, policy, "recomputed_tokens"))
        .isEqualTo(run.get("recomputed_tokens").asDouble());
    assertThat(value(out, policy, "makespan")).isEqualTo(run.get("duration_ns").asDouble());
    assertThat(run.get("busy_ns").asLong()).isLessThanOrEqualTo(run.get("duration_ns").asLong());
    assertThat(value(out, policy, "steps")).isEqualTo(run.get("steps").asDouble());
  }

  /**
   * One convention, {@code Quantile}: simulate, the journal's report, compare and a fleet of one.
   */
  @Test
  void shouldTakeThePercentilesThatOtherCommandsTake() throws IOException {
    final Path simulated = dir.resolve("simulated");
    final Path compared = dir.resolve("compared");
    final Path fleet = dir.resolve("fleet");
    final String load = "chatbot(rate=40,requests=80,prefix-groups=4,prefix-tokens=500)";

    CliRun.of("simulate", load, "--journal-level", "full", "-o", simulated);
    compare(load, compared, "--policy", "fcfs");
    CliRun.of("route-study", load, "--router", "random", "--instances", 1, "-o", fleet);

    final JsonNode run =
        new JsonMapper().readTree(Files.readString(simulated.resolve("summary.json"))).get("run");
    final ReportFigures report;
    try (JournalSource journal = JournalSource.open(simulated.resolve("journal"))) {
      report =
          JournalReport.read(journal, "journal", FiguresGatherer.LATEST, Slo.NONE, (a, b, c) -> {})
              .figures();
    }
    for (int percent : new int[] {50, 99}) {
      final double ttftNs = value(compared, "fcfs", "ttft_p" + percent);
      final double endToEndNs = value(compared, "fcfs", "e2e_p" + percent);
      assertThat(study(fleet, "ttft_p" + percent)).isEqualTo(ttftNs);
      assertThat(study(fleet, "e2e_p" + percent)).isEqualTo(endToEndNs);
      assertThat(report.latencies().all().ttft().quantile(percent / 100.0)).isEqualTo(ttftNs);
      assertThat(report.latencies().all().endToEnd().quantile(percent / 100.0))
          .isEqualTo(endToEndNs);
      assertThat(run.at("/ttft/p" + percent + "_ns").asLong()).isEqualTo(Math.round(ttftNs));
      assertThat(run.at("/e2e_latency/p" + percent + "_ns").asLong())
          .isEqualTo(Math.round(endToEndNs));
    }
  }

  private static double study(Path out, String metric) {
    return CsvRows.of(out.resolve("study.csv")).rows().stream()
        .filter(row -> row.get("metric").equals(metric))
        .mapToDouble(row -> Double.parseDouble(row.get("value")))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void shouldListThePolicies() {
    final CliRun run = CliRun.of("compare", "--list-policies");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("  vtc ", "  least-computed ", "  no-evict ", "Options:");
    assertThat(run.out().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThan(100));
  }

  static Stream<Arguments> wrongCommandLines() {
    return Stream.of(
        Arguments.of("compare", "LOAD is missing"),
        Arguments.of("compare trace --policy lifo", "--policy lifo: no policy named 'lifo'"),
        Arguments.of("compare trace --policy vtc(", "policies must have an option name here"),
        Arguments.of("compare trace --policy vtc(w=1)", "--policy vtc(w=1): policy 'vtc' has no"),
        Arguments.of("compare trace --policy vtc+hrrn", "each decision takes one policy"),
        Arguments.of("compare trace --policy fcfs+priority", "--policy must name one order"),
        Arguments.of("compare trace --policy fcfs --policy fcfs", "name each policy once"),
        Arguments.of("compare trace --policy engine(num-block=3)", "engine option: "),
        Arguments.of(
            "compare trace --policy engine(displacement=true)",
            "--displacement needs --policy priority"),
        Arguments.of(
            "compare trace --slo-itl 0", "--slo-tpot must be in [0.001, 1e12]: --slo-tpot=0"),
        Arguments.of("compare chatbto(rate=3)", "; the nearest: chatbot"),
        Arguments.of("replay chatbto(rate=3)", "; the nearest: chatbot"),
        Arguments.of("compare chatbot(rate=ramp:1)", "rate must be ramp:FROM:TO:SECONDS"),
        Arguments.of("compare synthetic(rat=3)", "a load has no such options: options=[rat]"),
        Arguments.of("replay trace --policy engine(num-blocks=9)", "is for headway compare"));
  }

  @ParameterizedTest
  @MethodSource("wrongCommandLines")
  void shouldRefuseWhatIsWrongInOneLine(String arguments, String message) {
    final CliRun run = CliRun.of((Object[]) arguments.split(" "));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains(message).doesNotContain("\tat ");
  }
}
