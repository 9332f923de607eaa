package dev.headway.probes.csv.observe;

import dev.headway.probes.chronicle.live.RecordConsumer;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Puts records together to steps and requests and tells a {@link RunListener} of them.
 *
 * <p>One thread. A step is reported when it is completed, in the order of the steps. One whose
 * completion is missing is never reported, and counted.
 */
public final class RunObserver implements RecordConsumer {

  private static final String CACHE_RESET = "cache_reset";

  private final RunListener listener;
  private final StepChanges.Builder changes = new StepChanges.Builder();
  private final Deque<ObservedStep> inFlight = new ArrayDeque<>();
  private int runs;
  private @Nullable ObservedRun current;
  private @Nullable ObservedStep latestPlanned;
  private long latestOutputNs;
  private int finishedSinceStep;
  private long lostSteps;
  private long droppedRecords;

  /** Tells {@code listener}, and closes it with this. */
  public RunObserver(RunListener listener) {
    this.listener = listener;
  }

  /** Steps that were planned and whose completion is missing, those in flight not counted. */
  public long lostSteps() {
    return lostSteps;
  }

  /** Records that the writer had to drop. */
  public long droppedRecords() {
    return droppedRecords;
  }

  @Override
  public void onRunStarted(RunHeader header) {
    lostSteps += inFlight.size();
    inFlight.clear();
    changes.take();
    latestPlanned = null;
    latestOutputNs = ABSENT;
    finishedSinceStep = 0;
    final ObservedRun next = new ObservedRun(runs++, header);
    current = next;
    listener.onRun(next);
  }

  @Override
  public void onQueued(QueuedRequest queued) {
    final LiveRequest request = new LiveRequest(queued);
    listener.onQueued(run(), request);
    run().queue(request);
  }

  @Override
  public void onAdmitted(long stepId, long number, String kind, int cachedTokens, int lostTokens) {
    final LiveRequest request = run().find(number);
    if (request != null && !request.isRunning()) {
      run().admit(request, cachedTokens);
      changes.admitted(request, cachedTokens);
    }
  }

  @Override
  public void onBlocked(
      long stepId, long number, String reason, long blockerNumber, int needed, int free) {
    final LiveRequest request = run().find(number);
    if (request != null) {
      run().explain(request, reason);
    }
  }

  @Override
  public void onUnblocked(long stepId, long number) {
    final LiveRequest request = run().find(number);
    if (request != null) {
      run().explain(request, null);
    }
  }

  @Override
  public void onAdmissionsClosed(long stepId, String reason, long blockerNumber) {
    run().waits().share(reason, run().idOf(blockerNumber));
  }

  @Override
  public void onPreempted(
      long stepId,
      long number,
      String cause,
      long beneficiaryNumber,
      int lostTokens,
      int freedBlocks) {
    final LiveRequest request = run().find(number);
    if (request != null && request.isRunning()) {
      run().putBack(request, cause.equals(CACHE_RESET) ? "evicted" : "preempted");
      changes.preempted(request);
    }
  }

  @Override
  public void onPlanned(PlannedStep planned) {
    final ObservedRun run = run();
    run.decided(planned.endNs(), planned.freeBlocks());
    final ObservedStep step = new ObservedStep(run, planned, changes.take(), latestPlanned);
    latestPlanned = step;
    if (!inFlight.isEmpty()) {
      step.overlap();
      inFlight.forEach(ObservedStep::overlap);
    }
    inFlight.addLast(step);
    for (LiveRequest request : step.changes().admitted()) {
      if (request.firstScheduledNs() == ABSENT) {
        request.scheduledFirst(planned.endNs());
        listener.onFirstScheduled(run, request);
      }
    }
  }

  @Override
  public void onFinished(FinishedRequest finished) {
    final LiveRequest request = run().find(finished.number());
    if (request != null) {
      run().remove(request);
      finishedSinceStep++;
      listener.onEnded(run(), request, finished);
    }
  }

  @Override
  public void onStepCompleted(CompletedStep completed) {
    final ObservedStep step = take(completed.stepId());
    if (step == null) {
      return;
    }
    step.complete(completed, latestOutputNs, finishedSinceStep);
    finishedSinceStep = 0;
    if (step.wasExecuted()) {
      latestOutputNs = step.outputNs();
    }
    if (completed.hasEntries()) {
      for (int entry = 0; entry < step.entries().size(); entry++) {
        final LiveRequest request = step.entries().request(entry);
        if (request != null) {
          request.produce(completed.producedTokens(entry));
        }
      }
    }
    listener.onStep(step);
  }

  @Override
  public void onKvRemoved(long contentHash, int group) {
    changes.removedBlock();
  }

  @Override
  public void onDropped(long records) {
    droppedRecords += records;
    listener.onDropped(records);
  }

  @Override
  public void flush(long records) throws IOException {
    listener.flush();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }

  /** Steps complete in order: earlier ones still in flight have lost their record. */
  private @Nullable ObservedStep take(long stepId) {
    for (Iterator<ObservedStep> steps = inFlight.iterator(); steps.hasNext(); ) {
      final ObservedStep step = steps.next();
      if (step.plan().stepId() > stepId) {
        return null;
      }
      steps.remove();
      if (step.plan().stepId() == stepId) {
        return step;
      }
      lostSteps++;
    }
    return null;
  }

  private ObservedRun run() {
    if (current == null) {
      throw new IllegalStateException("records must follow a start record: runs=" + runs);
    }
    return current;
  }
}
