package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.TokenLogprobs;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.cuda.emulation.TestSeed;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import dev.headway.scheduler.time.SystemNanoClock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/**
 * The log-probabilities that the device computes are those that the host computes from the row of
 * raw logits, which it is sent when more alternatives are asked for than the device answers.
 */
@OnCudaDriver
class DeviceLogprobsTest {
  private static final Offset<Float> ROUNDING = Offset.offset(2e-5f);
  private static final int REQUESTS = 24;
  private static final int VOCABULARY = 97;

  /** Alternatives of a request, negative for no log-probabilities at all. */
  private static int topOf(int request) {
    return new int[] {20, 0, 5, -1, 1, 20}[request % 6];
  }

  /** Most have penalties: more than are counted at once. */
  private static List<Request> requests(long seed, boolean asHostDoes) {
    final Random random = new Random(seed);
    final List<Request> requests = new ArrayList<>();
    for (int i = 0; i < REQUESTS; i++) {
      final int[] prompt = random.ints(1 + random.nextInt(9), 0, VOCABULARY).toArray();
      final SamplingParams.Builder params =
          SamplingParams.builder()
              .temperature(i % 3 == 0 ? 0 : 0.9f)
              .topP(i % 2 == 0 ? 0.9f : 1)
              .frequencyPenalty(i % 6 == 0 ? 0 : 0.5f)
              .repetitionPenalty(i % 6 == 0 ? 1 : 1.7f)
              .seed(seed + i);
      final int top = asHostDoes ? VOCABULARY : topOf(i);
      requests.add(
          Request.builder("r" + i, prompt)
              .maxTokens(5)
              .sampling(top < 0 ? params.build() : params.logprobs(top).build())
              .build());
    }
    return requests;
  }

  private static Generation generate(Model model, CudaGraphs graphs, List<Request> requests) {
    final CudaExecutor executor =
        CudaExecutor.builder(model, new SystemNanoClock())
            .blockSize(4)
            .kvBlocks(200)
            .maxNumSeqs(REQUESTS)
            .maxNumBatchedTokens(256)
            .maxModelLen(32)
            .graphs(graphs)
            .build();
    return Generation.of(
        executor,
        SchedulerConfig.builder(SchedulerLimits.builder(executor.shape()).build()).build(),
        requests);
  }

  @Test
  void shouldBeThoseOfTheHostAlsoBesidePenaltiesAndReplayed() {
    final long seed = TestSeed.VALUE;
    final Model model = Model.random(TestModels.tiny(ModelFamily.LLAMA), seed);
    Emulator.schedule(Emulator.ThreadOrder.FORWARD, Emulator.Streams.LAZY);

    final Generation host = generate(model, CudaGraphs.DISABLED, requests(seed, true));
    final Generation launched = generate(model, CudaGraphs.DISABLED, requests(seed, false));
    final Generation replayed = generate(model, CudaGraphs.ENABLED, requests(seed, false));

    assertThat(replayed.logprobs()).as("seed=%d", seed).isEqualTo(launched.logprobs());
    for (int i = 0; i < REQUESTS; i++) {
      assertThat(launched.tokens().get(i)).as("r%d", i).isEqualTo(host.tokens().get(i));
      assertThat(launched.logprobs().get(i)).hasSize(topOf(i) < 0 ? 0 : 5);
      for (int token = 0; token < launched.logprobs().get(i).size(); token++) {
        compare(
            "r" + i + ", token=" + token + ", seed=" + seed,
            launched.logprobs().get(i).get(token),
            host.logprobs().get(i).get(token),
            topOf(i));
      }
    }
  }

  private static void compare(String what, TokenLogprobs actual, TokenLogprobs host, int top) {
    assertThat(actual.logprob()).as(what).isCloseTo(host.logprob(), ROUNDING);
    assertThat(actual.rank()).as(what).isEqualTo(host.rank());
    assertThat(actual.topIds()).as(what).isEqualTo(Arrays.copyOf(host.topIds(), top));
    for (int i = 0; i < top; i++) {
      assertThat(actual.topLogprobs()[i]).as(what).isCloseTo(host.topLogprobs()[i], ROUNDING);
    }
  }
}
