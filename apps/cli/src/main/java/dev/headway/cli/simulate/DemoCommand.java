package dev.headway.cli.simulate;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.OverwriteOption;
import dev.headway.cli.command.QuietOption;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.workload.SyntheticWorkload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/*
 * The load is Azure's conversations at 10 requests per second, on Llama-3.1-8B on an H100 of which
 * others have taken most: 4 GiB are left for the KV cache, 32,768 tokens, and 32 seats. That is
 * close to the 11 requests per second it can serve, so that within minutes of virtual time requests
 * queue for several reasons, are preempted, and find prefixes that are still there.
 */

/** {@code headway demo}: a made-up load through scheduler, journal and CSV. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    header = "Runs a made-up load through scheduler, journal and CSV.",
    description = {
      "",
      "Requests modelled on Azure's conversation trace arrive at a busy engine with a small"
          + " KV cache. Virtual time, simulated model: no GPU, no network. Only scheduling is"
          + " measured: with --reproducible equal arguments give byte-identical files."
          + " It takes seconds, after the build that ./headway makes when it is started first.",
      ""
    },
    optionListHeading = "Options:%n",
    exitCodeList = {
      "0:Done.",
      "1:The run failed: DIR is not touched.",
      "2:The command line is wrong."
    })
public final class DemoCommand implements Callable<Integer> {

  private static final Path DEFAULT_OUT = Path.of("out", "demo");

  private static final double REQUESTS_PER_SECOND = 10;
  private static final List<String> ENGINE =
      List.of(
          "--num-blocks=2048",
          "--max-num-seqs=32",
          "--max-num-batched-tokens=2048",
          "--max-model-len=16384");

  @Mixin private CommandMessages messages;

  @InRange(from = 1, to = 1_000_000)
  @Option(
      names = "--requests",
      paramLabel = "N",
      description = "How many requests (${DEFAULT-VALUE}).")
  private int requests = 2_000;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Another seed is another load (${DEFAULT-VALUE}).")
  private long seed = 1;

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "DIR",
      description = "Directory to make (out/demo, where an earlier demo is replaced).")
  private @Nullable Path out;

  @Option(
      names = "--reproducible",
      description =
          "Leave out what this machine took, for scheduling and for the run, the only figures in"
              + " which equal runs differ.")
  private boolean reproducible;

  @Mixin private OverwriteOption overwrite;
  @Mixin private QuietOption quiet;

  @Override
  public Integer call() throws IOException {
    final Path directory = out == null ? DEFAULT_OUT : out;
    final RecordingOptions recording =
        new RecordingOptions(
            directory, out == null ? OverwriteOption.replacing() : overwrite, reproducible);
    final EngineSettings engine =
        EngineOptions.of(ENGINE, Map.of("seed", String.valueOf(seed)))
            .settings(PolicyChoice.parse(""));
    try (SyntheticWorkload workload = workload()) {
      final String summary =
          new Simulation(engine, recording, quiet).run(workload, workload.name(), requests);
      if (!quiet.isSet()) {
        messages.print(text(summary, directory));
      }
    }
    return ExitCode.OK;
  }

  private SyntheticWorkload workload() {
    return SyntheticWorkload.builder()
        .requests(requests)
        .seed(seed)
        .ratePerSecond(REQUESTS_PER_SECOND)
        .build();
  }

  private String text(String summary, Path directory) {
    return """

          %,d requests at %.0f per second, Llama-3.1-8B on an H100 with 4 GiB for its KV cache

        %s
          What to look at in %s:
            csv/per_request.csv     when each request ran, and what it waited for
            csv/per_iteration.csv   what each step did, and how full the cache was
            csv/events.csv          every decision, with its numbers
            csv/manifest.json       the meaning and unit of every column
            journal                 all of it, for the commands that follow
          What the reasons mean: site/reference/wait-reasons.md
          Next: ./headway report %s
                ./headway explain %s --slowest 5
                examples/analysis/analyze.py %s (needs pandas)
        """
        .formatted(
            requests,
            REQUESTS_PER_SECOND,
            summary,
            directory,
            directory.resolve("journal"),
            directory.resolve("journal"),
            directory.resolve("csv"));
  }
}
