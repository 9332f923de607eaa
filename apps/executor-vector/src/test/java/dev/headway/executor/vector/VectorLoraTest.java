package dev.headway.executor.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.Executor;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.LoraFolder;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.TinyModel;
import dev.headway.executor.model.WeightType;
import dev.headway.executor.reference.ReferenceExecutor;
import dev.headway.executor.reference.WatchingExecutor;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.VirtualClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Requests of two adapters and of none, in one batch: each gets what it gets alone, to the bit, and
 * what the reference gives it, but for rounding.
 */
class VectorLoraTest {

  private static final LoraAdapter POET = new LoraAdapter(1, "poet");
  private static final LoraAdapter CRITIC = new LoraAdapter(2, "critic");
  private static final int REQUESTS = 9;

  @TempDir Path poet;
  @TempDir Path critic;

  private int prefixHits;

  @ParameterizedTest
  @EnumSource(TinyModel.class)
  void shouldAnswerWhatARequestGetsAlone(TinyModel tiny) throws IOException {
    final Model model = Model.random(tiny.config(), 5, WeightType.F32);
    LoraFolder.write(poet, model.config(), 9);
    LoraFolder.write(critic, model.config(), 10);
    final Random random = new Random(tiny.ordinal());
    final List<Request> requests = new ArrayList<>();
    final int[] shared = random.ints(24, 0, 97).toArray();
    for (int i = 0; i < REQUESTS; i++) {
      requests.add(request(i, shared, random));
    }

    final List<Heard> together = run(vector(model, 1 + random.nextInt(3)), requests);

    for (int i = 0; i < REQUESTS; i++) {
      final Heard alone = run(vector(model, 1), List.of(requests.get(i))).getFirst();
      assertThat(together.get(i).tokens).as("%s, %d", tiny, i).isEqualTo(alone.tokens);
      assertThat(bits(together.get(i))).as("%s, %d", tiny, i).isEqualTo(bits(alone));
      final Heard reference = run(reference(model), List.of(requests.get(i))).getFirst();
      assertThat(alone.logprobs.getFirst().logprob())
          .isCloseTo(reference.logprobs.getFirst().logprob(), within(1e-4f));
    }
    // the same prompt, three ways
    assertThat(together.get(0).logprobs.getFirst())
        .isNotEqualTo(together.get(1).logprobs.getFirst());
    assertThat(together.get(1).logprobs.getFirst())
        .isNotEqualTo(together.get(2).logprobs.getFirst());
    assertThat(prefixHits).as("blocks of one adapter are shared").isPositive();
  }

  private static Request request(int index, int[] shared, Random random) {
    final int[] prompt = shared.clone();
    for (int i = 20; i < prompt.length && index > 2; i++) {
      prompt[i] = random.nextInt(97);
    }
    final Request.Builder request =
        Request.builder("r" + index, prompt)
            .maxTokens(1 + random.nextInt(8))
            .sampling(SamplingParams.GREEDY.toBuilder().logprobs(0).build());
    if (index % 3 > 0) {
      request.lora(index % 3 == 1 ? POET : CRITIC);
    }
    return request.build();
  }

  private List<Heard> run(Executor executor, List<Request> requests) {
    final WatchingExecutor watching = new WatchingExecutor(executor);
    final List<Heard> heard = new ArrayList<>();
    final SchedulerLimits limits =
        SchedulerLimits.builder().maxNumSeqs(6).maxNumBatchedTokens(30).maxModelLen(64).build();
    try (Engine engine =
        HeadwayEngine.builder(watching)
            .clock(new VirtualClock())
            .config(SchedulerConfig.builder(limits).build())
            .build()) {
      for (Request request : requests) {
        heard.add(new Heard());
        engine.submit(request, heard.getLast());
        engine.step();
      }
      while (engine.step()) {}
    }
    prefixHits += watching.prefixHits;
    return heard;
  }

  private VectorExecutor vector(Model model, int threads) {
    return VectorExecutor.builder(model, new VirtualClock())
        .blockSize(4)
        .numBlocks(blocks(model))
        .threads(threads)
        .adapter(POET, poet)
        .adapter(CRITIC, critic)
        .build();
  }

  private ReferenceExecutor reference(Model model) {
    return ReferenceExecutor.builder(model, new VirtualClock())
        .blockSize(4)
        .numBlocks(blocks(model))
        .adapter(POET, poet)
        .adapter(CRITIC, critic)
        .build();
  }

  /** For some of the requests at a time. */
  private static int blocks(Model model) {
    return 1 + 24 * KvLayers.of(model.config()).groups();
  }

  private static List<Integer> bits(Heard heard) {
    return heard.logprobs.stream().map(each -> Float.floatToRawIntBits(each.logprob())).toList();
  }
}
