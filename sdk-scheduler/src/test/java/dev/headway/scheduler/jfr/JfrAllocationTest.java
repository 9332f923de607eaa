package dev.headway.scheduler.jfr;

import static dev.headway.scheduler.testing.SchedulerFixture.fixture;
import static dev.headway.scheduler.testing.SchedulerFixture.request;
import static dev.headway.scheduler.testing.SchedulerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.StepResult;
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
    final Result result = new Result(plan);
    for (int round = 0; round < ROUNDS; round++) {
      probe.onQueued(b);
      probe.onBlocked(1, b, WaitReason.MEMORY_INSUFFICIENT, null, 3, 1);
      probe.onAdmissionsClosed(1, WaitReason.HEAD_OF_LINE, b);
      probe.onUnblocked(1, b);
      probe.onPreempted(1, a, PreemptionCause.KV_BLOCKS, b, 3, 1);
      probe.onAdmitted(1, b, EntryKind.NEW, 0, 0);
      probe.onPlanned(plan);
      probe.onFirstToken(1, b, 5);
      probe.onFinished(1, b, FinishReason.STOP, 2, null, 3, 5);
      probe.onStepCompleted(result);
    }
  }

  private record Result(StepPlan plan, StepOutput output) implements StepResult {

    Result(StepPlan plan) {
      this(plan, new StepOutput());
    }

    @Override
    public boolean wasExecuted() {
      return true;
    }

    @Override
    public long submitNs() {
      return 1;
    }

    @Override
    public long outputNs() {
      return 2;
    }

    @Override
    public long endNs() {
      return 3;
    }

    @Override
    public Throwable failure() {
      return null;
    }
  }
}
