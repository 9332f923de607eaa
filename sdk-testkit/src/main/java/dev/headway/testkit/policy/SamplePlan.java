package dev.headway.testkit.policy;

import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepPlan;
import java.util.ArrayList;
import java.util.List;

/**
 * A step's plan in memory, for tests of ledgers: who got how many tokens and produced how many. It
 * knows no blocks, drafts, preemptions or ends. Not thread-safe.
 */
public final class SamplePlan implements StepPlan {

  private final List<Entry> entries = new ArrayList<>();

  private record Entry(
      RequestView request,
      EntryKind kind,
      int scheduled,
      int produced,
      int computed,
      int outputs,
      boolean samples) {}

  /** Makes an empty plan. */
  public SamplePlan() {}

  /** Adds a request as it stands before the step; returns this plan. */
  public SamplePlan add(RequestView request, EntryKind kind, int scheduled, int produced) {
    final int computed = request.computedTokens();
    entries.add(
        new Entry(
            request,
            kind,
            scheduled,
            produced,
            computed,
            request.outputTokens(),
            computed + scheduled == request.knownTokens()));
    return this;
  }

  @Override
  public long stepId() {
    return 1;
  }

  @Override
  public long beginNs() {
    return 0;
  }

  @Override
  public long endNs() {
    return 0;
  }

  @Override
  public int size() {
    return entries.size();
  }

  @Override
  public int totalTokens() {
    int total = 0;
    for (Entry entry : entries) {
      total += entry.scheduled;
    }
    return total;
  }

  @Override
  public RequestView request(int entry) {
    return entries.get(entry).request;
  }

  @Override
  public EntryKind kind(int entry) {
    return entries.get(entry).kind;
  }

  @Override
  public int scheduledTokens(int entry) {
    return entries.get(entry).scheduled;
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
  public int producedTokens(int entry) {
    return entries.get(entry).produced;
  }

  @Override
  public int draftTokens(int entry) {
    return 0;
  }

  @Override
  public int draftTokenId(int entry, int index) {
    return DRAFT_ON_DEVICE;
  }

  @Override
  public int outputTokens(int entry) {
    return entries.get(entry).outputs;
  }

  @Override
  public long previousStepId(int entry) {
    return 0;
  }

  @Override
  public int nextDraftTokens() {
    return 0;
  }

  @Override
  public KvSequence blocks(int entry) {
    throw new UnsupportedOperationException("a sample plan has no block tables");
  }

  @Override
  public int groupCount() {
    return 1;
  }

  @Override
  public int newBlocksFrom(int entry, int group) {
    return 0;
  }

  @Override
  public int blockCount(int entry, int group) {
    return 0;
  }

  @Override
  public int commonPrefixBlocks(int group) {
    return 0;
  }

  @Override
  public int copyCount() {
    return 0;
  }

  @Override
  public int copySource(int index) {
    throw new IndexOutOfBoundsException(index);
  }

  @Override
  public int copyTarget(int index) {
    throw new IndexOutOfBoundsException(index);
  }

  @Override
  public int zeroedCount() {
    return 0;
  }

  @Override
  public int zeroedBlock(int index) {
    throw new IndexOutOfBoundsException(index);
  }

  @Override
  public int preemptedCount() {
    return 0;
  }

  @Override
  public long preemptedNumber(int index) {
    throw new IndexOutOfBoundsException(index);
  }

  @Override
  public String preemptedId(int index) {
    throw new IndexOutOfBoundsException(index);
  }

  @Override
  public int finishedCount() {
    return 0;
  }

  @Override
  public long finishedNumber(int index) {
    throw new IndexOutOfBoundsException(index);
  }

  @Override
  public String finishedId(int index) {
    throw new IndexOutOfBoundsException(index);
  }
}
