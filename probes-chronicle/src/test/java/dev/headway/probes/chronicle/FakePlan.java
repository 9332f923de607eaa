package dev.headway.probes.chronicle;

import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.BlockOperations;
import dev.headway.api.step.DraftTokens;
import dev.headway.api.step.EndedRequests;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.PlannedBlocks;
import dev.headway.api.step.StepPlan;
import java.util.Arrays;

/** A plan over arrays, as the scheduler's own is; a test adds its entries. */
final class FakePlan implements StepPlan, PlannedEvent {

  private static final int FIGURES = 6;

  private final PlannedBlocks blocks = new Blocks();
  private final DraftTokens drafts = new Drafts();
  long stepId = 1;
  private long scheduleNs = 1_000;
  int size;
  private RequestView[] requests = new RequestView[4];
  private int[] figures = new int[4 * FIGURES];
  private boolean[] samples = new boolean[4];

  static FakePlan of(long stepId) {
    final FakePlan plan = new FakePlan();
    plan.stepId = stepId;
    return plan;
  }

  /** A plan of running requests with one decode each. */
  static FakePlan decodes(int running) {
    final FakePlan plan = new FakePlan();
    for (int entry = 0; entry < running; entry++) {
      plan.add(Journals.request(entry, "r" + entry, 512).outputTokens(10), 521, 1, true, 33, 33);
    }
    return plan;
  }

  FakePlan add(
      RequestView request, int computed, int scheduled, boolean sampled, int blocks, int newFrom) {
    if (size == requests.length) {
      requests = Arrays.copyOf(requests, 2 * size);
      figures = Arrays.copyOf(figures, 2 * figures.length);
      samples = Arrays.copyOf(samples, 2 * size);
    }
    requests[size] = request;
    samples[size] = sampled;
    final int at = FIGURES * size++;
    figures[at] = computed;
    figures[at + 1] = scheduled;
    figures[at + 2] = blocks;
    figures[at + 3] = newFrom;
    return this;
  }

  /** Says that scheduling took so long on the machine, whatever the instants say. */
  FakePlan measuring(long durationNs) {
    scheduleNs = durationNs;
    return this;
  }

  /** Says what the step produced for the latest entry. */
  FakePlan producing(int tokens) {
    figures[FIGURES * (size - 1) + 4] = tokens;
    return this;
  }

  /** Says how many of the latest entry's tokens are drafts. */
  FakePlan drafting(int tokens) {
    figures[FIGURES * (size - 1) + 5] = tokens;
    return this;
  }

  @Override
  public long stepId() {
    return stepId;
  }

  @Override
  public long beginNs() {
    return 10_000 * stepId;
  }

  @Override
  public long endNs() {
    return 10_000 * stepId + 1_000;
  }

  @Override
  public long scheduleNs() {
    return scheduleNs;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public int totalTokens() {
    int total = 0;
    for (int entry = 0; entry < size; entry++) {
      total += scheduledTokens(entry);
    }
    return total;
  }

  @Override
  public RequestView request(int entry) {
    return requests[entry];
  }

  @Override
  public EntryKind kind(int entry) {
    return blocks.newFrom(entry, 0) == 0 ? EntryKind.NEW : EntryKind.RUNNING;
  }

  @Override
  public int scheduledTokens(int entry) {
    return figures[FIGURES * entry + 1];
  }

  @Override
  public int computedTokens(int entry) {
    return figures[FIGURES * entry];
  }

  @Override
  public boolean samples(int entry) {
    return samples[entry];
  }

  @Override
  public int producedTokens(int entry) {
    return figures[FIGURES * entry + 4];
  }

  @Override
  public PlannedBlocks blocks() {
    return blocks;
  }

  @Override
  public DraftTokens drafts() {
    return drafts;
  }

  @Override
  public int outputTokens(int entry) {
    return requests[entry].outputTokens();
  }

  @Override
  public long previousStepId(int entry) {
    throw new UnsupportedOperationException("the journal records counts only");
  }

  @Override
  public BlockOperations blockOperations() {
    throw new UnsupportedOperationException("the journal records counts only");
  }

  @Override
  public EndedRequests preempted() {
    throw new UnsupportedOperationException("the journal records counts only");
  }

  @Override
  public EndedRequests finished() {
    throw new UnsupportedOperationException("the journal records counts only");
  }

  @Override
  public int runningCount() {
    return size + 1;
  }

  @Override
  public int waitingCount() {
    return 5;
  }

  @Override
  public int preemptedWaitingCount() {
    return 2;
  }

  @Override
  public int freeBlocks() {
    return 999;
  }

  @Override
  public StepPlan plan() {
    return this;
  }

  @Override
  public long atNs() {
    return endNs();
  }

  private final class Blocks implements PlannedBlocks {

    @Override
    public KvSequence of(int entry) {
      throw new UnsupportedOperationException("the journal records counts only");
    }

    @Override
    public int groupCount() {
      throw new UnsupportedOperationException("the journal records counts only");
    }

    @Override
    public int newFrom(int entry, int group) {
      return figures[FIGURES * entry + 3];
    }

    @Override
    public int count(int entry, int group) {
      return figures[FIGURES * entry + 2];
    }

    @Override
    public int commonPrefix(int group) {
      return 7;
    }
  }

  private final class Drafts implements DraftTokens {

    @Override
    public boolean isEmpty() {
      return false;
    }

    @Override
    public int count(int entry) {
      return figures[FIGURES * entry + 5];
    }

    @Override
    public int tokenId(int entry, int index) {
      throw new UnsupportedOperationException("the journal records counts only");
    }

    @Override
    public int toPropose() {
      throw new UnsupportedOperationException("the journal records counts only");
    }
  }
}
