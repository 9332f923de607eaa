package dev.headway.executor.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.executor.KvBlockAccess;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.Request;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.TinyModel;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.VirtualClock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Models with windows give blocks back while they run, and do not look at them any more. */
class WindowsTest {

  private static final int BLOCK_SIZE = 4;
  private static final int BUDGET = 8;
  private static final int MAX_MODEL_LEN = 200;

  /**
   * A text of 190 tokens, 48 blocks, in a pool that holds little more than what the engine counts
   * for its windows. Each block that leaves a window and is not taken again in the same step is
   * filled with NaN, and each that never was taken holds it from the start.
   */
  @ParameterizedTest
  @EnumSource(value = TinyModel.class, mode = Mode.MATCH_ANY, names = ".*WINDOWS?")
  void shouldContinueALongTextWithoutTheBlocksThatLeftTheWindow(TinyModel tiny) {
    final Model model = Model.random(tiny.config(), 5);
    final KvLayers layers = KvLayers.of(model.config());
    final Watched executor = executor(model, blocksToHold(layers) + 6);
    final int[] prompt = new Random(5).ints(70, 0, 97).toArray();

    final int[] outputs =
        run(executor, PrefixCacheOptions.disabled(), Request.builder("r", prompt).maxTokens(120))
            .outputTokenIds();

    assertThat(outputs).isEqualTo(alone(model, prompt, 120));
    for (int group = 0; group < layers.groups(); group++) {
      final int window = layers.window(group);
      final int most =
          window == 0 ? (190 + 3) / BLOCK_SIZE : (window - 1 + BUDGET + 3) / BLOCK_SIZE + 1;
      assertThat(executor.mostHeld[group]).as("group %d", group).isBetween(1, most);
    }
    assertThat(executor.poisoned).isGreaterThan(30);
  }

  /** The first blocks of the hit are null: nobody holds what the window left. */
  @ParameterizedTest
  @EnumSource(value = TinyModel.class, mode = Mode.MATCH_ANY, names = ".*WINDOWS?")
  void shouldGoOnBehindAPrefixOfWhichOnlyTheWindowIsLeft(TinyModel tiny) {
    final Model model = Model.random(tiny.config(), 6);
    final int groups = KvLayers.of(model.config()).groups();
    final Watched executor = executor(model, groups * MAX_MODEL_LEN / BLOCK_SIZE);
    final int[] prompt = new Random(6).ints(61, 0, 97).toArray();
    final int[] longer = Arrays.copyOf(prompt, 75);

    run(
        executor,
        PrefixCacheOptions.DEFAULT,
        Request.builder("first", prompt).maxTokens(5),
        Request.builder("again", prompt).maxTokens(5),
        Request.builder("longer", longer).maxTokens(5));

    assertThat(executor.finished).hasSize(3);
    assertThat(executor.finished.get(1).outputTokenIds()).isEqualTo(alone(model, prompt, 5));
    assertThat(executor.finished.get(2).outputTokenIds()).isEqualTo(alone(model, longer, 5));
    assertThat(executor.hits).isEqualTo(2);
    assertThat(executor.hitsWithoutFirstBlock).isEqualTo(2);
  }

  private static int blocksToHold(KvLayers layers) {
    return KvCacheShape.builder()
        .blockSize(BLOCK_SIZE)
        .blocks(2)
        .groups(layers.kvGroups(BLOCK_SIZE))
        .build()
        .blocksToHold(MAX_MODEL_LEN, BUDGET, MAX_MODEL_LEN);
  }

  private static Watched executor(Model model, int usableBlocks) {
    return new Watched(
        ReferenceExecutor.builder(model, new VirtualClock())
            .blockSize(BLOCK_SIZE)
            .numBlocks(1 + usableBlocks)
            .maxNumSeqs(1)
            .build());
  }

