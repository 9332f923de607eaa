package dev.headway.executor.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.OutputHead;
import dev.headway.executor.model.TinyModel;
import dev.headway.executor.model.WeightType;
import dev.headway.executor.reference.Precision;
import dev.headway.executor.reference.RandomLoad;
import dev.headway.executor.reference.ReferenceModel;
import dev.headway.executor.reference.WatchingExecutor;
import dev.headway.executor.sampling.Logprobs;
import dev.headway.executor.sampling.Penalties;
import dev.headway.executor.sampling.Sampler;
import dev.headway.executor.speculation.NgramOptions;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.VirtualClock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * However the scheduler cuts, batches, preempts and shares, a request gets the tokens it gets
 * alone, to the last bit of its log-probabilities: random loads on tiny pools, any block size and
 * number of threads. And it gets what the reference gives it, but for rounding.
 */
class VectorSchedulingTest {

  private static final int LOADS = 12;
  private static final int MAX_MODEL_LEN = 64;

  /** How far a log-probability may be from the reference's. */
  private static final float TOLERANCE = 1e-4f;

  /** What was done over all loads. */
  private int prefixHits;

  private int resumed;
  private int preemptions;
  private int chunks;
  private int mixedSteps;
  private int saves;
  private int loads;
  private int tokens;
  private int otherTokens;
  private boolean speculates;
  private int accepted;
  private int rerouted;

  @Test
  void shouldAnswerWhatARequestGetsAlone() {
    runAll(0);
    assertThat(saves + loads).isZero();
  }

  @Test
  void shouldAnswerWhatARequestGetsAloneWithAHostTier() {
    runAll(64);
    assertThat(List.of(saves, loads))
        .allSatisfy(count -> assertThat(count).isGreaterThan(LOADS / 2));
  }

  @Test
  void shouldAnswerWhatARequestGetsAloneWithAHostTierThatIsFull() {
    runAll(5);
    assertThat(saves).isGreaterThan(LOADS / 2);
  }

  @Test
  void shouldAnswerWhatARequestGetsAloneWithDrafts() {
    speculates = true;
    runAll(0);
    assertThat(accepted).isGreaterThan(LOADS);
  }

  private void runAll(int hostBlocks) {
    final long firstSeed = System.nanoTime();
    for (long seed = firstSeed; seed < firstSeed + LOADS; seed++) {
      run(seed, hostBlocks);
    }

    final String done =
        "prefixHits=%d, resumed=%d, preemptions=%d, chunks=%d, mixedSteps=%d, firstSeed=%d"
            .formatted(prefixHits, resumed, preemptions, chunks, mixedSteps, firstSeed);
    assertThat(List.of(prefixHits, resumed, preemptions, chunks, mixedSteps))
        .as(done)
        .allSatisfy(count -> assertThat(count).as(done).isGreaterThan(LOADS / 2));
    assertThat(otherTokens)
        .as("tokens that the reference would not pick, of %d, firstSeed=%d", tokens, firstSeed)
        .isLessThanOrEqualTo(tokens / 500);
    assertThat(rerouted)
        .as("tokens of other experts than the reference's, of %d, firstSeed=%d", tokens, firstSeed)
        .isLessThanOrEqualTo(tokens / 50);
  }

