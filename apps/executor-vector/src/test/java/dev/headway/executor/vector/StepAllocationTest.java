package dev.headway.executor.vector;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.headway.api.executor.Executor;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.StepOutput;
import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.OutputHead;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.testkit.FakePlan;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * A warm decode step allocates its copy of the plan, on the engine's thread, and nothing else.
 * Measured in a JVM of its own: whether the compiler keeps vectors in registers depends on what
 * else has run before.
 */
class StepAllocationTest {

  private static final String VECTORS = "--add-modules=jdk.incubator.vector";
  private static final Pattern BYTES = Pattern.compile("bytesPerStep=(\\d+)");

  private static final int WARM_UP = 6_000;
  private static final int STEPS = 200;
  private static final int ROUNDS = 20;
  private static final int ENTRIES = 4;

  @Test
  void shouldAllocateACopyOfThePlan() throws IOException, InterruptedException {
    final ChildJvm child = ChildJvm.run(List.of(VECTORS), StepAllocationTest.class);

    assertThat(child.exitCode()).as(child.output()).isZero();
    final Matcher bytes = BYTES.matcher(child.output());
    assertThat(bytes.find()).as(child.output()).isTrue();
    assertThat(Long.parseLong(bytes.group(1)))
        .as("bytes of a step of %d requests", ENTRIES)
        .isLessThan(1_500);
  }

  /** Prints what a step allocates. */
  @SuppressWarnings("SystemOut")
  public static void main(String[] arguments) throws InterruptedException {
    System.out.println("bytesPerStep=" + measure());
  }

  private static long measure() throws InterruptedException {
    final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    final FakePlan plan = new FakePlan();
    for (int i = 0; i < ENTRIES; i++) {
      final SamplingParams sampling =
          SamplingParams.builder().temperature(1).topP(0.9f).topK(5).seed(i).build();
      plan.entry(
          Request.builder("r" + i, 1, 2, 3).maxTokens(9).sampling(sampling).build(), 2, 1, i + 1);
    }
    final StepOutput output = new StepOutput();
    try (Executor executor =
        VectorExecutor.builder(Model.random(config(), 3), new SystemNanoClock())
            .numBlocks(ENTRIES + 1)
            .threads(2)
            .build()) {
      run(executor, new FakePlan().zeroed(1, 2, 3, 4), output); // what is read must be numbers
      for (int i = 0; i < WARM_UP; i++) {
        run(executor, plan, output);
      }

      long least = Long.MAX_VALUE;
      for (int round = 0; round < ROUNDS; round++) {
        final long before = allocated(threads);
        for (int i = 0; i < STEPS; i++) {
          run(executor, plan, output);
        }
        least = Math.min(least, allocated(threads) - before);
      }

      if (output.hasFailures()) {
        throw new IllegalStateException("a request of the measured steps failed");
      }
      return least / STEPS;
    }
  }

  /** Large enough for its products to be shared. */
  private static ModelConfig config() {
    return ModelConfig.builder(ModelFamily.LLAMA)
        .vocabularySize(256)
        .hiddenSize(256)
        .intermediateSize(256)
        .layers(1)
        .attention(new AttentionShape(4, 2, 64))
        .maxPositions(64)
        .outputHead(OutputHead.TIED)
        .build();
  }

  private static void run(Executor executor, FakePlan plan, StepOutput output)
      throws InterruptedException {
    output.begin(plan.stepId(), plan.size());
    executor.submit(plan);
    executor.await(output, 1);
  }

  private static long allocated(ThreadMXBean threads) {
    long bytes = threads.getCurrentThreadAllocatedBytes();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("headway-vector-")) {
        bytes += threads.getThreadAllocatedBytes(thread.threadId());
      }
    }
    return bytes;
  }
}