  private static Finished run(
      Watched executor, PrefixCacheOptions prefixCache, Request.Builder... requests) {
    executor.poisons = prefixCache.equals(PrefixCacheOptions.disabled());
    try (Engine engine =
        HeadwayEngine.builder(executor)
            .clock(new VirtualClock())
            .config(
                SchedulerConfig.builder(
                        SchedulerLimits.builder()
                            .maxNumSeqs(1)
                            .maxNumBatchedTokens(BUDGET)
                            .maxModelLen(MAX_MODEL_LEN)
                            .build())
                    .prefixCache(prefixCache)
                    .build())
            .build()) {
      for (Request.Builder request : requests) {
        final RequestHandle handle = engine.submit(request.build());
        while (engine.step()) {}
        final var outcome = handle.outcome().toCompletableFuture().join();
        assertThat(outcome).isInstanceOf(Finished.class);
        assertThat(((Finished) outcome).cause()).isNull();
        executor.finished.add((Finished) outcome);
      }
    }
    return executor.finished.getLast();
  }

  private static int[] alone(Model model, int[] prompt, int outputs) {
    final ReferenceModel reference = new ReferenceModel(model, Precision.FLOAT32);
    int[] known = prompt;
    for (int i = 0; i < outputs; i++) {
      final float[] logits = reference.logits(known);
      int best = 0;
      for (int token = 1; token < logits.length; token++) {
        best = logits[token] > logits[best] ? token : best;
      }
      known = Arrays.copyOf(known, known.length + 1);
      known[known.length - 1] = best;
    }
    return Arrays.copyOfRange(known, prompt.length, known.length);
  }

  /** Counts the blocks of the one request that runs, and fills those that it has left with NaN. */
  private static final class Watched implements Executor {
    private final ReferenceExecutor executor;
    private final List<Finished> finished = new ArrayList<>();
    private final Set<Integer> left = new HashSet<>();
    private final int[] mostHeld;
    private Set<Integer> held = new HashSet<>();
    private boolean poisons;
    private int poisoned;
    private int hits;
    private int hitsWithoutFirstBlock;

    private Watched(ReferenceExecutor executor) {
      this.executor = executor;
      this.mostHeld = new int[executor.shape().kvCache().groups().size()];
    }

    @Override
    public ExecutorShape shape() {
      return executor.shape();
    }

    @Override
    public void submit(StepPlan plan) {
      final Set<Integer> now = new HashSet<>();
      for (int entry = 0; entry < plan.size(); entry++) {
        final KvSequence blocks = plan.blocks().of(entry);
        for (int group = 0; group < mostHeld.length; group++) {
          int count = 0;
          for (int i = 0; i < blocks.blockCount(group); i++) {
            if (blocks.blockId(group, i) != KvCacheShape.NULL_BLOCK) {
              now.add(blocks.blockId(group, i));
              count++;
            }
          }
          mostHeld[group] = Math.max(mostHeld[group], count);
        }
        countHit(plan, entry);
      }
      left.addAll(held);
      left.removeAll(now);
      if (poisons) {
        left.forEach(this::poison);
        poisoned += left.size();
        left.clear();
      }
      held = now;
      executor.submit(plan);
    }

    private void countHit(StepPlan plan, int entry) {
      if (plan.blocks().newFrom(entry, 0) > 0 || plan.computedTokens(entry) == 0) {
        return;
      }
      hits++;
      final List<KvGroup> groups = shape().kvCache().groups();
      for (int group = 0; group < groups.size(); group++) {
        if (groups.get(group) instanceof KvGroup.SlidingWindow
            && plan.blocks().of(entry).blockId(group, 0) == KvCacheShape.NULL_BLOCK) {
          hitsWithoutFirstBlock++;
          return;
        }
      }
    }

    private void poison(int block) {
      final KvBlockAccess access = executor.kvBlockAccess();
      final byte[] bytes = new byte[access.blockBytes()];
      Arrays.fill(bytes, (byte) 0xff);
      access.write(block, ByteBuffer.wrap(bytes));
    }

    @Override
    public boolean await(StepOutput output, long timeoutNs) throws InterruptedException {
      return executor.await(output, timeoutNs);
    }

    @Override
    public void close() {
      executor.close();
    }
  }
}
