package dev.headway.cli.sweep;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.LoadReading;
import dev.headway.cli.command.OverwriteOption;
import dev.headway.cli.command.ProgressDisplay;
import dev.headway.cli.command.QuietOption;
import dev.headway.simulation.sweep.CapacitySearch;
import dev.headway.simulation.sweep.LocalSweepRunner;
import dev.headway.simulation.sweep.Shard;
import dev.headway.simulation.sweep.SweepRunner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code headway sweep}: many runs by a plan. */
@Command(
    name = "sweep",
    mixinStandardHelpOptions = true,
    header = "Runs a grid or a random sample of simulations, a row of figures for each.",
    description = {
      "",
      "PLAN.yaml names a load, options of replay and compare, and the values that some of them"
          + " take. Leaves rows.csv and manifest.json, and capacity.csv where the plan asks for the"
          + " largest rate that meets limits. Equal plans give equal bytes, with any number of"
          + " threads and shards. A run that fails gives a row that says why.",
      ""
    },
    exitCodeList = {
      "0:Every run went well.",
      "1:The sweep failed: what is done is kept, and --resume goes on.",
      "2:The command line or the plan is wrong.",
      "3:Done, but runs failed: the column error says why."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headway sweep plan.yaml -o out/sweep",
      "  headway sweep plan.yaml -o out/sweep --resume",
      "  headway sweep plan.yaml -o out/part-2 --shard 2/8",
      "  headway sweep --merge out/part-1 out/part-2 -o out/sweep"
    })
public final class SweepCommand implements Callable<Integer> {

  private static final int MOST_THREADS = 1_024;

  @Mixin private CommandMessages messages;

  @Parameters(
      arity = "1..*",
      paramLabel = "PLAN",
      description =
          "YAML file; paths in it are relative to it. With --merge the directories of all shards.")
  private List<Path> given;

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "DIR",
      defaultValue = "out/sweep",
      description = "Directory to make (${DEFAULT-VALUE}).")
  private Path out;

  @InRange(from = 1, to = MOST_THREADS)
  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Runs at the same time (as many as there are processors).")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--shard",
      paramLabel = "I/N",
      description = "Run every N-th cell only, from the I-th on; --merge joins all N.")
  private @Nullable String shard;

  @Option(
      names = "--merge",
      description = "Run nothing: join shards to what one run of all would have left.")
  private boolean merge;

  @Option(names = "--resume", description = "Go on where a sweep of the same plan was stopped.")
  private boolean resume;

  @Mixin private OverwriteOption overwrite;
  @Mixin private QuietOption quiet;

  @Override
  public Integer call() throws IOException {
    final SweepJob job = job();
    final Shard part = shard();
    final SweepFiles.Existing existing = SweepFiles.Existing.of(overwrite.mode(), resume);
    try (SweepFiles files = SweepFiles.open(out, job, part, existing)) {
      if (merge) {
        SweepMerge.merge(given, job, files);
      } else {
        run(job, files);
      }
      files.finish();
      if (!quiet.isSet()) {
        messages.print(summary(files, job));
      }
      if (files.failed() > 0) {
        messages.say("runs failed, the column error says why: runs=" + files.failed());
      }
      return files.failed() == 0 ? ExitCode.OK : ExitCode.INCOMPLETE;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted; --resume goes on", e);
    }
  }

  private SweepJob job() throws IOException {
    if (!merge && given.size() > 1) {
      throw messages.wrong("a sweep has one PLAN; --merge takes several directories: " + given);
    }
    try {
      return merge ? SweepMerge.job(given.getFirst()) : SweepJob.read(given.getFirst());
    } catch (IllegalArgumentException e) {
      throw messages.wrong(e.getMessage());
    }
  }

  private Shard shard() {
    if (merge && (shard != null || resume)) {
      throw messages.wrong("--merge joins all shards anew: leave --shard and --resume out");
    }
    try {
      return shard == null ? Shard.WHOLE : Shard.parse(shard);
    } catch (IllegalArgumentException e) {
      throw messages.wrong("--shard: " + e.getMessage());
    }
  }

  private void run(SweepJob job, SweepFiles files) throws IOException, InterruptedException {
    final int[] cells = files.remaining();
    final SweepRunner runner =
        new LocalSweepRunner(job.cells(LoadReading.remarks(messages))::rows, threads);
    final long[] done = new long[1];
    try (ProgressDisplay progress = quiet.progress("sweep", cells.length, " cells")) {
      runner.run(
          cells,
          rows -> {
            files.accept(rows);
            progress.to(++done[0]);
          });
    }
  }

  private String summary(SweepFiles files, SweepJob job) throws IOException {
    final CapacitySearch search = job.plan().capacity();
    return "%n".formatted()
        + (search == null
            ? ""
            : CapacityText.of(out.resolve(SweepFiles.CAPACITY), job.plan(), search))
        + "  rows          %,d, of runs that failed %,d%n  files         %s%n"
            .formatted(files.rows(), files.failed(), out);
  }
}
