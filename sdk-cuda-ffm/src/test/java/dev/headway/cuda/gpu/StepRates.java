package dev.headway.cuda.gpu;

import dev.headway.api.request.SamplingParams;
import dev.headway.cuda.executor.CudaExecutor;
import dev.headway.cuda.executor.CudaExecutorBuilder;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.testkit.FakePlan;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whole steps of a model with random weights: the start, the first step of the process against the
 * hundredth, uniform decode by batch, one long context among short ones, prompts, sampling by
 * filter, and the host's part without spinning.
 */
final class StepRates {
  private static final Pattern RECORDED = Pattern.compile("^(\\d+) of (\\d+) batch sizes");

  private final RateTable table;
  private final Scale scale;
  private final ModelConfig config;

  StepRates(RateTable table, Scale scale) {
    this.table = table;
    this.scale = scale;
    config = scale.model();
  }

  void run() throws InterruptedException {
    try (Model model = FastWeights.model(config)) {
      all(model);
      withoutSpinning(model);
    }
  }

  private void all(Model model) throws InterruptedException {
    final CudaExecutorBuilder builder =
        builder(model)
            .kvBlocks(1 + StepBench.blocksOf(scale.longContext()) + shortBlocks())
            .maxNumSeqs(scale.largestBatch());
    final long beginNs = System.nanoTime();
    try (CudaExecutor executor = builder.build()) {
      started(executor, beginNs);
      final StepBench bench = new StepBench(executor, config);
      firstOfTheProcess(bench);
      fill(bench, scale.largestBatch());
      fillLong(bench);
      for (int batch : scale.batches()) {
        uniform(bench, batch);
      }
      for (int batch : scale.mixedBatches()) {
        mixed(bench, batch);
      }
      for (int[] prompts : scale.prompts()) {
        prompts(bench, prompts[0], prompts[1]);
      }
      for (SamplingRates.Filter filter : SamplingRates.Filter.values()) {
        for (int batch : scale.sampledBatches()) {
          sampling(bench, filter, batch);
        }
      }
    }
  }

  private CudaExecutorBuilder builder(Model model) {
    return CudaExecutor.builder(model, new SystemNanoClock())
        .blockSize(StepBench.BLOCK)
        .maxNumBatchedTokens(scale.stepTokens())
        .maxModelLen(Math.max(scale.longContext(), scale.context()) + StepBench.BLOCK);
  }

  /** What a start took, and what it left to the driver and to steps. */
  private void started(CudaExecutor executor, long beginNs) {
    final String shape = scale.modelName();
    table.add("start", shape, (System.nanoTime() - beginNs) / 1e9, "s");
    executor.attributes().forEach((name, value) -> System.err.println(name + ": " + value));
    final String kernels = executor.attributes().getOrDefault("kernels", "");
    table.add("start with machine code", shape, kernels.startsWith("machine code") ? 1 : 0, "");
    final Matcher graphs = RECORDED.matcher(executor.attributes().getOrDefault("graphs", ""));
    if (graphs.find()) {
      final int missing = Integer.parseInt(graphs.group(2)) - Integer.parseInt(graphs.group(1));
      table.add("start without recordings", shape, missing, "batch sizes");
    }
  }

  /** The host's part of a step when the threads are parked at once instead. */
  private void withoutSpinning(Model model) throws InterruptedException {
    int most = 0;
    for (int batch : scale.batchesWithoutSpinning()) {
      most = Math.max(most, batch);
    }
    final CudaExecutorBuilder builder =
        builder(model)
            .kvBlocks(1 + most * StepBench.blocksOf(scale.context()))
            .maxNumSeqs(most)
            .spinNs(0);
    final long beginNs = System.nanoTime();
    try (CudaExecutor executor = builder.build()) {
      final String shape = scale.modelName() + " for batches up to " + most;
      table.add("start", shape, (System.nanoTime() - beginNs) / 1e9, "s");
      final StepBench bench = new StepBench(executor, config);
      fill(bench, most);
      for (int batch : scale.batchesWithoutSpinning()) {
        final StepBench.Took took = bench.measure(greedy(bench, batch), scale.steps());
        final String rows = scale.modelName() + " batch " + batch;
        table.add("decode host without spinning", rows, took.host(), "us");
        table.add("decode host p99 without spinning", rows, took.hostP99(), "us");
      }
    }
  }

  private int shortBlocks() {
    return scale.largestBatch() * StepBench.blocksOf(scale.context());
  }

  private int[] shortSequence(int index) {
    return StepBench.blocks(1 + index * StepBench.blocksOf(scale.context()), scale.context());
  }

  private int[] longSequence() {
    return StepBench.blocks(1 + shortBlocks(), scale.longContext());
  }