  private void run(long seed, int hostBlocks) {
    final Random random = new Random(seed);
    final TinyModel tiny = TinyModel.of(seed, hostBlocks > 0);
    final ModelConfig shape =
        tiny.config().toBuilder().outputHead(RandomLoad.pick(random, OutputHead.values())).build();
    final int groups = KvLayers.of(shape).groups();
    final WeightType type = RandomLoad.pick(random, WeightType.values());
    final Model model = Model.random(shape, seed, type);
    final int blockSize = 1 + random.nextInt(20);
    final int longest = (MAX_MODEL_LEN + blockSize - 1) / blockSize;
    final VectorExecutorBuilder builder =
        VectorExecutor.builder(model, new VirtualClock())
            .blockSize(blockSize)
            .numBlocks(1 + groups * longest + random.nextInt(longest))
            .hostBlocks(hostBlocks)
            .maxNumSeqs(6)
            .threads(1 + random.nextInt(3));
    if (speculates) {
      builder.ngrams(new NgramOptions(1, 1 + random.nextInt(3)));
    }
    final WatchingExecutor executor = new WatchingExecutor(builder.build());
    final List<Request> requests =
        RandomLoad.requests(random, 10, 24, MAX_MODEL_LEN, model.config().vocabularySize());
    final List<RequestHandle> handles = new ArrayList<>();
    final List<Heard> heard = new ArrayList<>();
    try (Engine engine =
        HeadwayEngine.builder(executor)
            .clock(new VirtualClock())
            .config(config(random, hostBlocks))
            .build()) {
      for (Request request : requests) {
        heard.add(new Heard());
        handles.add(engine.submit(request, heard.getLast()));
        for (int steps = random.nextInt(6); steps > 0; steps--) {
          engine.step();
        }
      }
      while (engine.step()) {}
    }
    count(executor);

    final ReferenceModel reference = new ReferenceModel(model, Precision.FLOAT32);
    try (Alone alone = new Alone(model, 1)) {
      for (int i = 0; i < requests.size(); i++) {
        final String what =
            "seed=%d, %s, %s, request=%s".formatted(seed, tiny, type, requests.get(i).id());
        final var outcome = handles.get(i).outcome().toCompletableFuture().join();
        assertThat(outcome).as(what).isInstanceOf(Finished.class);
        assertThat(((Finished) outcome).cause()).as(what).isNull();
        preemptions += ((Finished) outcome).preemptions();
        follow(what, requests.get(i), heard.get(i), alone, reference);
      }
    }
  }

  private SchedulerConfig config(Random random, int hostBlocks) {
    final int budget = 6 + random.nextInt(20);
    return SchedulerConfig.builder(
            SchedulerLimits.builder()
                .maxNumSeqs(6)
                .maxNumBatchedTokens(budget)
                .maxModelLen(MAX_MODEL_LEN)
                .build())
        .kvOffload(new KvOffloadOptions(hostBlocks))
        .speculation(
            speculates
                ? SpeculationOptions.of(SpeculativeMethod.NGRAM, 1 + random.nextInt(4))
                : SpeculationOptions.NONE)
        .longPrefillTokenThreshold(random.nextBoolean() ? 0 : 1 + random.nextInt(8))
        .build();
  }

  /** One request, one whole forward pass for each token. */
  private void follow(
      String what, Request request, Heard heard, Alone alone, ReferenceModel reference) {
    final SamplingParams params = request.sampling();
    int[] known = new int[request.promptTokens()];
    request.copyPromptTokenIds(0, known, 0, known.length);
    assertThat(heard.tokens).as(what).hasSize(request.stopRule().maxTokens());
    for (int i = 0; i < heard.tokens.size(); i++) {
      final int token = heard.tokens.get(i);
      final float[] raw = alone.logits(known);
      final float[] expected = reference.logits(known);

      assertThat(pick(raw, request, known)).as("%s, output %d", what, i).isEqualTo(token);
      if (params.logprobs().isPresent()) {
        assertThat(heard.logprobs.get(i))
            .as("%s, output %d", what, i)
            .isEqualTo(Logprobs.of(raw, token, params.logprobs().getAsInt()));
      }
      tokens++;
      if (isRerouted(raw, expected, reference.config())) {
        rerouted++;
      } else {
        assertThat(Logprobs.of(raw, token, 0).logprob())
            .as("%s, output %d", what, i)
            .isCloseTo(Logprobs.of(expected, token, 0).logprob(), within(TOLERANCE));
        otherTokens += pick(expected, request, known) == token ? 0 : 1;
      }

      known = Arrays.copyOf(known, known.length + 1);
      known[known.length - 1] = token;
    }
  }

  /**
   * Whether logits differ by more than sums in another order make of them, as they may where two
   * experts are equally good within a rounding.
   */
  private static boolean isRerouted(float[] raw, float[] expected, ModelConfig config) {
    float most = 0;
    for (int token = 0; token < raw.length; token++) {
      most = Math.max(most, Math.abs(raw[token] - expected[token]));
    }
    return config.experts() != null && most > TOLERANCE;
  }

  private static int pick(float[] raw, Request request, int[] known) {
    final float[] logits = raw.clone();
    new Penalties(logits.length)
        .apply(logits, request.sampling(), known, request.promptTokens(), known.length);
    return new Sampler(logits.length).sample(logits, request.sampling(), known.length);
  }

  private void count(WatchingExecutor executor) {
    prefixHits += executor.prefixHits;
    resumed += executor.resumed;
    chunks += executor.chunks;
    mixedSteps += executor.mixedSteps;
    saves += executor.saves;
    loads += executor.loads;
    accepted += executor.accepted;
  }
}
