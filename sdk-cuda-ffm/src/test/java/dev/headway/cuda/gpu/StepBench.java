package dev.headway.cuda.gpu;

import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.cuda.executor.CudaExecutor;
import dev.headway.executor.model.ModelConfig;
import dev.headway.testkit.FakePlan;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Steps made by hand on an executor, and what they take. Sequences that decode have blocks of their
 * own; what is behind their last token is computed for real first.
 */
final class StepBench {
  static final int BLOCK = 16;
  private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(60);

  private final CudaExecutor executor;
  private final ModelConfig config;
  private final StepOutput output = new StepOutput();

  StepBench(CudaExecutor executor, ModelConfig config) {
    this.executor = executor;
    this.config = config;
  }

  /** Microseconds: medians over some runs of the same step, and the first run as a whole. */
  record Took(double first, double forward, double sample, double host, double hostP99) {}

  static int blocksOf(int tokens) {
    return (tokens + BLOCK - 1) / BLOCK;
  }

  /** Runs a step once; its duration as the caller sees it, in microseconds. */
  double run(FakePlan plan) throws InterruptedException {
    output.begin(plan.stepId(), plan.size());
    final long beginNs = System.nanoTime();
    executor.submit(plan);
    if (!executor.await(output, LONGEST_NS)) {
      throw new IllegalStateException("no answer in " + LONGEST_NS + " ns");
    }
    final long tookNs = System.nanoTime() - beginNs;
    for (int i = 0; i < plan.size(); i++) {
      if (output.failure(i) != null) {
        throw new IllegalStateException("a request failed", output.failure(i));
      }
    }
    return tookNs / 1e3;
  }

  /** The forward pass of the latest step, in microseconds. */
  double forward() {
    return output.forwardNs() / 1e3;
  }

  Took measure(FakePlan plan, int times) throws InterruptedException {
    final double first = run(plan);
    final FakePlan again = again(plan);
    final double[] forward = new double[times];
    final double[] sample = new double[times];
    final double[] host = new double[times];
    for (int i = 0; i < times; i++) {
      final double all = run(again);
      forward[i] = forward();
      sample[i] = output.sampleNs() / 1e3;
      host[i] = all - forward[i] - sample[i];
    }
    Arrays.sort(forward);
    Arrays.sort(sample);
    Arrays.sort(host);
    final int middle = times / 2;
    return new Took(
        first, forward[middle], sample[middle], host[middle], host[(times * 99 - 1) / 100]);
  }

  /** The same step of requests that run already, whose block tables the executor has. */
  private static FakePlan again(FakePlan plan) {
    final FakePlan again = new FakePlan();
    for (int i = 0; i < plan.size(); i++) {
      again.add(
          plan.request(i),
          plan.blocks().of(i),
          EntryKind.RUNNING,
          plan.scheduledTokens(i),
          plan.blocks().count(i, 0),
          1);
    }
    return again;
  }

  /** A prompt of a sequence; other sequences have other tokens. */
  Request request(int sequence, int tokens, SamplingParams sampling) {
    final int[] prompt = new int[tokens];
    Arrays.setAll(
        prompt, i -> Math.floorMod(sequence * 7_919 + i * 104_729, config.vocabularySize()));
    return Request.builder("r" + sequence, prompt).maxTokens(1).sampling(sampling).build();
  }

  /** Blocks [first, first + what the tokens take). */
  static int[] blocks(int first, int tokens) {
    final int[] blocks = new int[blocksOf(tokens)];
    Arrays.setAll(blocks, i -> first + i);
    return blocks;
  }
}
