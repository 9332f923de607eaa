package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.request.StopRule;
import dev.headway.api.request.TokenBias;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.cuda.emulation.TestSeed;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import dev.headway.scheduler.time.SystemNanoClock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Requests with grammars, biases, banned sequences and a least number of tokens, in any company of
 * each other and of penalties, filters and log-probabilities, get the tokens of the reference.
 */
@OnCudaDriver
class ConstrainedTokensTest {
  private static final int VOCABULARY = 97;
  private static final int REQUESTS = 40;

  private final long seed = TestSeed.VALUE;
  private final Model model = Model.random(TestModels.tiny(ModelFamily.LLAMA), seed);

  /** Every third is constrained; grammars are none's but one request's. */
  private List<Request> requests(Logprobs logprobs) {
    final Random random = new Random(seed);
    final List<Request> requests = new ArrayList<>();
    for (int i = 0; i < REQUESTS; i++) {
      final SamplingParams.Builder params =
          SamplingParams.builder()
              .temperature(i % 5 == 0 ? 0 : 0.5f + random.nextFloat())
              .topP(random.nextBoolean() ? 0.9f : 1)
              .topK(random.nextInt(3) * 20)
              .repetitionPenalty(random.nextInt(3) == 0 ? 1.3f : 1)
              .frequencyPenalty(random.nextInt(3) == 0 ? 0.4f : 0)
              .tokenBias(random.nextBoolean() ? bias(random) : TokenBias.NONE)
              .seed(random.nextLong());
      if (logprobs == Logprobs.WANTED && i % 4 == 0) {
        params.logprobs(i % 8 == 0 ? 5 : VOCABULARY); // by the device, and by the host
      }
      final boolean constrained = isConstrained(i);
      StopRule rule = StopRule.maxTokens(3 + random.nextInt(6));
      if (!constrained && i % 2 == 0) {
        rule = rule.withMinTokens(2).withEosTokenId(random.nextInt(VOCABULARY));
        rule = rule.withStopTokenIds(random.ints(20, 0, VOCABULARY).distinct().toArray());
      }
      final int[] prompt = random.ints(1 + random.nextInt(12), 0, VOCABULARY).toArray();
      final Request.Builder request =
          Request.builder("r" + i, prompt).stopRule(rule).sampling(params.build());
      if (constrained) {
        request.grammar(
            CompletableFuture.completedFuture(new RandomMasks(maskSeed(i), VOCABULARY)), null);
      }
      requests.add(request.build());
    }
    return requests;
  }

  private enum Logprobs {
    WANTED,
    NONE
  }

  private static boolean isConstrained(int request) {
    return request % 3 == 0;
  }

  private long maskSeed(int request) {
    return seed + 1_000L * request + request / 3;
  }

  /** Half of the bans are of one token; those of two can begin with nearly any output. */
  private static TokenBias bias(Random random) {
    final Map<Integer, Float> biases = new HashMap<>();
    for (int i = random.nextInt(20); i > 0; i--) {
      biases.put(random.nextInt(VOCABULARY), 4 * (float) random.nextGaussian());
    }
    TokenBias bias = TokenBias.NONE.withBiases(biases);
    for (int i = random.nextInt(200); i > 0; i--) {
      bias = bias.withBan(random.nextInt(VOCABULARY), random.nextInt(VOCABULARY));
    }
    return bias.withBan(random.nextInt(VOCABULARY));
  }

  private int @Nullable [] maskOf(Request request, int output) {
    final int index = Integer.parseInt(request.id().substring(1));
    return isConstrained(index) ? RandomMasks.mask(maskSeed(index), VOCABULARY, output) : null;
  }

