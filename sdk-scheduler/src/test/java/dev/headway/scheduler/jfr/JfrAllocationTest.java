package dev.headway.scheduler.jfr;

import static dev.headway.scheduler.testing.SchedulerFixture.fixture;
import static dev.headway.scheduler.testing.SchedulerFixture.request;
import static dev.headway.scheduler.testing.SchedulerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.SchedulerEvents;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.testing.SchedulerFixture;
import java.lang.management.ManagementFactory;
import java.util.List;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;

/** Events that no recording wants allocate nothing, with the recorder running and without. */
class JfrAllocationTest {

  private static final int ROUNDS = 100_000;

  /**
   * What the JVM itself may add on this thread; an object a round would be a hundred times that.
   */
  private static final long TOLERANCE_BYTES = ROUNDS / 6;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final SchedulerFixture given =
      fixture().running(request("a", text(0, 5))).waiting(request("b", text(1, 5))).schedule();

  @Test
  void shouldAllocateNothingWithoutARecording() {
    assertThat(allocatedBy(new JfrProbe())).isLessThan(TOLERANCE_BYTES);
  }

  @Test
  void shouldAllocateNothingWhileARecordingWantsNoneOfThem() {
    try (Recording recording = new Recording()) {
      for (String name :
          List.of(
              StepEvent.NAME,
              RequestWaitEvent.NAME,
              AdmissionsClosedEvent.NAME,
              PreemptionEvent.NAME,
              RequestFinishedEvent.NAME)) {
        recording.disable(name);
      }
      recording.start();

      assertThat(allocatedBy(new JfrProbe())).isLessThan(TOLERANCE_BYTES);
    }
  }

  /** The measurement notices events: an enabled one allocates in every round. */
  @Test
  void shouldNoticeEventsThatAreWanted() {
    try (Recording recording = new Recording()) {
      recording.enable(RequestFinishedEvent.NAME).withoutThreshold();
      recording.start();

      assertThat(allocatedBy(new JfrProbe())).isGreaterThan(ROUNDS);
    }
  }

  private long allocatedBy(Probe probe) {
    play(probe);
    final long before = THREADS.getCurrentThreadAllocatedBytes();
    play(probe);
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }

  private void play(Probe probe) {
    final RequestView a = given.view("a");
    final RequestView b = given.view("b");
    final StepPlan plan = given.planOut();
    final StepOutput output = new StepOutput();
    final SchedulerEvents events = new SchedulerEvents(probe);
    for (int round = 0; round < ROUNDS; round++) {
      events.queued(0, b);
      events.blocked(1, b, WaitReason.MEMORY_INSUFFICIENT, null, 3, 1);
      events.admissionsClosed(1, WaitReason.HEAD_OF_LINE, b);
      events.unblocked(1, b);
      events.preempted(1, a, PreemptionCause.KV_BLOCKS, b, 3, 1);
      events.admitted(1, b, EntryKind.NEW, 0, 0, 0);
      events.planned(plan, 1, 1, 0, 5);
      events.firstToken(1, b, 5);
      events.finished(1, b, FinishReason.STOP, 2, null, 3, 5);
      events.stepCompleted(plan, output, 1, 2, 3, null);
    }
  }
}
