package dev.headway.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cli.command.QuietOption;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.workload.ForwardingWorkload;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import dev.headway.simulation.workload.generated.NamedLoads;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Requests that were aborted are aborted again at the same instant. */
class JournalAbortsTest {

  @TempDir private Path dir;

  /** What a recording needs. */
  @Command
  private static final class Line {
    @Mixin private RecordingOptions recording = new RecordingOptions();
    @Mixin private QuietOption quiet;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void shouldAbortAtTheRecordedInstants(long seed) throws IOException {
    record(seed);

    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();
    final int exitCode = replay(out, err);

    assertThat(exitCode).as(err.toString()).isZero();
    assertThat(err.toString()).isEmpty();
    assertThat(rows("first", "per_request.csv").stream().filter(row -> row.contains("abort")))
        .as("seed %d", seed)
        .hasSizeGreaterThan(20);
    for (String table : new String[] {"per_request.csv", "per_iteration.csv"}) {
      assertThat(rows("again", table))
          .as("%s, seed %d", table, seed)
          .isEqualTo(rows("first", table));
    }
  }

  private void record(long seed) throws IOException {
    final Line line = new Line();
    new CommandLine(line).parseArgs("-q", "--reproducible", "--out=" + dir.resolve("first"));
    final EngineSettings settings =
        EngineOptions.of(
                List.of("--num-blocks=300", "--max-num-seqs=16", "--max-num-batched-tokens=512"),
                Map.of("max-model-len", "2048"))
            .settings(PolicyChoice.parse(""));
    try (Workload load =
        new Impatient(
            NamedLoads.open(
                "chatbot(rate=40,requests=200,prefix-groups=3,prefix-tokens=64,seed=" + seed + ")"),
            seed)) {
      new Simulation(settings, line.recording, line.quiet).run(load, "impatient", -1);
    }
  }

  private int replay(StringWriter out, StringWriter err) {
    return new CommandLine(new ReplayCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(
            dir.resolve("first/journal").toString(),
            "--reproducible",
            "--out",
            dir.resolve("again").toString());
  }

  private List<String> rows(String run, String table) throws IOException {
    return Files.readAllLines(dir.resolve(run).resolve("csv").resolve(table));
  }

  /** Every third request is given up after up to two seconds. */
  private static final class Impatient extends ForwardingWorkload {
    private final SplittableRandom random;
    private int requests;

    Impatient(Workload load, long seed) {
      super(load);
      this.random = new SplittableRandom(seed);
    }

    @Override
    public @Nullable WorkloadRequest next() {
      final WorkloadRequest request = source().next();
      return request == null || requests++ % 3 != 0
          ? request
          : request.withAbortAfterNs(random.nextLong(2_000_000_000L));
    }
  }
}