  @ParameterizedTest
  @CsvSource({
    "1, ENABLED, NONE, 256",
    "1, DISABLED, WANTED, 256",
    "2, ENABLED, WANTED, 40",
    "2, ENABLED, NONE, 40"
  })
  void shouldBeThoseOfTheReference(
      int stepsInFlight, CudaGraphs graphs, Logprobs logprobs, int budget) {
    Emulator.schedule(Emulator.ThreadOrder.FORWARD, Emulator.Streams.LAZY);
    final List<Request> requests = requests(logprobs);

    final Generation actual =
        Generation.withFailures(
            executor(stepsInFlight, graphs), config(stepsInFlight, budget), requests);

    final ReferenceCheck check = new ReferenceCheck(model, this::maskOf);
    check.follow("seed=" + seed, requests, actual);
    assertThat(check.ties).as("%s, seed=%d", check, seed).isLessThan(check.tokens / 20);
    assertThat(check.tokens).as("%s, seed=%d", check, seed).isGreaterThan(REQUESTS * 2);
    for (int i = 0; i < REQUESTS; i++) { // a mask and bans may leave none
      final Throwable cause = actual.causes().get(i);
      if (cause != null) {
        assertThat(cause).hasMessageStartingWith("grammar, banned sequences and min_tokens");
        assertThat(isConstrained(i)).as("r%d, seed=%d", i, seed).isTrue();
      }
    }
    assertThat(actual.causes().stream().filter(cause -> cause != null).count())
        .as("seed=%d", seed)
        .isLessThan(REQUESTS / 5);
  }

  /** A ban of two tokens whose first one only the device has seen when the step is packed. */
  @Test
  void shouldBanBehindATokenThatIsOnTheDeviceAlone() {
    Emulator.schedule(Emulator.ThreadOrder.FORWARD, Emulator.Streams.LAZY);
    final Request free =
        Request.builder("free", 5, 6, 7).maxTokens(8).sampling(SamplingParams.GREEDY).build();
    final int[] outputs =
        Generation.of(executor(2, CudaGraphs.ENABLED), config(2, 40), List.of(free))
            .tokens()
            .get(0);
    final List<Request> banned = new ArrayList<>();
    for (int i = 1; i < outputs.length; i++) {
      final SamplingParams params =
          SamplingParams.builder()
              .temperature(0)
              .tokenBias(
                  TokenBias.NONE
                      .withBan(outputs[i - 1], outputs[i])
                      .withBan((outputs[i - 1] + 1) % VOCABULARY, outputs[i]))
              .build();
      banned.add(Request.builder("r" + i, 5, 6, 7).maxTokens(8).sampling(params).build());
    }

    final Generation actual = Generation.of(executor(2, CudaGraphs.ENABLED), config(2, 40), banned);

    for (int i = 1; i < outputs.length; i++) {
      final int[] tokens = actual.tokens().get(i - 1);
      for (int at = 1; at < tokens.length; at++) {
        assertThat(tokens[at - 1] == outputs[i - 1] && tokens[at] == outputs[i])
            .as("r%d has the banned pair at %d, seed=%d", i, at, seed)
            .isFalse();
      }
    }
    new ReferenceCheck(model).follow("seed=" + seed, banned, actual);
  }

  private CudaExecutor executor(int stepsInFlight, CudaGraphs graphs) {
    return CudaExecutor.builder(model, new SystemNanoClock())
        .blockSize(4)
        .kvBlocks(400)
        .maxNumSeqs(REQUESTS)
        .maxNumBatchedTokens(256)
        .maxModelLen(32)
        .stepsInFlight(stepsInFlight)
        .graphs(graphs)
        .build();
  }

  private static SchedulerConfig config(int stepsInFlight, int budget) {
    return SchedulerConfig.builder(
            SchedulerLimits.builder()
                .maxNumSeqs(Math.min(REQUESTS, budget))
                .maxNumBatchedTokens(budget)
                .maxModelLen(32)
                .build())
        .pipeline(stepsInFlight == 2 ? PipelineOptions.ASYNC : PipelineOptions.DEFAULT)
        .build();
  }
}
