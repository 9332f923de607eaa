package dev.headway.probes.csv;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.AdmissionsClosedRecord;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.EntryPhase;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RecordVisitor;
import dev.headway.events.record.RunEndedRecord;
import dev.headway.events.record.RunStartedRecord;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A steady stream of records of any length, made while it is played: a fixed number of requests
 * runs, each for 128 steps, and a fixed number waits.
 */
public final class SyntheticRun implements PlannedStep, CompletedStep {

  private static final int LIFE = 128;
  private static final int PROMPT = 64;
  private static final long STEP_NS = 10_000;

  private final int running;
  private final int waiting;
  private long step;
  private long oldest;

  public SyntheticRun(int running, int waiting) {
    this.running = running;
    this.waiting = waiting;
  }

  /** Plays that many steps. */
  public void play(RecordVisitor visitor, long steps) {
    visitor.onRunStarted(
        new RunStartedRecord(
            1, "0.1.0", "full", true, 0, 0, 0, 16, 100_001, 0, Map.of(), Map.of()));
    for (long number = 0; number < running + waiting; number++) {
      queue(visitor, number, 0);
    }
    for (long i = 0; i < steps; i++) {
      oneStep(visitor);
    }
    visitor.onRunEnded(new RunEndedRecord((step + 1) * STEP_NS));
  }

  private void oneStep(RecordVisitor visitor) {
    step++;
    if (step == 1) {
      for (int i = 0; i < running; i++) {
        visitor.onAdmitted(new AdmittedRecord(step, i, "new", 0, 0, 0));
      }
      visitor.onAdmissionsClosed(new AdmissionsClosedRecord(step, "max_num_seqs", -1));
    }
    final long ended = step % LIFE == 0 ? running : 0;
    visitor.onPlanned(this);
    if (step % LIFE == 1) {
      for (long number = oldest; number < oldest + running; number++) {
        visitor.onFirstToken(new FirstTokenRecord(step, number, outputNs()));
      }
    }
    for (long number = oldest; number < oldest + ended; number++) {
      visitor.onFinished(
          new FinishedRecord(step, number, "length", -1, null, LIFE, 12, outputNs()));
    }
    visitor.onStepCompleted(this);
    oldest += ended;
    for (long number = oldest; number < oldest + ended; number++) {
      queue(visitor, number + waiting + running - ended, endOfStepNs());
      visitor.onAdmitted(new AdmittedRecord(step + 1, number, "new", 0, 0, 0));
    }
  }

  private static void queue(RecordVisitor visitor, long number, long nowNs) {
    visitor.onQueued(
        new QueuedRecord(
            number,
            "request-" + number,
            nowNs,
            nowNs,
            PROMPT,
            LIFE,
            0,
            0,
            null,
            ABSENT,
            ABSENT,
            null,
            null));
  }

  private long age() {
    return (step - 1) % LIFE;
  }

  @Override
  public long stepId() {
    return step;
  }

  @Override
  public long beginNs() {
    return step * STEP_NS;
  }

  /** Both the end of scheduling and, which is all the same here, of the step. */
  @Override
  public long endNs() {
    return endOfStepNs();
  }

  private long endOfStepNs() {
    return step * STEP_NS + 1_000;
  }

  @Override
  public int batchSize() {
    return running;
  }

  @Override
  public int totalTokens() {
    return age() == 0 ? running * PROMPT : running;
  }

  @Override
  public int prefillRequests() {
    return age() == 0 ? running : 0;
  }

  @Override
  public int prefillTokens() {
    return age() == 0 ? running * PROMPT : 0;
  }

  @Override
  public int runningCount() {
    return running;
  }

  @Override
  public int waitingCount() {
    return waiting;
  }

  @Override
  public int preemptedWaitingCount() {
    return 0;
  }

  @Override
  public int freeBlocks() {
    return 50_000;
  }

  @Override
  public boolean hasEntries() {
    return true;
  }

  @Override
  public long number(int entry) {
    return oldest + entry;
  }

  @Override
  public int scheduledTokens(int entry) {
    return age() == 0 ? PROMPT : 1;
  }

  @Override
  public int computedTokens(int entry) {
    return age() == 0 ? 0 : PROMPT + (int) age() - 1;
  }

  @Override
  public boolean samples(int entry) {
    return true;
  }

  @Override
  public EntryPhase phase(int entry) {
    return EntryPhase.UNKNOWN;
  }

  @Override
  public int blockCount(int entry) {
    return (computedTokens(entry) + scheduledTokens(entry) + 15) / 16;
  }

  @Override
  public int newBlocks(int entry) {
    return age() == 0 ? 4 : computedTokens(entry) % 16 == 0 ? 1 : 0;
  }

  @Override
  public boolean wasExecuted() {
    return true;
  }

  @Override
  public long submitNs() {
    return endOfStepNs();
  }

  @Override
  public long outputNs() {
    return endOfStepNs();
  }

  @Override
  public long prepareNs() {
    return ABSENT;
  }

  @Override
  public long forwardNs() {
    return ABSENT;
  }

  @Override
  public long sampleNs() {
    return ABSENT;
  }

  @Override
  public long deviceMemoryUsedBytes() {
    return ABSENT;
  }

  @Override
  public long deviceUtilizationPermille() {
    return ABSENT;
  }

  @Override
  public int producedTotal() {
    return running;
  }

  @Override
  public int producedTokens(int entry) {
    return 1;
  }

  @Override
  public int drafts() {
    return 0;
  }

  @Override
  public int draftTokens() {
    return 0;
  }

  @Override
  public int acceptedTokens() {
    return 0;
  }

  @Override
  public @Nullable String failure() {
    return null;
  }
}
