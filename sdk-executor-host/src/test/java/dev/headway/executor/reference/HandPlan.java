package dev.headway.executor.reference;

import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepPlan;
import java.util.ArrayList;
import java.util.List;

/** A plan written by hand, for what the scheduler never asks of this executor or only rarely. */
public final class HandPlan implements StepPlan {

  private record Entry(Request request, int computed, int scheduled, View view, Blocks blocks) {}

  private final List<Entry> entries = new ArrayList<>();
  private int[] copies = {};
  private int[] zeroed = {};
  private int[] saves = {};
  private int[] loads = {};
  private int drafts;
  private int groups = 1;

  /** The request computes its prompt tokens [computed, computed + scheduled). */
  public HandPlan entry(Request request, int computed, int scheduled, int... blocks) {
    entries.add(
        new Entry(request, computed, scheduled, new View(request, computed), new Blocks(blocks)));
    return this;
  }

  /** Sources and targets in turn. */
  public HandPlan copies(int... blocks) {
    copies = blocks;
    return this;
  }

  /** Blocks and host blocks in turn. */
  public HandPlan saves(int... blocks) {
    saves = blocks;
    return this;
  }

  /** Host blocks and blocks in turn. */
  public HandPlan loads(int... blocks) {
    loads = blocks;
    return this;
  }

  @Override
  public int saveCount() {
    return saves.length / 2;
  }

  @Override
  public int saveSource(int index) {
    return saves[2 * index];
  }

  @Override
  public int saveTarget(int index) {
    return saves[2 * index + 1];
  }

  @Override
  public int loadCount() {
    return loads.length / 2;
  }

  @Override
  public int loadSource(int index) {
    return loads[2 * index];
  }

  @Override
  public int loadTarget(int index) {
    return loads[2 * index + 1];
  }

  public HandPlan zeroed(int... blocks) {
    zeroed = blocks;
    return this;
  }

  public HandPlan drafts(int count) {
    drafts = count;
    return this;
  }

  public HandPlan groups(int count) {
    groups = count;
    return this;
  }

  @Override
  public long stepId() {
    return 7;
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
    int tokens = 0;
    for (int entry = 0; entry < entries.size(); entry++) {
      tokens += entries.get(entry).scheduled();
    }
    return tokens;
  }

  @Override
  public RequestView request(int entry) {
    return entries.get(entry).view();
  }

  @Override
  public EntryKind kind(int entry) {
    return EntryKind.NEW;
  }

  @Override
  public int scheduledTokens(int entry) {
    return entries.get(entry).scheduled();
  }

  @Override
  public int computedTokens(int entry) {
    return entries.get(entry).computed();
  }

  @Override
  public boolean samples(int entry) {
    final Entry e = entries.get(entry);
    return e.computed() + e.scheduled() == e.request().promptTokens();
  }

  @Override
  public int producedTokens(int entry) {
    return 0;
  }

  @Override
  public int draftTokens(int entry) {
    return drafts;
  }

  @Override
  public int draftTokenId(int entry, int index) {
    return 0;
  }

  @Override
  public int outputTokens(int entry) {
    return 0;
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
    return entries.get(entry).blocks();
  }

  @Override
  public int groupCount() {
    return groups;
  }

  @Override
  public int newBlocksFrom(int entry, int group) {
    return 0;
  }

  @Override
  public int blockCount(int entry, int group) {
    return entries.get(entry).blocks().blockCount(0);
  }

  @Override
  public int commonPrefixBlocks(int group) {
    return 0;
  }

  @Override
  public int copyCount() {
    return copies.length / 2;
  }

  @Override
  public int copySource(int index) {
    return copies[2 * index];
  }

  @Override
  public int copyTarget(int index) {
    return copies[2 * index + 1];
  }

  @Override
  public int zeroedCount() {
    return zeroed.length;
  }

  @Override
  public int zeroedBlock(int index) {
    return zeroed[index];
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

  private record View(Request request, int computedTokens) implements RequestView {
    @Override
    public long number() {
      return 0;
    }

    @Override
    public RequestStatus status() {
      return RequestStatus.RUNNING;
    }

    @Override
    public long arrivalNs() {
      return 0;
    }

    @Override
    public long queuedNs() {
      return 0;
    }

    @Override
    public int knownTokens() {
      return request.promptTokens();
    }

    @Override
    public int cachedTokens() {
      return 0;
    }

    @Override
    public int inFlightTokens() {
      return 0;
    }

    @Override
    public int kvBlocks() {
      return 0;
    }

    @Override
    public int sharedPrefixTokens() {
      return 0;
    }

    @Override
    public int preemptions() {
      return 0;
    }

    @Override
    public int tokenId(int position) {
      return request.promptTokenId(position);
    }

    @Override
    public void copyTokenIds(int from, int[] target, int offset, int length) {
      request.copyPromptTokenIds(from, target, offset, length);
    }
  }

  private record Blocks(int... ids) implements KvSequence {
    @Override
    public int groupCount() {
      return 1;
    }

    @Override
    public int blockCount(int group) {
      return ids.length;
    }

    @Override
    public int blockId(int group, int index) {
      return ids[index];
    }

    @Override
    public void copyBlockIds(int group, int from, int[] target, int offset, int length) {
      System.arraycopy(ids, from, target, offset, length);
    }

    @Override
    public int sharedPrefixTokens() {
      return 0;
    }
  }
}
