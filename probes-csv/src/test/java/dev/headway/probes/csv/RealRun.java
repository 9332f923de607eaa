package dev.headway.probes.csv;

import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.api.request.SessionInput;
import dev.headway.api.request.StopRule;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A real engine in virtual time with too few KV blocks: requests of several tenants and priorities
 * wait, are preempted, aborted and rejected.
 */
public final class RealRun {

  private static final int REQUESTS = 160;

  private RealRun() {}

  /** Runs and leaves a journal; equal seeds make equal runs. */
  public static void into(Path journal, long seed, int blocks) throws IOException {
    final VirtualClock clock = new VirtualClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(
                KvCacheShape.builder().blockSize(16).blocks(blocks).bytesPerBlock(2_048).build())
            .maxNumSeqs(8)
            .vocabularySize(1_000)
            .build();
    final LinearLatencyModel latency = new LinearLatencyModel(1_000_003, 5_001, 20_011, 13);
    final Random random = new Random(seed);
    try (JournalProbe probe = JournalProbe.open(journal, JournalLevel.FULL);
        Engine engine =
            HeadwayEngine.builder(new SimulatedExecutor(shape, latency, clock, seed))
                .clock(clock)
                .config(
                    SchedulerConfig.builder(
                            SchedulerLimits.builder()
                                .maxNumSeqs(8)
                                .maxNumBatchedTokens(96)
                                .maxModelLen(400)
                                .build())
                        .queuePolicy(QueuePolicy.PRIORITY)
                        .build())
                .probe(probe)
                .build()) {
      final List<RequestHandle> handles = new ArrayList<>();
      for (int i = 0; i < REQUESTS; i++) {
        clock.advance(random.nextInt(3_000_000));
        handles.add(engine.submit(request(i, random)));
        if (i % 2 == 1) {
          converse(handles.get(random.nextInt(handles.size())), random);
        }
        if (i % 17 == 16) {
          handles.get(random.nextInt(handles.size())).cancel();
        }
        for (int step = random.nextInt(4); step > 0; step--) {
          engine.step();
        }
      }
      while (engine.step()) {
        continue;
      }
    }
  }

  private static Request request(int index, Random random) {
    final int prompt = index % 23 == 22 ? 500 : 8 + random.nextInt(120);
    final Request.Builder request =
        Request.builder("request-" + index, random.ints(prompt, 1, 1_000).toArray())
            .maxTokens(1 + random.nextInt(60))
            .priority(random.nextInt(3))
            .tenant("tenant-" + random.nextInt(3));
    return (isSession(index) ? request.resumable() : request).build();
  }

  private static boolean isSession(int index) {
    return index % 4 == 0;
  }

  /** Gives a session that is not refused further input, or the end of it. */
  private static void converse(RequestHandle handle, Random random) {
    final int index = Integer.parseInt(handle.id().substring("request-".length()));
    if (isSession(index) && !handle.isDone()) {
      if (random.nextInt(4) == 0) {
        handle.endInput();
      } else {
        final int[] input = random.ints(1 + random.nextInt(30), 1, 1_000).toArray();
        handle.append(SessionInput.of(StopRule.maxTokens(1 + random.nextInt(20)), input));
      }
    }
  }
}
