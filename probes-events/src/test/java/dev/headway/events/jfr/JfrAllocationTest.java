package dev.headway.events.jfr;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.probe.RunInfo;
import dev.headway.api.probe.SchedulerEvents;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.events.inprocess.RunDetail;
import dev.headway.events.inprocess.RunProbe;
import dev.headway.events.model.Decision;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.WaitInterval;
import dev.headway.events.model.WaitListener;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Recording;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Events that no recording wants allocate nothing, with the recorder running and without: as much
 * as the run model alone with a listener that makes nothing.
 */
class JfrAllocationTest {

  private static final int ROUNDS = 10_000;
  private static final int PLAYS = 20;

  /**
   * Less than the smallest event. Whether the JIT compiler does without a record of the model,
   * which takes 32 bytes, differs between the two that are compared.
   */
  private static final long TOLERANCE_BYTES = 40L * ROUNDS;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** What a real engine shows a probe: one seat, and two requests. */
  private static final class Seen implements Probe {
    private final List<RequestView> requests = new ArrayList<>();
    private RunInfo run;
    private StepPlan plan;

    @Override
    public void onRunStarted(RunInfo started) {
      run = started;
    }

    @Override
    public void onQueued(QueuedEvent event) {
      requests.add(event.request());
    }

    @Override
    public void onPlanned(PlannedEvent event) {
      plan = event.plan();
    }
  }

  /** Only keeps what it is handed, so that the JIT compiler cannot do without the object. */
  private static final class Keeping implements RunListener, WaitListener {
    private Object kept;

    @Override
    public void onDecision(Decision decision, long atNs, long stepId) {
      kept = decision;
    }

    @Override
    public void onWaitEnded(WaitInterval wait) {
      kept = wait;
    }

    @Override
    public void onFinished(RequestTimeline request, FinishedRecord end) {
      kept = end;
    }

    @Override
    public void onFirstToken(RequestTimeline request, FirstTokenRecord firstToken) {
      kept = firstToken;
    }
  }

  private final Seen given = new Seen();

  @BeforeEach
  void seeAStep() {
    final VirtualClock clock = new VirtualClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(4).blocks(65).build())
            .maxNumSeqs(1)
            .vocabularySize(1_000)
            .build();
    final SimulatedExecutor executor =
        new SimulatedExecutor(shape, new LinearLatencyModel(1_000, 0, 0, 0), clock, 1);
    try (Engine engine =
        HeadwayEngine.builder(executor)
            .limits(
                SchedulerLimits.builder()
                    .maxNumSeqs(1)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(128)
                    .build())
            .clock(clock)
            .probe(given)
            .build()) {
      engine.submit(Request.builder("a", 1, 2, 3, 4, 5).maxTokens(3).build());
      engine.submit(Request.builder("b", 1, 2, 3, 4, 5).maxTokens(3).build());
      engine.step();
    }
  }

  @Test
  void shouldAllocateNothingWithoutARecording() {
    assertThat(allocatedBeyondTheModel()).isLessThan(TOLERANCE_BYTES);
  }

  @Test
  void shouldAllocateNothingWhileARecordingWantsNoneOfThem() {
    try (Recording recording = new Recording()) {
      for (String name :
          List.of(
              StepEvent.NAME,
              RequestWaitEvent.NAME,
              AdmissionClosureEvent.NAME,
              PreemptionEvent.NAME,
              RequestFinishedEvent.NAME)) {
        recording.disable(name);
      }
      recording.start();

      assertThat(allocatedBeyondTheModel()).isLessThan(TOLERANCE_BYTES);
    }
  }

  /** The measurement notices events: an enabled one allocates in every round. */
  @Test
  void shouldNoticeEventsThatAreWanted() {
    try (Recording recording = new Recording()) {
      recording.enable(RequestFinishedEvent.NAME).withoutThreshold();
      recording.start();

      assertThat(allocatedBeyondTheModel()).isGreaterThan(TOLERANCE_BYTES);
    }
  }

  private long allocatedBeyondTheModel() {
    final long model = allocatedBy(new RunProbe(new Keeping(), RunDetail.CHANGES));
    return allocatedBy(new JfrProbe()) - model;
  }

  private long allocatedBy(Probe probe) {
    probe.onRunStarted(given.run);
    long least = Long.MAX_VALUE; // once compiled; whether that is early or late
    for (int i = 0; i < PLAYS; i++) {
      final long before = THREADS.getCurrentThreadAllocatedBytes();
      play(probe);
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }

  private void play(Probe probe) {
    final RequestView a = given.requests.get(0);
    final RequestView b = given.requests.get(1);
    final StepPlan plan = given.plan;
    final StepOutput output = new StepOutput();
    final SchedulerEvents events = new SchedulerEvents(probe);
    for (int round = 0; round < ROUNDS; round++) {
      events.queued(0, a);
      events.admitted(1, a, EntryKind.NEW, 0, 0, 0);
      events.queued(0, b);
      events.blocked(1, b, WaitReason.MEMORY_INSUFFICIENT, null, 3, 1);
      events.admissionsClosed(1, WaitReason.HEAD_OF_LINE, b);
      events.unblocked(1, b);
      events.preempted(1, a, PreemptionCause.KV_BLOCKS, b, 3, 1);
      events.admitted(1, b, EntryKind.NEW, 0, 0, 0);
      events.planned(plan, 1, 1, 0, 5);
      events.firstToken(1, b, 5);
      events.finished(1, a, FinishReason.STOP, 2, null, 3, 5);
      events.finished(1, b, FinishReason.STOP, 2, null, 3, 5);
      events.stepCompleted(plan, output, 1, 2, 3, null);
    }
  }
}