  private void firstOfTheProcess(StepBench bench) throws InterruptedException {
    final FakePlan plan = new FakePlan();
    plan.entry(
        bench.request(0, scale.context(), SamplingParams.GREEDY),
        0,
        StepBench.BLOCK,
        shortSequence(0));
    final String shape = scale.modelName() + " prompt of " + StepBench.BLOCK;
    table.add("step first", shape, bench.run(plan), "us");
    double last = 0;
    for (int i = 1; i < scale.steps(); i++) {
      last = bench.run(plan);
    }
    table.add("step hundredth", shape, last, "us");
  }

  /** Computes the contexts of so many sequences, as many at a time as a step takes. */
  private void fill(StepBench bench, int sequences) throws InterruptedException {
    final int together = Math.max(1, scale.stepTokens() / scale.context());
    for (int first = 0; first < sequences; first += together) {
      final FakePlan plan = new FakePlan();
      for (int i = first; i < Math.min(sequences, first + together); i++) {
        plan.entry(
            bench.request(i, scale.context(), SamplingParams.GREEDY),
            0,
            scale.context(),
            shortSequence(i));
      }
      bench.run(plan);
    }
  }

  private void fillLong(StepBench bench) throws InterruptedException {
    final FakePlan plan = new FakePlan();
    plan.entry(
        bench.request(1_000, scale.longContext(), SamplingParams.GREEDY),
        0,
        scale.longContext(),
        longSequence());
    bench.run(plan);
  }

  private void decodeShort(StepBench bench, FakePlan plan, int sequence, SamplingParams sampling) {
    plan.entry(
        bench.request(sequence, scale.context(), sampling),
        scale.context() - 1,
        1,
        shortSequence(sequence));
  }

  private FakePlan greedy(StepBench bench, int batch) {
    final FakePlan plan = new FakePlan();
    for (int i = 0; i < batch; i++) {
      decodeShort(bench, plan, i, SamplingParams.GREEDY);
    }
    return plan;
  }

  private void uniform(StepBench bench, int batch) throws InterruptedException {
    final StepBench.Took took = bench.measure(greedy(bench, batch), scale.steps());
    final String shape = scale.modelName() + " batch " + batch;
    table.add("decode forward", shape, took.forward(), "us");
    table.add("decode sample", shape, took.sample(), "us");
    table.add("decode host", shape, took.host(), "us");
    table.add("decode host p99", shape, took.hostP99(), "us");
    firstBeyondOthers(took, shape);
  }

  /** What the first step of a kind takes more than the median of the others. */
  private void firstBeyondOthers(StepBench.Took took, String shape) {
    final double others = took.forward() + took.sample() + took.host();
    table.add("decode first beyond others", shape, took.first() - others, "us");
  }

  private void mixed(StepBench bench, int batch) throws InterruptedException {
    final FakePlan plan = new FakePlan();
    plan.entry(
        bench.request(1_000, scale.longContext(), SamplingParams.GREEDY),
        scale.longContext() - 1,
        1,
        longSequence());
    for (int i = 1; i < batch; i++) {
      decodeShort(bench, plan, i, SamplingParams.GREEDY);
    }
    final StepBench.Took took = bench.measure(plan, scale.steps() / 2);
    final String shape = scale.modelName() + " batch " + batch;
    table.add("mixed forward", shape, took.forward(), "us");
    firstBeyondOthers(took, shape + " mixed");
    final StepBench.Took same = bench.measure(greedy(bench, batch), scale.steps() / 2);
    table.add("mixed beside uniform", shape, same.forward(), "us");
    final double more = config.kvElementsPerToken() * 2.0 * (scale.longContext() - scale.context());
    table.add("mixed more bytes", shape, more, "bytes");
  }

  private void prompts(StepBench bench, int count, int tokens) throws InterruptedException {
    double best = Double.MAX_VALUE;
    for (int turn = 0; turn < scale.promptSteps(); turn++) {
      final FakePlan plan = new FakePlan();
      for (int i = 0; i < count; i++) {
        plan.entry(
            bench.request(i, tokens, SamplingParams.GREEDY),
            0,
            tokens,
            tokens > scale.context() ? longSequence() : shortSequence(i));
      }
      bench.run(plan);
      best = Math.min(best, bench.forward());
    }
    final String shape = scale.modelName() + " " + count + "x" + tokens;
    table.add("prefill", shape, (double) count * tokens / best * 1e6, "tokens/s");
  }

  private void sampling(StepBench bench, SamplingRates.Filter filter, int batch)
      throws InterruptedException {
    final FakePlan plan = new FakePlan();
    for (int i = 0; i < batch; i++) {
      decodeShort(bench, plan, i, filter.params(i));
    }
    final StepBench.Took took = bench.measure(plan, Math.max(1, scale.steps() / 5));
    table.add("step sampling " + filter.words, "batch " + batch, took.sample(), "us");
  }
}
