package dev.headway.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.LonePrefill;
import dev.headway.cli.CsvRows;
import dev.headway.cli.command.QuietOption;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.workload.ForwardingWorkload;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import dev.headway.simulation.workload.generated.NamedLoads;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * What requests asked for beside lengths, and what decided about them, is in a journal: aborts at
 * the same instant, adapters, targets, policies, drafts.
 */
class JournalTermsTest {

  @TempDir private Path dir;

  /** What a recording needs. */
  @Command
  private static final class Line {
    @Mixin private RecordingOptions recording = new RecordingOptions();
    @Mixin private QuietOption quiet;
  }

  @ParameterizedTest
  @CsvSource({
    "1, '', '', max-num-seqs=16",
    "2, longest-output-first, --prefill-schedule-interval=2, policy=longest-output-first",
    "3, routing-key, --speculative-method=ngram --num-speculative-tokens=3 --draft-acceptance=0.4,"
        + " 'speculative-method=ngram, num-speculative-tokens=3, draft-acceptance=0.4'",
    "4, priority, --displacement --displacement-gap=2 --displacement-steps=3,"
        + " 'displacement=true, displacement-gap=2, displacement-steps=3'",
    "5, shortest-job(ageing=0.5)+most-kv, --max-num-queued-reqs=30,"
        + " policy=shortest-job(ageing=0.5)+most-kv",
    "6, '', --max-loras=1 --lora-drain-wait-threshold=0.25,"
        + " 'max-loras=1, lora-drain-wait-threshold=0.25'"
  })
  void shouldRepeatWhatWasAskedAndDecided(long seed, String policy, String more, String said)
      throws IOException {
    record(seed, settings(policy, more));

    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();
    final int exitCode = replay(out, err);

    assertThat(exitCode).as(err.toString()).isZero();
    assertThat(err.toString()).isEmpty();
    assertThat(out.toString()).contains(said);
    final CsvRows first = table("first", "per_request.csv");
    assertThat(first.column("finish_reason")).as("seed %d", seed).contains("abort");
    assertThat(first.column("adapter")).as("seed %d", seed).contains("adapter-1");
    assertThat(first.column("ttft_target_met")).as("seed %d", seed).contains("true");
    for (String name : new String[] {"per_request.csv", "per_iteration.csv"}) {
      final CsvRows recorded = table("first", name);
      final CsvRows repeated = table("again", name);
      for (String column : recorded.rows().getFirst().keySet()) {
        assertThat(repeated.column(column))
            .as("%s, %s, seed %d", name, column, seed)
            .isEqualTo(recorded.column(column));
      }
    }
  }

  @Test
  void shouldNameRecordedSettingsThatNoOptionHas() throws IOException {
    final EngineSettings usual = settings("", "");
    record(
        1, usual.withConfig(usual.config().toBuilder().lonePrefill(LonePrefill.UNCAPPED).build()));

    final StringWriter out = new StringWriter();
    replay(out, new StringWriter());

    assertThat(out.toString())
        .contains(
            "  not taken     of the settings of the journal, no option has them:"
                + " lonePrefill=UNCAPPED\n");
  }

  private static EngineSettings settings(String policy, String more) {
    return EngineOptions.of(
            Stream.of(
                    "--num-blocks=300 --max-num-seqs=16 --max-num-batched-tokens=512",
                    "--max-model-len=2048",
                    more)
                .flatMap(words -> Stream.of(words.split(" ")))
                .filter(word -> !word.isEmpty())
                .toList(),
            Map.of())
        .settings(PolicyChoice.parse(policy));
  }

  private void record(long seed, EngineSettings settings) throws IOException {
    final Line line = new Line();
    new CommandLine(line).parseArgs("-q", "--reproducible", "--out=" + dir.resolve("first"));
    try (Workload load =
        new Demanding(
            NamedLoads.open(
                "chatbot(rate=40,requests=200,prefix-groups=3,prefix-tokens=64,seed=" + seed + ")"),
            seed)) {
      new Simulation(settings, line.recording, line.quiet).run(load, "demanding", -1);
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

  private CsvRows table(String run, String name) {
    return CsvRows.of(dir.resolve(run).resolve("csv").resolve(name));
  }

  /** Some requests are given up after up to two seconds, some have an adapter, a target. */
  private static final class Demanding extends ForwardingWorkload {
    private final SplittableRandom random;
    private int requests;

    Demanding(Workload load, long seed) {
      super(load);
      this.random = new SplittableRandom(seed);
    }

    @Override
    public @Nullable WorkloadRequest next() {
      final WorkloadRequest request = source().next();
      if (request == null) {
        return null;
      }
      final int number = requests++;
      final WorkloadRequest given =
          number % 3 == 0 ? request.withAbortAfterNs(random.nextLong(2_000_000_000L)) : request;
      final WorkloadRequest adapted =
          number % 4 == 1 ? given.withAdapter("adapter-" + number % 5) : given;
      return number % 2 == 0
          ? adapted.withTtftTargetNs(1 + random.nextLong(1_000_000_000L))
          : adapted;
    }
  }
}
