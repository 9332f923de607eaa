package dev.headway.cuda.gpu;

import dev.headway.api.request.SamplingParams;
import dev.headway.cuda.executor.CudaExecutor;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.testkit.FakePlan;

/**
 * Whole steps of a model with random weights: the first of the process against the hundredth,
 * uniform decode by batch, one long context among short ones, prompts, sampling by filter.
 */
final class StepRates {
  private final RateTable table;
  private final Scale scale;
  private final ModelConfig config;

  StepRates(RateTable table, Scale scale) {
    this.table = table;
    this.scale = scale;
    config = scale.model();
  }

  void run() throws InterruptedException {
    final long beginNs = System.nanoTime();
    try (Model model = FastWeights.model(config);
        CudaExecutor executor =
            CudaExecutor.builder(model, new SystemNanoClock())
                .blockSize(StepBench.BLOCK)
                .kvBlocks(1 + StepBench.blocksOf(scale.longContext()) + shortBlocks())
                .maxNumSeqs(scale.largestBatch())
                .maxNumBatchedTokens(scale.stepTokens())
                .maxModelLen(Math.max(scale.longContext(), scale.context()) + StepBench.BLOCK)
                .build()) {
      table.add("start", scale.modelName(), (System.nanoTime() - beginNs) / 1e9, "s");
      executor.attributes().forEach((name, value) -> System.err.println(name + ": " + value));
      final StepBench bench = new StepBench(executor, config);
      firstOfTheProcess(bench);
      fill(bench);
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
        sampling(bench, filter, 1);
        sampling(bench, filter, 64);
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

  /** Computes the contexts of all sequences, as many at a time as a step takes. */
  private void fill(StepBench bench) throws InterruptedException {
    final int together = Math.max(1, scale.stepTokens() / scale.context());
    for (int first = 0; first < scale.largestBatch(); first += together) {
      final FakePlan plan = new FakePlan();
      for (int i = first; i < Math.min(scale.largestBatch(), first + together); i++) {
        plan.entry(
            bench.request(i, scale.context(), SamplingParams.GREEDY),
            0,
            scale.context(),
            shortSequence(i));
      }
      bench.run(plan);
    }
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

  private void uniform(StepBench bench, int batch) throws InterruptedException {
    final FakePlan plan = new FakePlan();
    for (int i = 0; i < batch; i++) {
      decodeShort(bench, plan, i, SamplingParams.GREEDY);
    }
    final StepBench.Took took = bench.measure(plan, scale.steps());
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
    final FakePlan same = new FakePlan();
    for (int i = 0; i < batch; i++) {
      decodeShort(bench, same, i, SamplingParams.GREEDY);
    }
    table.add(
        "mixed beside uniform", shape, bench.measure(same, scale.steps() / 2).forward(), "us");
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
