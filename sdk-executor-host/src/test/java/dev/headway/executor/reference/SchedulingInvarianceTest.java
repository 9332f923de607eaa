package dev.headway.executor.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.TokenLogprobs;
import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.OutputHead;
import dev.headway.executor.model.TinyModel;
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
 * alone: random loads on tiny pools, against a forward pass over the whole sequence for every
 * token, which knows no cache. Equal to the last bit, log-probabilities included.
 */
class SchedulingInvarianceTest {

  private static final int LOADS = 24;
  private static final int MAX_MODEL_LEN = 64;

  /** What was done over all loads. */
  private int prefixHits;

  private int resumed;
  private int preemptions;
  private int chunks;
  private int mixedSteps;
  private int saves;
  private int loads;
  private boolean speculates;
  private int drafts;
  private int accepted;

  @Test
  void shouldAnswerWhatARequestGetsAlone() {
    shouldAnswerWhatARequestGetsAlone(0);
    assertThat(saves + loads).isZero();
  }

  @Test
  void shouldAnswerWhatARequestGetsAloneWithAHostTier() {
    shouldAnswerWhatARequestGetsAlone(64);
    assertThat(List.of(saves, loads)).allSatisfy(count -> assertThat(count).isGreaterThan(LOADS));
  }

  @Test
  void shouldAnswerWhatARequestGetsAloneWithAHostTierThatIsFull() {
    shouldAnswerWhatARequestGetsAlone(5);
    assertThat(saves).isGreaterThan(LOADS);
  }

  @Test
  void shouldAnswerWhatARequestGetsAloneWithDrafts() {
    speculates = true;
    shouldAnswerWhatARequestGetsAlone(0);
    assertThat(List.of(drafts, accepted, drafts - accepted))
        .allSatisfy(count -> assertThat(count).isGreaterThan(LOADS));
  }

  private void shouldAnswerWhatARequestGetsAlone(int hostBlocks) {
    final long firstSeed = System.nanoTime();
    for (long seed = firstSeed; seed < firstSeed + LOADS; seed++) {
      run(seed, hostBlocks);
    }

    final String done =
        "prefixHits=%d, resumed=%d, preemptions=%d, chunks=%d, mixedSteps=%d, firstSeed=%d"
            .formatted(prefixHits, resumed, preemptions, chunks, mixedSteps, firstSeed);
    assertThat(List.of(prefixHits, resumed, preemptions, chunks, mixedSteps))
        .as(done)
        .allSatisfy(count -> assertThat(count).as(done).isGreaterThan(LOADS));
  }

  private void run(long seed, int hostBlocks) {
    final Random random = new Random(seed);
    final TinyModel tiny = TinyModel.of(seed, hostBlocks > 0);
    final ModelConfig shape =
        tiny.config().toBuilder().outputHead(RandomLoad.pick(random, OutputHead.values())).build();
    final int groups = KvLayers.of(shape).groups();
    final Precision precision = RandomLoad.pick(random, Precision.values());
    final Model model = Model.random(shape, seed);
    final int blockSize = 1 << random.nextInt(4);
    final int longest = (MAX_MODEL_LEN + blockSize - 1) / blockSize;
    final ReferenceExecutorBuilder builder =
        ReferenceExecutor.builder(model, new VirtualClock())
            .precision(precision)
            .blockSize(blockSize)
            .numBlocks(1 + groups * longest + random.nextInt(longest))
            .hostBlocks(hostBlocks)
            .maxNumSeqs(6);
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

    final ReferenceModel alone = new ReferenceModel(model, precision);
    for (int i = 0; i < requests.size(); i++) {
      final String what =
          "seed=%d, %s, %s, request=%s".formatted(seed, tiny, precision, requests.get(i).id());
      final RequestOutcome outcome = handles.get(i).outcome().toCompletableFuture().join();
      assertThat(outcome).as(what).isInstanceOf(Finished.class);
      preemptions += ((Finished) outcome).preemptions();
      final Heard expected = generate(alone, requests.get(i));
      assertThat(((Finished) outcome).outputTokenIds()).as(what).isEqualTo(expected.tokenIds());
      assertThat(heard.get(i).logprobs).as(what).isEqualTo(expected.logprobs);
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
  private static Heard generate(ReferenceModel model, Request request) {
    final SamplingParams params = request.sampling();
    final int vocabularySize = model.config().vocabularySize();
    final Heard heard = new Heard();
    int[] known = new int[request.promptTokens()];
    request.copyPromptTokenIds(0, known, 0, known.length);
    for (int i = 0; i < request.stopRule().maxTokens(); i++) {
      final float[] raw = model.logits(known);
      final float[] logits = raw.clone();
      new Penalties(vocabularySize)
          .apply(logits, params, known, request.promptTokens(), known.length);
      final int token = new Sampler(vocabularySize).sample(logits, params, known.length);
      if (params.logprobs().isPresent()) {
        heard.onLogprobs(i, token, Logprobs.of(raw, token, params.logprobs().getAsInt()));
      }
      heard.onToken(i, token);
      known = Arrays.copyOf(known, known.length + 1);
      known[known.length - 1] = token;
    }
    return heard;
  }

  private void count(WatchingExecutor executor) {
    prefixHits += executor.prefixHits;
    resumed += executor.resumed;
    chunks += executor.chunks;
    mixedSteps += executor.mixedSteps;
    saves += executor.saves;
    loads += executor.loads;
    drafts += executor.drafts;
    accepted += executor.accepted;
  }

  private static final class Heard implements TokenListener {
    private final List<Integer> tokens = new ArrayList<>();
    private final List<TokenLogprobs> logprobs = new ArrayList<>();

    @Override
    public void onToken(int index, int tokenId) {
      tokens.add(tokenId);
    }

    @Override
    public void onLogprobs(int index, int tokenId, TokenLogprobs answer) {
      logprobs.add(answer);
    }

    int[] tokenIds() {
      return tokens.stream().mapToInt(Integer::intValue).toArray();
    }
  }
}
