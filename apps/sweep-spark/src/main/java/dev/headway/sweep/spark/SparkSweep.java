package dev.headway.sweep.spark;

import dev.headway.cli.sweep.SweepFiles;
import dev.headway.cli.sweep.SweepFiles.Existing;
import dev.headway.cli.sweep.SweepJob;
import dev.headway.simulation.sweep.Shard;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The program that runs a sweep on Spark, under {@code spark-submit} or as it is. */
@Command(
    name = "spark-sweep",
    mixinStandardHelpOptions = true,
    header = "Runs a plan of headway sweep on a Spark cluster.",
    description = {
      "",
      "Leaves what headway sweep leaves, byte for byte, and the rows as Parquet. Files that the plan"
          + " names must be at the same path on every worker.",
      ""
    })
public final class SparkSweep implements Callable<Integer> {

  private static final String LOCAL = "local[*]";
  private static final int TASKS_PER_CORE = 4;
  private static final int MOST_CELLS_PER_TASK = 10_000;
  private static final int RUNS_FAILED = 3;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "PLAN", description = "YAML file; paths in it are relative to it.")
  private Path plan;

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "DIR",
      required = true,
      description = "Directory to make.")
  private Path out;

  @Option(
      names = "--parquet",
      paramLabel = "URI",
      description =
          "Where the workers write rows, such as s3a://bucket/rows.parquet (DIR/rows.parquet, which"
              + " they must all reach).")
  private @Nullable String parquet;

  @Option(
      names = "--cells-per-task",
      paramLabel = "N",
      description = "Cells of a Spark task; a task should take seconds (4 tasks per core).")
  private @Nullable Integer cellsPerTask;

  @Option(
      names = "--properties-file",
      paramLabel = "FILE",
      description = "Settings of Spark, as for spark-submit; keep secrets here.")
  private @Nullable Path properties;

  @Option(names = "--overwrite", description = "Replace an earlier sweep.")
  private boolean overwrite;

  private SparkSweep() {}

  /** Runs the program and ends the JVM with its exit code. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new SparkSweep()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException {
    final SweepJob job = job();
    try (SweepFiles files =
        SweepFiles.open(out, job, Shard.WHOLE, overwrite ? Existing.REPLACE : Existing.REFUSE)) {
      try (SparkSession spark = SparkSession.builder().config(conf()).getOrCreate()) {
        final String target =
            parquet != null
                ? parquet
                : out.toAbsolutePath().normalize().resolve(SweepFiles.PARQUET).toUri().toString();
        new SparkSweepRunner(spark, job, target, cellsPerTask(spark, job.plan().cells()))
            .run(files.remaining(), files);
      }
      files.finish();
      final PrintWriter print = spec.commandLine().getOut();
      print.printf("rows %d, of runs that failed %d%n", files.rows(), files.failed());
      print.flush();
      return files.failed() == 0 ? 0 : RUNS_FAILED;
    }
  }

  private SweepJob job() throws IOException {
    try {
      return SweepJob.read(plan);
    } catch (IllegalArgumentException e) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private int cellsPerTask(SparkSession spark, int cells) {
    if (cellsPerTask != null) {
      return Math.max(1, cellsPerTask);
    }
    final int tasks = TASKS_PER_CORE * spark.sparkContext().defaultParallelism();
    return Math.clamp((cells + tasks - 1) / tasks, 1, MOST_CELLS_PER_TASK);
  }

  /** The jars beside this class's own, which the workers do not have. */
  private static String ownJars() throws IOException {
    final CodeSource source = SparkSweep.class.getProtectionDomain().getCodeSource();
    if (source == null || !source.getLocation().getPath().endsWith(".jar")) {
      return "";
    }
    final Path own = Path.of(URI.create(source.getLocation().toString()));
    try (Stream<Path> jars = Files.list(own.resolveSibling(""))) {
      return jars.map(Path::toString)
          .filter(jar -> jar.endsWith(".jar"))
          .sorted()
          .collect(Collectors.joining(","));
    }
  }

  /** What system properties and the file say, and what a sweep needs beside it. */
  private SparkConf conf() throws IOException {
    final SparkConf conf = new SparkConf();
    if (properties != null) {
      final Properties read = new Properties();
      try (Reader reader = Files.newBufferedReader(properties)) {
        read.load(reader);
      }
      read.stringPropertyNames()
          .forEach(name -> conf.setIfMissing(name, read.getProperty(name).strip()));
    }
    conf.setIfMissing("spark.jars", ownJars());
    return conf.setIfMissing("spark.master", LOCAL)
        .setIfMissing("spark.log.level", "WARN")
        .setIfMissing("spark.app.name", "headway sweep " + plan.getFileName())
        .setIfMissing("spark.ui.enabled", "false")
        .setIfMissing("spark.sql.shuffle.partitions", "4");
  }
}
