package dev.headway.cuda.gpu;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.request.Request;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.cuda.executor.CudaExecutor;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.probes.csv.CsvConverter;
import dev.headway.probes.csv.check.TimingCheck;
import dev.headway.probes.csv.check.Verdict;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.SystemNanoClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The whole engine under an open load with its journal on: Poisson arrivals, lognormal lengths.
 * What clients saw, and whether the files made of the journal keep their rules.
 */
final class LoadRates {
  private static final long DRAIN_SECONDS = 60;

  private final RateTable table;
  private final Scale scale;
  private final Path folder;
  private final ModelConfig config;

  /**
   * Loads that leave their files in a folder.
   *
   * @param folder gets a journal and CSV files for each load
   */
  LoadRates(RateTable table, Scale scale, Path folder) {
    this.table = table;
    this.scale = scale;
    this.folder = folder;
    config = scale.model();
  }

  void run() throws Exception {
    final boolean isFull = scale == Scale.FULL;
    try (Model model = FastWeights.model(config);
        CudaExecutor executor =
            CudaExecutor.builder(model, new SystemNanoClock())
                .blockSize(StepBench.BLOCK)
                .kvBlocks(isFull ? 20_000 : 200)
                .maxNumSeqs(isFull ? 256 : 8)
                .maxNumBatchedTokens(isFull ? 2_048 : 64)
                .maxModelLen(isFull ? 8_192 : 64)
                .build()) {
      for (int rate : scale.loads()) {
        load(executor, rate);
      }
    }
  }

  private void load(CudaExecutor executor, int rate) throws Exception {
    final String name = scale.modelName() + "-" + rate;
    final Path journal = Files.createDirectories(folder.resolve(name + "-journal"));
    final int count = Math.max(4, (int) (rate * scale.loadSeconds()));
    final LoadClient client = new LoadClient(count);
    final double seconds;
    final Engine engine =
        HeadwayEngine.builder(new KeptOpen(executor))
            .clock(new SystemNanoClock())
            .config(
                SchedulerConfig.builder(SchedulerLimits.builder(executor.shape()).build()).build())
            .probe("chronicle", Map.of("dir", journal.toString()))
            .build();
    try (engine) {
      engine.start(Thread.ofPlatform().name("headway").factory());
      final long beginNs = System.nanoTime();
      arrive(engine, client, count, rate, beginNs);
      if (!client.await(DRAIN_SECONDS, TimeUnit.SECONDS)) {
        System.err.println(name + ": not all requests ended: " + engine.stats());
      }
      seconds = (System.nanoTime() - beginNs) / 1e9;
    }
    final String shape = scale.modelName() + " " + rate + "/s";
    table.add("load ended", shape, (double) client.ended() / count, "of requests");
    table.add("load output", shape, client.tokens() / seconds, "tokens/s");
    table.add("load TTFT mean", shape, client.meanTtftMs(), "ms");
    table.add("load TTFT p99", shape, client.ttftMs(0.99), "ms");
    table.add("load TPOT mean", shape, client.meanTpotMs(), "ms");
    Files.writeString(folder.resolve(name + ".measured.csv"), client.csv());
    table.add("load rules broken", shape, violations(journal, name), "rows");
  }

  private void arrive(Engine engine, LoadClient client, int count, int rate, long beginNs) {
    final Random random = new Random(42 + rate);
    double at = 0;
    for (int i = 0; i < count; i++) {
      at -= Math.log(1 - random.nextDouble()) / rate;
      final Request request = request(i, random);
      final long dueNs = beginNs + (long) (at * 1e9);
      for (long left = dueNs - System.nanoTime(); left > 0; left = dueNs - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      engine.submit(request, client.listener(i));
    }
  }

  /** Prompts of 400 tokens in the median, up to 4,000; answers of 120, up to 800. */
  private Request request(int index, Random random) {
    final boolean isFull = scale == Scale.FULL;
    final int inputs = isFull ? lognormal(random, 400, 0.9, 16, 4_000) : 8 + random.nextInt(16);
    final int outputs = isFull ? lognormal(random, 120, 0.8, 4, 800) : 4 + random.nextInt(8);
    final int[] prompt = random.ints(inputs, 0, config.vocabularySize()).toArray();
    return Request.builder("q" + index, prompt).maxTokens(outputs).build();
  }

  private static int lognormal(Random random, int median, double sigma, int least, int most) {
    final double value = median * Math.exp(sigma * random.nextGaussian());
    return (int) Math.clamp(value, least, most);
  }

  /** Rows of the journal's files that break a rule; the files stay for who wants to look. */
  private long violations(Path journal, String name) throws IOException {
    final Path csv = folder.resolve(name + "-csv");
    try (JournalSource source = JournalSource.open(journal)) {
      new CsvConverter(source, csv, ConvertOptions.DEFAULT, (records, rows, done) -> {}).convert();
    }
    long broken = 0;
    for (Verdict verdict : TimingCheck.run(csv)) {
      broken += verdict.violations();
      if (verdict.violations() > 0) {
        System.err.println(name + ": " + verdict);
      }
    }
    return broken;
  }

  /** An engine closes its executor; this one serves the next load too. */
  private record KeptOpen(CudaExecutor executor) implements Executor {
    @Override
    public ExecutorShape shape() {
      return executor.shape();
    }

    @Override
    public String name() {
      return executor.name();
    }

    @Override
    public Map<String, String> attributes() {
      return executor.attributes();
    }

    @Override
    public void submit(StepPlan plan) {
      executor.submit(plan);
    }

    @Override
    public boolean await(StepOutput output, long timeoutNs) throws InterruptedException {
      return executor.await(output, timeoutNs);
    }

    @Override
    public void close() {}
  }
}
