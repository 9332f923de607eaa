package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Simulate a load, and compare it with another run of it. */
class SimulateCommandTest {

  @TempDir private Path dir;

  private CliRun simulate(String out, Object... options) {
    final List<Object> all = new ArrayList<>();
    all.addAll(List.of("simulate", "synthetic(requests=60,rate=4,seed=3)", "-o", dir.resolve(out)));
    all.addAll(List.of(options));
    return CliRun.of(all.toArray());
  }

  @Test
  void shouldLeaveWhatALoadGeneratorMeasures() throws IOException {
    final CliRun run = simulate("a");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("60 finished", "time to first token")
        .contains("model         Llama-3.1-8B on one H100, the default; --model and --gpu")
        .contains(
            "step times    6.2 ms + 26.3 µs/prompt token + 12 µs/decode + 44 ns/context token")
        .containsPattern("steps.*; the device was (never idle|idle for [0-9.]+ % of it)")
        .containsPattern("running +[0-9.]+ of at most 256 requests on average");
    try (var files = Files.list(dir.resolve("a"))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("requests.csv", "summary.json");
    }
    final List<String> rows = Files.readAllLines(dir.resolve("a/requests.csv"));
    assertThat(rows).hasSize(61);
    assertThat(rows.getFirst())
        .isEqualTo("request_id,arrival_s,input_tokens,output_tokens,ttft_s,e2e_s,queue_s,error");
    assertThat(rows.get(1)).matches("synthetic-\\d+,\\d+\\.\\d{9},\\d+,\\d+,\\d+\\.\\d{9},.*,");
    simulate("b");
    assertThat(dir.resolve("b/requests.csv")).hasSameBinaryContentAs(dir.resolve("a/requests.csv"));
  }

  @Test
  void shouldRecordMoreIfAskedTo() {
    assertThat(simulate("a", "--journal-level", "full").exitCode()).isZero();

    assertThat(dir.resolve("a/journal")).isDirectory();
    assertThat(dir.resolve("a/csv/per_request.csv")).exists();
  }

  @Test
  void shouldLeaveOutLatenciesThatNoRequestHas() throws IOException {
    final CliRun run =
        CliRun.of(
            "simulate",
            "random(rate=5,requests=10,input-len=500)",
            "--max-model-len",
            100,
            "-o",
            dir.resolve("refused"));

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("10 rejected").containsPattern("time to first token( +-){4}\\R");
    assertThat(dir.resolve("refused/summary.json"))
        .content()
        .containsPattern("\"ttft\" : \\{\\s+\"count\" : 0,\\s+\"mean_ns\" : null")
        .containsPattern("\"p99_ns\" : null");
  }

  @Test
  void shouldSayHowFarAnotherMachineIsOff() throws IOException {
    simulate("a");
    simulate("slow", "--latency", "8000000,30000,20000,60");

    final CliRun run =
        CliRun.of(
            "calibrate",
            dir.resolve("a"),
            dir.resolve("slow"),
            "-o",
            dir.resolve("c.json"),
            "--blis-json",
            dir.resolve("b.json"),
            "--html",
            dir.resolve("c.html"));

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("60 requests matched by id", "time per output token", "Decode steps are")
        .containsPattern(
            "The time to first token is [0-9.]+ ms too long; its parts, as requests at the shortest"
                + " queues show them:\n"
                + " +[+-][0-9.]+ .?s  whatever the prompt: alpha_ingress, the constant of a step\n"
                + " +[+-][0-9.]+ .?s  by its tokens: prefill\n"
                + " +[+-][0-9.]+ .?s  in the queue, which follows from these, or from other limits"
                + " than the server's\n");
    assertThat(dir.resolve("c.json")).content().contains("\"headway-calibration\"");
    assertThat(dir.resolve("b.json")).content().contains("\"token_mismatches\"");
    assertThat(dir.resolve("c.html"))
        .content()
        .contains("Simulated against measured", "Requests without a first token");
    assertThat(CliRun.of("calibrate", dir.resolve("a"), dir.resolve("a")).out())
        .contains("Decode steps are right", "The time to first token is within 2 %.");
  }

  @Test
  void shouldSayWhatIsMissing() {
    assertThat(CliRun.of("calibrate", dir.resolve("none"), dir.resolve("none")))
        .satisfies(run -> assertThat(run.exitCode()).isEqualTo(1))
        .satisfies(run -> assertThat(run.err()).contains("no such file"));
    assertThat(CliRun.of("simulate", "synthetic(speed=3)", "-o", dir.resolve("x")).err())
        .contains("a load has no such options: options=[speed]");
  }
}
