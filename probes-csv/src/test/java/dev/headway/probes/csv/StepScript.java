package dev.headway.probes.csv;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.EntryPhase;
import dev.headway.events.record.PlannedStep;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A step of an {@link EventScript}: what is planned and what comes of it. */
public final class StepScript {

  private record Entry(
      long number, int tokens, int computed, boolean samples, int blocks, int newBlocks) {}

  private final List<Entry> entries = new ArrayList<>();
  private final long stepId;
  private final long beginNs;
  private final long plannedNs;
  private int running;
  private int waiting;
  private int preempted;
  private int free;
  private boolean withEntries = true;
  private int hiddenBatch;

  private boolean executed = true;
  private long submitNs;
  private long outputNs;
  private long endNs;
  private long forwardNs = ABSENT;
  private int[] produced = new int[0];
  private @Nullable String failure;

  public StepScript(long stepId, long beginNs, long plannedNs) {
    this.stepId = stepId;
    this.beginNs = beginNs;
    this.plannedNs = plannedNs;
  }

  public StepScript entry(
      long number, int tokens, int computed, boolean samples, int blocks, int newBlocks) {
    entries.add(new Entry(number, tokens, computed, samples, blocks, newBlocks));
    return this;
  }

  public StepScript counts(int running, int waiting, int preempted, int free) {
    this.running = running;
    this.waiting = waiting;
    this.preempted = preempted;
    this.free = free;
    return this;
  }

  /** As a summary journal has it. */
  public StepScript withoutEntries(int batchSize) {
    withEntries = false;
    hiddenBatch = batchSize;
    return this;
  }

  public StepScript done(long submitNs, long outputNs, long endNs, int... produced) {
    this.submitNs = submitNs;
    this.outputNs = outputNs;
    this.endNs = endNs;
    this.produced = produced;
    return this;
  }

  public StepScript notExecuted() {
    executed = false;
    return this;
  }

  StepScript forward(long forwardNs) {
    this.forwardNs = forwardNs;
    return this;
  }

  StepScript failed(String failure) {
    this.failure = failure;
    return this;
  }

  PlannedStep plan() {
    return new Plan();
  }

  CompletedStep completion() {
    return new Completion();
  }

  private final class Plan implements PlannedStep {

    @Override
    public long stepId() {
      return stepId;
    }

    @Override
    public long beginNs() {
      return beginNs;
    }

    @Override
    public long endNs() {
      return plannedNs;
    }

    @Override
    public int batchSize() {
      return withEntries ? entries.size() : hiddenBatch;
    }

    @Override
    public int totalTokens() {
      return entries.stream().mapToInt(Entry::tokens).sum();
    }

    @Override
    public int prefillRequests() {
      return (int) entries.stream().filter(entry -> entry.tokens > 1).count();
    }

    @Override
    public int prefillTokens() {
      return entries.stream().mapToInt(Entry::tokens).filter(tokens -> tokens > 1).sum();
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
      return preempted;
    }

    @Override
    public int freeBlocks() {
      return free;
    }

    @Override
    public boolean hasEntries() {
      return withEntries;
    }

    @Override
    public long number(int entry) {
      return entries.get(entry).number;
    }

    @Override
    public int scheduledTokens(int entry) {
      return entries.get(entry).tokens;
    }

    @Override
    public int computedTokens(int entry) {
      return entries.get(entry).computed;
    }

    @Override
    public boolean samples(int entry) {
      return entries.get(entry).samples;
    }

    @Override
    public EntryPhase phase(int entry) {
      return EntryPhase.UNKNOWN;
    }

    @Override
    public int blockCount(int entry) {
      return entries.get(entry).blocks;
    }

    @Override
    public int newBlocks(int entry) {
      return entries.get(entry).newBlocks;
    }
  }

  private final class Completion implements CompletedStep {

    @Override
    public long stepId() {
      return stepId;
    }

    @Override
    public boolean wasExecuted() {
      return executed;
    }

    @Override
    public long submitNs() {
      return submitNs;
    }

    @Override
    public long outputNs() {
      return outputNs;
    }

    @Override
    public long endNs() {
      return endNs;
    }

    @Override
    public long prepareNs() {
      return ABSENT;
    }

    @Override
    public long forwardNs() {
      return forwardNs;
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
      return Arrays.stream(produced).sum();
    }

    @Override
    public boolean hasEntries() {
      return withEntries;
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
      return failure;
    }

    @Override
    public int producedTokens(int entry) {
      return produced[entry];
    }
  }
}
