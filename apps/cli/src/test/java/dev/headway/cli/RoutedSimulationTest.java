package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Simulate instances behind routers, and compare routers. */
class RoutedSimulationTest {

  private static final String LOAD =
      "chatbot(rate=40,requests=80,prefix-groups=4,prefix-tokens=500)";

  @TempDir private Path dir;

  @Test
  void shouldLeaveRequestsAndDecisionsTheSameInEachRun() throws IOException {
    final CliRun run = simulate("a", "cache-aware");
    simulate("b", "cache-aware");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("router        cache-aware", "hit_share");
    assertThat(Files.readAllLines(dir.resolve("a/requests.csv"))).hasSize(81);
    assertThat(Files.readAllLines(dir.resolve("a/router_decisions.csv"))).hasSize(1 + 80 * 3);
    for (String file : List.of("requests.csv", "router_decisions.csv", "summary.json")) {
      assertThat(dir.resolve("b").resolve(file))
          .hasSameBinaryContentAs(dir.resolve("a").resolve(file));
    }
  }

  @Test
  void shouldBeWhatCalibrateReads() {
    simulate("a", "random");
    simulate("b", "cache-aware");

    assertThat(CliRun.of("calibrate", dir.resolve("a"), dir.resolve("b")).out())
        .contains("80 requests matched by id");
  }

  @Test
  void shouldSayWhatIsWrong() {
    assertThat(simulate("x", "fastest").err()).contains("no routing policy named 'fastest'");
    assertThat(simulate("x", "cache-aware(treshold=1)").err())
        .contains("policy 'cache-aware' has no such options: given=[treshold]");
    assertThat(CliRun.of("simulate", LOAD, "--instances", 0).err())
        .contains("--instances must be in [1, 1024]: --instances=0");
    assertThat(CliRun.of("simulate", LOAD, "--instances", 2, "--journal-level", "full").err())
        .contains("--journal-level must be off with --instances, --router or --data-parallel-size");
  }

  @Test
  void shouldStudyRoutersOverRatesAndArrivals() throws IOException {
    final CliRun run = study("a");
    study("b");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(Files.readAllLines(dir.resolve("a/study.csv")))
        .hasSize(1 + 2 * 2 * 2 * 10)
        .first()
        .isEqualTo("load,arrival,rate_scale,router,metric,unit,value,low,high");
    assertThat(dir.resolve("a/study.html"))
        .content()
        .contains("Routers compared", "arrivals gamma:3", "cache-aware", "regret_mean");
    assertThat(dir.resolve("b/study.csv")).hasSameBinaryContentAs(dir.resolve("a/study.csv"));
    assertThat(dir.resolve("b/study.html")).hasSameBinaryContentAs(dir.resolve("a/study.html"));
  }

  private CliRun study(String out) {
    return CliRun.of(
        "route-study",
        LOAD,
        "--router",
        "random",
        "--router",
        "cache-aware",
        "--rates",
        "0.5,1",
        "--arrivals",
        "as-is,gamma:3",
        "--resamples",
        20,
        "-o",
        dir.resolve(out));
  }

  private CliRun simulate(String out, String router) {
    return CliRun.of(
        "simulate", LOAD, "--instances", 3, "--router", router, "-o", dir.resolve(out));
  }
}
