package dev.headway.cli.simulate;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.events.record.JournalLevel;
import dev.headway.scheduler.sim.LatencyModel;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.workload.SyntheticWorkload;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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
    sortOptions = false,
    header = "Runs a made-up load through scheduler, journal and CSV; takes seconds.",
    description = {
      "",
      "Requests in the likeness of Azure's conversation trace arrive at a busy engine with a small"
          + " KV cache. Virtual time, simulated model: no GPU, no network. Equal arguments give"
          + " byte-identical CSV files.",
      ""
    },
    optionListHeading = "Options:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Done.",
      "1:The run failed: DIR is not touched.",
      "2:The command line is wrong."
    })
public final class DemoCommand implements Callable<Integer> {

  private static final Path DEFAULT_OUT = Path.of("out", "demo");

  private static final double REQUESTS_PER_SECOND = 10;
  private static final long BYTES_PER_TOKEN = 131_072;
  private static final int BLOCK_SIZE = 16;
  private static final int NUM_BLOCKS = 2_048;
  private static final int MAX_NUM_SEQS = 32;
  private static final int MAX_NUM_BATCHED_TOKENS = 2_048;
  private static final int MAX_MODEL_LEN = 16_384;

  @Spec private CommandSpec spec;

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

  @Option(names = "--overwrite", description = "Replace DIR if it holds nothing but a run.")
  private boolean overwrite;

  /** For picocli. */
  @SuppressWarnings("NullAway.Init") // picocli fills the fields
  public DemoCommand() {}

  @Override
  public Integer call() throws IOException {
    final Path directory = out == null ? DEFAULT_OUT : out;
    final Existing existing = out == null || overwrite ? Existing.REPLACED : Existing.REFUSED;
    final Recording recording =
        new Recording(
            directory,
            existing,
            JournalLevel.FULL,
            Recording.Csv.WRITTEN,
            Recording.IterationRows.FULL);
    try (SyntheticWorkload workload = workload()) {
      final String summary =
          new Simulation(engine(), recording, ProgressDisplay.Audience.present())
              .run(workload, workload.name(), requests);
      print(summary, directory);
    }
    return 0;
  }

  private SyntheticWorkload workload() {
    if (requests < 1 || requests > 1_000_000) {
      throw new ParameterException(
          spec.commandLine(), "--requests must be in [1, 1000000]: --requests=" + requests);
    }
    return SyntheticWorkload.builder()
        .requests(requests)
        .seed(seed)
        .ratePerSecond(REQUESTS_PER_SECOND)
        .build();
  }

  private EngineSettings engine() {
    return new EngineSettings(
        SchedulerConfig.builder(
                new SchedulerLimits(MAX_NUM_SEQS, MAX_NUM_BATCHED_TOKENS, MAX_MODEL_LEN))
            .build(),
        KvCacheShape.builder()
            .blockSize(BLOCK_SIZE)
            .blocks(NUM_BLOCKS)
            .bytesPerBlock(BYTES_PER_TOKEN * BLOCK_SIZE)
            .build(),
        LatencyModel.LLAMA_3_1_8B_ON_H100,
        seed);
  }

  private void print(String summary, Path directory) {
    final PrintWriter text = spec.commandLine().getOut();
    text.println();
    text.println(
        "  %,d requests at %.0f per second, Llama-3.1-8B on an H100 with 4 GiB for its KV cache"
            .formatted(requests, REQUESTS_PER_SECOND));
    text.println();
    text.print(summary);
    text.println();
    text.println("  What to look at in " + directory + ":");
    text.println("    csv/per_request.csv     when each request ran, and what it waited for");
    text.println("    csv/per_iteration.csv   what each step did, and how full the cache was");
    text.println("    csv/events.csv          every decision, with its numbers");
    text.println("    csv/manifest.json       the meaning and unit of every column");
    text.println("    journal                 all of it, for the commands that follow");
    text.println("  What the reasons mean: site/reference/wait-reasons.md");
    text.println("  Next: ./headway report " + directory.resolve("journal"));
    text.println("        ./headway explain " + directory.resolve("journal") + " --slowest 5");
    text.println(
        "        examples/analysis/analyze.py " + directory.resolve("csv") + " (needs pandas)");
    text.flush();
  }
}
