package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.request.TokenBias;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.cuda.emulation.TestSeed;
import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.LoraFolder;
import dev.headway.executor.model.LoraWeights;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.OutputHead;
import dev.headway.executor.model.QuantizedModel;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.model.TinyModel;
import dev.headway.executor.reference.Precision;
import dev.headway.executor.reference.RandomLoad;
import dev.headway.executor.reference.WatchingExecutor;
import dev.headway.executor.speculation.NgramOptions;
import dev.headway.scheduler.time.SystemNanoClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * However the scheduler cuts, batches, preempts and shares, a request gets what it gets alone:
 * random loads on tiny pools, one step at a time and two, launched and replayed, with threads of a
 * block in any order; with every combination of a host tier, drafts and adapters.
 */
@OnCudaDriver
class SchedulingOnDeviceTest {

  /** With each combination. */
  private static final int LOADS = 2;

  private static final int MAX_MODEL_LEN = 48;
  private static final int MOST_DRAFTS = 3;
  private static final int HOST_BLOCKS = 64;
  private static final List<LoraAdapter> ADAPTERS =
      List.of(new LoraAdapter(1, "poet"), new LoraAdapter(2, "critic"));

  /** What a load uses beside the rest. */
  private record Features(boolean hostTier, boolean drafts, boolean adapters) {
    int hostBlocks() {
      return hostTier ? HOST_BLOCKS : 0;
    }
  }

  @TempDir private Path directory;

  /** What was done over all loads. */
  private int prefixHits;

  private int resumed;
  private int preemptions;
  private int chunks;
  private int mixedSteps;
  private int saves;
  private int loads;
  private int drafts;
  private int accepted;
  private List<QuantizedModel> quantized = List.of();

  @Test
  void shouldAnswerWhatARequestGetsAlone() {
    shouldAnswerWhatARequestGetsAlone(Families.withoutWindows(), List.of(false, true), 0.05);
  }

  /** Blocks of windows have no host tier. */
  @Test
  void shouldAnswerWhatARequestGetsAloneWithWindows() {
    shouldAnswerWhatARequestGetsAlone(Families.withWindows(), List.of(false), 0.05);
  }

  /** One input that is rounded otherwise moves a logit more than a rounding to bfloat16 does. */
  @Test
  void shouldAnswerWhatARequestGetsAloneWithRoundedInputs() {
    final List<TinyModel> models =
        Families.withoutWindows().stream().filter(tiny -> tiny.config().experts() == null).toList();
    quantized =
        List.of(
            QuantizedModel.FP8_STATIC,
            QuantizedModel.TENSORS_DYNAMIC,
            QuantizedModel.FP8_WIDE_BLOCKS);
    if (Emulator.isActive()) {
      new Emulator.Device().compute(9, 0).install();
    }
    shouldAnswerWhatARequestGetsAlone(models, List.of(false, true), 0.1);
  }

  @Test
  void shouldAnswerTheSameTokensWithDraftsAsWithout() {
    final Model model = Model.random(TestModels.tiny(ModelFamily.LLAMA), TestSeed.VALUE);
    final Request request = Request.builder("r", 5, 6, 7, 5, 6, 7, 5, 6).maxTokens(30).build();

    final Generation without = generate(model, request, 0);
    final Generation with = generate(model, request, MOST_DRAFTS);

    assertThat(accepted).isPositive();
    assertThat(with.tokens()).usingRecursiveComparison().isEqualTo(without.tokens());
  }

  @Test
  void shouldKeepBansBehindDrafts() {
    for (long seed = TestSeed.VALUE; seed < TestSeed.VALUE + 6; seed++) {
      final Model model = Model.random(TestModels.tiny(ModelFamily.LLAMA), seed);
      final Request.Builder repeating = Request.builder("r", 5, 6, 7, 5, 6, 7, 5, 6).maxTokens(30);
      final int[] free = generate(model, repeating.build(), 0).tokens().getFirst();
      TokenBias bans = TokenBias.NONE; // of what a draft and the token behind it would be
      for (int i = 12; i + 3 <= free.length; i += 4) {
        bans = bans.withBan(Arrays.copyOfRange(free, i, i + 3));
      }
      final Request banning =
          repeating
              .sampling(SamplingParams.builder().temperature(0).tokenBias(bans).build())
              .build();

      final Generation without = generate(model, banning, 0);
      final Generation with = generate(model, banning, MOST_DRAFTS);

      assertThat(without.tokens().getFirst()).as("seed=%d", seed).isNotEqualTo(free);
      assertThat(with.tokens())
          .as("seed=%d", seed)
          .usingRecursiveComparison()
          .isEqualTo(without.tokens());
    }
    assertThat(accepted).isPositive();
  }

