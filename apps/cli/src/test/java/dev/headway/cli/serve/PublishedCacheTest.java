package dev.headway.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.kvcache.wire.VllmBlockHasher;
import dev.headway.routing.kvevents.KvEventSink;
import dev.headway.routing.kvevents.KvEventSubscriber;
import dev.headway.routing.kvevents.KvEventsOptions;
import dev.headway.routing.kvevents.KvEventsProbe;
import dev.headway.routing.kvevents.codec.KvBatch;
import dev.headway.routing.kvevents.codec.KvBlockHash;
import dev.headway.routing.kvevents.codec.KvEvent.AllBlocksCleared;
import dev.headway.routing.kvevents.codec.KvEvent.BlockRemoved;
import dev.headway.routing.kvevents.codec.KvEvent.BlockStored;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.SystemNanoClock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a running engine publishes of its cache, by vLLM's names. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PublishedCacheTest {

  private static final int BLOCK = 16;
  private static final String ANY = "tcp://127.0.0.1:*";

  @Test
  void shouldNameWhatAPressedEngineStoresAsVllmDoes() throws InterruptedException {
    final KvEventsProbe probe =
        KvEventsProbe.open(KvEventsOptions.at(ANY).withReplay(ANY), new VllmNames("0"));
    final Seen seen = new Seen();
    final List<RequestHandle> handles = new ArrayList<>();
    try (KvEventSubscriber subscriber =
        KvEventSubscriber.open(
            probe.publisher().endpoint(), probe.publisher().replayEndpoint(), "", seen)) {
      try (Engine engine = engine(probe)) {
        engine.start(Thread.ofPlatform().name("engine").factory());
        final Random random = new Random(14);
        for (int i = 0; i < 300; i++) {
          final int[] prompt = random.ints(20 + random.nextInt(100), 0, 3).toArray();
          handles.add(
              engine.submit(
                  Request.builder("r" + i, prompt).maxTokens(1 + random.nextInt(40)).build(),
                  new TokenListener() {}));
        }
        for (RequestHandle handle : handles) {
          handle.await();
        }
        while (subscriber.stream().applied() < probe.publisher().sent()) {
          Thread.sleep(5);
        }
      }
      assertThat(seen.stored).as("blocks stored").isGreaterThan(500);
      assertThat(seen.removed).as("blocks removed").isGreaterThan(100);
      assertThat(seen.faults).isEmpty();
      assertThat(seen.present.size()).isLessThanOrEqualTo(63);
    }
  }

  private static Engine engine(KvEventsProbe probe) {
    final SystemNanoClock clock = new SystemNanoClock();
    final KvCacheShape kvCache = KvCacheShape.builder().blockSize(BLOCK).blocks(64).build();
    final ExecutorShape shape =
        ExecutorShape.builder().kvCache(kvCache).maxNumSeqs(8).vocabularySize(50).build();
    return HeadwayEngine.builder(
            new SimulatedExecutor(shape, new LinearLatencyModel(20_000, 10, 10, 0, 0), clock, 7))
        .config(
            SchedulerConfig.builder(
                    SchedulerLimits.builder()
                        .maxNumSeqs(8)
                        .maxNumBatchedTokens(256)
                        .maxModelLen(512)
                        .build())
                .build())
        .clock(clock)
        .probe(probe)
        .build();
  }

  /** Checks each name against all tokens in front of it. The subscriber's thread writes. */
  private static final class Seen implements KvEventSink {
    private final VllmBlockHasher hasher = VllmBlockHasher.withSeed(BLOCK, "0");
    private final Map<KvBlockHash, int[]> present = new HashMap<>();
    private final List<String> faults = new ArrayList<>();
    private int stored;
    private int removed;

    @Override
    public void apply(KvBatch batch) {
      batch
          .events()
          .forEach(
              event -> {
                switch (event) {
                  case BlockStored blocks -> store(blocks);
                  case BlockRemoved blocks -> blocks.hashes().forEach(this::remove);
                  case AllBlocksCleared cleared -> present.clear();
                }
              });
    }

    private void store(BlockStored blocks) {
      final int[] before = blocks.parent() == null ? new int[0] : present.get(blocks.parent());
      if (before == null) {
        faults.add("parent not present: " + blocks.parent());
        return;
      }
      final int[] tokens = new int[before.length + blocks.tokens().length];
      System.arraycopy(before, 0, tokens, 0, before.length);
      System.arraycopy(blocks.tokens(), 0, tokens, before.length, blocks.tokens().length);
      final List<byte[]> names = hasher.hash(tokens, null, null);
      for (int i = 0; i < blocks.hashes().size(); i++) {
        stored++;
        final int block = before.length / BLOCK + i;
        final KvBlockHash expected = KvBlockHash.ofDigest(names.get(block));
        if (!expected.isWrittenAs(blocks.hashes().get(i))) {
          faults.add("block " + block + ": " + blocks.hashes().get(i) + " is not " + expected);
        }
        present.put(expected, Arrays.copyOf(tokens, (block + 1) * BLOCK));
      }
    }

    private void remove(KvBlockHash hash) {
      removed++;
      if (present.remove(hash) == null) {
        faults.add("removed but not present: " + hash);
      }
    }

    @Override
    public void reset() {
      if (!present.isEmpty()) {
        faults.add("reset with " + present.size() + " blocks");
      }
    }
  }
}
