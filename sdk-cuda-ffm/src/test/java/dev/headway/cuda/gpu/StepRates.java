package dev.headway.cuda.gpu;

import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.cuda.executor.CudaExecutor;
import dev.headway.cuda.executor.CudaGraphs;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.testkit.FakePlan;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Whole steps of a model with random weights: prompts are computed for real, then the same decode
 * step is repeated. Floors are the bytes of weights and KV at the run's own copy rate.
 */
final class StepRates {
  private static final int BLOCK = 16;

  private final RateTable table;
  private final Scale scale;
  private final double copyRate;
  private final StepOutput output = new StepOutput();

  StepRates(RateTable table, Scale scale, double copyRate) {
    this.table = table;
    this.scale = scale;
    this.copyRate = copyRate;
  }

  void run(String name, ModelConfig config) throws InterruptedException {
    final int most = Arrays.stream(scale.batches()).max().orElseThrow();
    for (CudaGraphs graphs : CudaGraphs.values()) {
      try (Model model = Model.random(config, 1);
          CudaExecutor executor =
              CudaExecutor.builder(model, new SystemNanoClock())
                  .blockSize(BLOCK)
                  .kvBlocks(1 + most * blocksOfContext())
                  .maxNumSeqs(most)
                  .maxNumBatchedTokens(Math.max(most, scale.prefillTokens()))
                  .maxModelLen(scale.contextTokens())
                  .graphs(graphs)
                  .build()) {
        prefill(executor, name, config, most, graphs);
        for (int batch : scale.batches()) {
          decode(executor, name, config, batch, graphs);
        }
      }
    }
  }

  private int blocksOfContext() {
    return scale.contextTokens() / BLOCK;
  }

  /** Fills the cache of all sequences, as many prompts at a time as a step takes. */
  private void prefill(
      CudaExecutor executor, String name, ModelConfig config, int sequences, CudaGraphs graphs)
      throws InterruptedException {
    final int context = scale.contextTokens();
    final int together = Math.max(1, scale.prefillTokens() / context);
    long tokens = 0;
    long ns = 0;
    for (int first = 0; first < sequences; first += together) {
      final FakePlan plan = new FakePlan();
      final int end = Math.min(sequences, first + together);
      for (int i = first; i < end; i++) {
        plan.entry(request(config, i), 0, context, blocks(i));
      }
      run(executor, plan);
      if (first > 0) { // the first one warms up
        tokens += (long) (end - first) * context;
        ns += output.forwardNs();
      }
    }
    if (graphs == CudaGraphs.DISABLED && tokens > 0) {
      final String shape = name + " " + together + "x" + context;
      table.add("M5", "prefill", shape, tokens / (ns / 1e9), "tokens/s");
      final double flops = 2.0 * (config.parameters() - embedding(config)) * tokens;
      table.add("M5", "prefill weights only", shape, flops / ns / 1e3, "TFLOP/s");
    }
  }

  private void decode(
      CudaExecutor executor, String name, ModelConfig config, int batch, CudaGraphs graphs)
      throws InterruptedException {
    final int context = scale.contextTokens();
    final FakePlan first = new FakePlan();
    for (int i = 0; i < batch; i++) {
      first.entry(request(config, i), context - 1, 1, blocks(i));
    }
    run(executor, first);
    final FakePlan plan = new FakePlan(); // the executor has the block tables now
    for (int i = 0; i < batch; i++) {
      plan.add(first.request(i), first.blocks(i), EntryKind.RUNNING, 1, first.blockCount(i, 0), 1);
    }
    for (int i = 0; i < 3; i++) { // clocks and caches get warm
      run(executor, plan);
    }
    final long[] forwardNs = new long[scale.steps()];
    final long[] sampleNs = new long[scale.steps()];
    final long beginNs = System.nanoTime();
    for (int i = 0; i < scale.steps(); i++) {
      run(executor, plan);
      forwardNs[i] = output.forwardNs();
      sampleNs[i] = output.sampleNs();
    }
    final double wallNs = (double) (System.nanoTime() - beginNs) / scale.steps();
    Arrays.sort(forwardNs);
    Arrays.sort(sampleNs);
    final double forward = forwardNs[forwardNs.length / 2];
    final double bytes =
        2.0 * (config.parameters() - embedding(config))
            + 2.0 * config.kvElementsPerToken() * context * batch;
    final String shape = name + " batch " + batch + " context " + context;
    final String how = graphs == CudaGraphs.ENABLED ? " replayed" : " launched";
    final double floorNs = bytes / copyRate * 1e9;
    table.add("M4/M6", "decode forward" + how, shape, forward / 1e3, "us", floorNs / 1e3);
    table.add("M4/M6", "decode floor", shape, floorNs / 1e3, "us");
    table.add("M7", "sampling" + how, shape, sampleNs[sampleNs.length / 2] / 1e3, "us");
    table.add("M6", "step seen by the caller" + how, shape, wallNs / 1e3, "us");
  }

  /** A table of which a step reads some rows only; a tied one is read as a whole for the logits. */
  private static long embedding(ModelConfig config) {
    return switch (config.outputHead()) {
      case TIED -> 0;
      case OWN -> (long) config.vocabularySize() * config.hiddenSize();
    };
  }

  private Request request(ModelConfig config, int index) {
    final int[] prompt = new int[scale.contextTokens()];
    Arrays.setAll(prompt, i -> (index * 7919 + i * 104_729) % config.vocabularySize());
    return Request.builder("r" + index, prompt)
        .maxTokens(1)
        .sampling(SamplingParams.builder().temperature(0.8f).topP(0.95f).seed(index).build())
        .build();
  }

  private int[] blocks(int index) {
    final int[] blocks = new int[blocksOfContext()];
    Arrays.setAll(blocks, i -> 1 + index * blocksOfContext() + i);
    return blocks;
  }

  private void run(CudaExecutor executor, FakePlan plan) throws InterruptedException {
    output.begin(plan.stepId(), plan.size());
    executor.submit(plan);
    if (!executor.await(output, TimeUnit.MINUTES.toNanos(5))) {
      throw new IllegalStateException("no answer in 5 minutes");
    }
    if (output.hasFailures()) {
      throw new IllegalStateException("a request failed", output.failure(0));
    }
  }
}