  private Generation generate(Model model, Request request, int mostDrafts) {
    final CudaExecutorBuilder builder =
        CudaExecutor.builder(model, new SystemNanoClock())
            .kvBlocks(8)
            .maxModelLen(64)
            .maxNumSeqs(4);
    if (mostDrafts > 0) {
      builder.ngrams(new NgramOptions(1, 2), mostDrafts);
    }
    final WatchingExecutor executor = new WatchingExecutor(builder.build());
    final SchedulerConfig config =
        SchedulerConfig.builder(
                SchedulerLimits.builder()
                    .maxNumSeqs(4)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(64)
                    .build())
            .speculation(
                mostDrafts == 0
                    ? SpeculationOptions.NONE
                    : SpeculationOptions.of(SpeculativeMethod.NGRAM, mostDrafts))
            .build();
    final Generation made = Generation.of(executor, config, List.of(request));
    accepted += executor.accepted;
    return made;
  }

  /** One model after the other, each with the next combination. */
  private void shouldAnswerWhatARequestGetsAlone(
      List<TinyModel> models, List<Boolean> hostTiers, double mostTies) {
    final long firstSeed = TestSeed.VALUE;
    int done = 0;
    int tokens = 0;
    int ties = 0;
    for (int round = 0; round < LOADS; round++) {
      for (Features features : combinations(hostTiers)) {
        final TinyModel tiny = models.get(done % models.size());
        final ReferenceCheck check = run(firstSeed + done, tiny, features);
        tokens += check.tokens;
        ties += check.ties;
        done++;
      }
    }

    final String what =
        ("prefixHits=%d, resumed=%d, preemptions=%d, chunks=%d, mixedSteps=%d, saves=%d, loads=%d,"
                + " drafts=%d, accepted=%d, firstSeed=%d")
            .formatted(
                prefixHits,
                resumed,
                preemptions,
                chunks,
                mixedSteps,
                saves,
                loads,
                drafts,
                accepted,
                firstSeed);
    final int most = done;
    assertThat(List.of(prefixHits, resumed, preemptions, chunks, mixedSteps))
        .as(what)
        .allSatisfy(count -> assertThat(count).isGreaterThan(most / 2));
    assertThat(List.of(drafts, accepted, drafts - accepted))
        .as(what)
        .allSatisfy(count -> assertThat(count).isGreaterThan(most / 4));
    if (hostTiers.contains(true)) {
      assertThat(List.of(saves, loads))
          .as(what)
          .allSatisfy(count -> assertThat(count).isGreaterThan(most / 2));
    }
    assertThat(ties)
        .as("ties of %d tokens, firstSeed=%d", tokens, firstSeed)
        .isLessThan((int) (tokens * mostTies));
  }

  private static List<Features> combinations(List<Boolean> hostTiers) {
    final List<Boolean> either = List.of(false, true);
    final List<Features> combinations = new ArrayList<>();
    for (boolean hostTier : hostTiers) {
      for (boolean drafts : either) {
        for (boolean adapters : either) {
          combinations.add(new Features(hostTier, drafts, adapters));
        }
      }
    }
    return combinations;
  }

