package dev.headway.probes.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.headway.api.kvcache.KvCacheEvents;
import dev.headway.api.probe.SchedulerEvents;
import dev.headway.api.request.FinishReason;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.events.record.JournalLevel;
import dev.headway.testkit.FakeRequest;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalAllocationTest {

  private static final int ROUNDS = 10_000;
  private static final int EVENTS_PER_ROUND = 11;

  @TempDir Path directory;

  @Test
  void shouldAllocateNothingPerEventOnceWarm() throws Exception {
    final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    final FakeRequest request = Journals.request(7, "request", 100).outputTokens(1);
    final FakePlan plan = FakePlan.decodes(16);
    final FakeResult result = new FakeResult(plan);
    final FakeBlocks blocks = new FakeBlocks(request, 4, 16);

    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      play(probe, request, plan, result, blocks);
      final long before = threads.getCurrentThreadAllocatedBytes();
      play(probe, request, plan, result, blocks);
      final long allocated = threads.getCurrentThreadAllocatedBytes() - before;

      assertThat(probe.recordsDropped()).isZero();
      // Chronicle maps a block of 32 MiB now and then; that may allocate, an event may not
      assertThat(allocated / (double) (ROUNDS * EVENTS_PER_ROUND)).isLessThan(0.5);
    }
  }

  private static void play(
      JournalProbe probe,
      FakeRequest request,
      FakePlan plan,
      FakeResult result,
      FakeBlocks blocks) {
    final SchedulerEvents events = new SchedulerEvents(probe);
    final KvCacheEvents kvEvents = new KvCacheEvents(probe);
    for (int round = 0; round < ROUNDS; round++) {
      plan.stepId++;
      events.queued(plan.stepId, request);
      events.admitted(plan.stepId, request, EntryKind.NEW, 16, 0, 0);
      events.blocked(plan.stepId, request, WaitReason.MEMORY_INSUFFICIENT, null, 3, 1);
      events.admissionsClosed(plan.stepId, WaitReason.HEAD_OF_LINE, request);
      events.preempted(plan.stepId, request, PreemptionCause.KV_BLOCKS, request, 3, 1);
      probe.onPlanned(plan);
      kvEvents.stored(blocks);
      kvEvents.removed(5, Journals.ALONE);
      events.firstToken(plan.stepId, request, 5);
      events.finished(plan.stepId, request, FinishReason.STOP, 2, null, 3, 5);
      probe.onStepCompleted(result);
    }
  }
}