  private ReferenceCheck run(long seed, TinyModel tiny, Features features) {
    final Random random = new Random(seed);
    Emulator.schedule(Emulator.ThreadOrder.shuffled(random.nextInt()), Emulator.Streams.LAZY);
    final ModelConfig shape =
        tiny.config().toBuilder().outputHead(RandomLoad.pick(random, OutputHead.values())).build();
    final int groups = KvLayers.of(shape).groups();
    final Model model = quantized(Model.random(shape, seed), seed);
    final Precision precision = quantized.isEmpty() ? Precision.BFLOAT16 : Precision.QUANTIZED;
    final int stepsInFlight = features.drafts ? 1 : 1 + random.nextInt(2);
    final CudaGraphs graphs = RandomLoad.pick(random, CudaGraphs.values());
    final int blockSize = 1 << random.nextInt(5);
    final int longest = (MAX_MODEL_LEN + blockSize - 1) / blockSize;
    final CudaExecutorBuilder builder =
        CudaExecutor.builder(model, new SystemNanoClock())
            .blockSize(blockSize)
            .kvBlocks(1 + groups * longest + random.nextInt(longest))
            .hostBlocks(features.hostBlocks())
            .maxNumSeqs(6)
            .maxNumBatchedTokens(26)
            .maxModelLen(MAX_MODEL_LEN)
            .stepsInFlight(stepsInFlight)
            .precision(precision)
            .graphs(graphs);
    if (features.drafts) {
      builder.ngrams(new NgramOptions(1, 1 + random.nextInt(3)), MOST_DRAFTS);
    }
    final Map<LoraAdapter, LoraWeights> read = new HashMap<>();
    final List<LoraAdapter> adapters = features.adapters ? ADAPTERS : List.of();
    for (LoraAdapter adapter : adapters) {
      final Path folder = write(adapter, shape, seed);
      builder.adapter(adapter, folder);
      read.put(adapter, LoraWeights.load(folder, shape));
    }
    final WatchingExecutor executor = new WatchingExecutor(builder.build());
    final List<Request> requests =
        RandomLoad.requests(
            random, 8, 16, MAX_MODEL_LEN, model.config().vocabularySize(), adapters);

    final Generation actual =
        Generation.of(executor, config(random, stepsInFlight, features), requests);

    prefixHits += executor.prefixHits;
    resumed += executor.resumed;
    chunks += executor.chunks;
    mixedSteps += executor.mixedSteps;
    if (!features.hostTier) {
      assertThat(executor.saves + executor.loads).as("seed=%d, %s", seed, features).isZero();
    }
    saves += executor.saves;
    loads += executor.loads;
    drafts += executor.drafts;
    accepted += executor.accepted;
    preemptions += actual.preemptions();
    final ReferenceCheck check =
        new ReferenceCheck(model.withMaxPositions(MAX_MODEL_LEN), precision, read);
    check.follow(
        "seed=%d, %s, %s, stepsInFlight=%d, graphs=%s"
            .formatted(seed, tiny, features, stepsInFlight, graphs),
        requests,
        actual);
    return check;
  }

  /** One kind of quantisation after the other, where there are any. */
  private Model quantized(Model model, long seed) {
    if (quantized.isEmpty()) {
      return model;
    }
    try {
      final Path folder = Files.createTempDirectory(directory, "quantized");
      quantized.get((int) Math.floorMod(seed, (long) quantized.size())).write(model, folder);
      return Model.load(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path write(LoraAdapter adapter, ModelConfig shape, long seed) {
    try {
      final Path folder = Files.createTempDirectory(directory, adapter.name());
      LoraFolder.write(folder, shape, seed + adapter.id(), 1 + 8 * adapter.id(), 0.25);
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private SchedulerConfig config(Random random, int stepsInFlight, Features features) {
    final int budget = 6 + random.nextInt(20);
    return SchedulerConfig.builder(
            SchedulerLimits.builder()
                .maxNumSeqs(6)
                .maxNumBatchedTokens(budget)
                .maxModelLen(MAX_MODEL_LEN)
                .build())
        .longPrefillTokenThreshold(random.nextBoolean() ? 0 : 1 + random.nextInt(8))
        .kvOffload(new KvOffloadOptions(features.hostBlocks()))
        .speculation(
            features.drafts
                ? SpeculationOptions.of(SpeculativeMethod.NGRAM, 1 + random.nextInt(MOST_DRAFTS))
                : SpeculationOptions.NONE)
        .pipeline(stepsInFlight == 2 ? PipelineOptions.ASYNC : PipelineOptions.DEFAULT)
        .build();
  }
}
