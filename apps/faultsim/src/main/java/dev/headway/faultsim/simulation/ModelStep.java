package dev.headway.faultsim.simulation;

import dev.headway.api.request.MultiModalItem;
import dev.headway.api.step.BlockOperations;
import dev.headway.api.step.BlockPairs;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an executor keeps of a plan until the step's turn comes; used again. */
final class ModelStep {

  /** An entry of the plan. */
  static final class Entry {
    final ContentMemory.Tables tables = new ContentMemory.Tables();
    @Nullable TrackedRequest request;

    /** The turn that the step was planned in. */
    @Nullable Turn turn;

    /** Whether it is admitted with the blocks that it has had before. */
    boolean goesOn;

    int from;
    int scheduled;
    int drafts;
    int external;
    int[] draftIds = new int[4];
    boolean samples;
    boolean isRunning;

    /** Known tokens that came with the plan; -1 if the executor knows them itself. */
    int knownTokens;

    boolean isComputed;

    /** Items to encode before it is computed. */
    final List<MultiModalItem> toEncode = new ArrayList<>();
  }

  long id;
  int size;
  int nextDraftTokens;

  /** Resets of the prefix cache before it was planned. */
  int generation;

  long durationNs;
  long dueNs;
  boolean isStarted;
  @Nullable Feature fault;
  int faultyEntry;
  int silentPolls;
  private final int[] blockSizes;
  private Entry[] entries = {};
  final IntArray saves = new IntArray();
  final IntArray loads = new IntArray();
  final IntArray zeroed = new IntArray();
  final IntArray copies = new IntArray();

  /** Outputs of the encoder to drop, by their hashes. */
  final List<String> dropped = new ArrayList<>();

  /**
   * Makes a step.
   *
   * @param blockSizes tokens of a block, by group
   */
  ModelStep(int[] blockSizes) {
    this.blockSizes = blockSizes;
  }

  Entry entry(int index) {
    return entries[index];
  }

  /** Copies what is needed of a plan. */
  void copy(StepPlan plan, World world) {
    id = plan.stepId();
    size = plan.size();
    nextDraftTokens = plan.drafts().toPropose();
    isStarted = false;
    fault = null;
    silentPolls = 0;
    for (int i = entries.length; i < size; i = entries.length) {
      entries = Arrays.copyOf(entries, Math.max(8, 2 * i));
      for (int made = i; made < entries.length; made++) {
        entries[made] = new Entry();
      }
    }
    for (int i = 0; i < size; i++) {
      copyEntry(plan, i, entries[i], world);
    }
    final BlockOperations operations = plan.blockOperations();
    pairs(operations.saves(), saves);
    pairs(operations.loads(), loads);
    pairs(operations.copies(), copies);
    dropped.clear();
    for (int i = 0; i < plan.encoderInputs().droppedCount(); i++) {
      dropped.add(plan.encoderInputs().dropped(i));
    }
    zeroed.clear();
    for (int i = 0; i < operations.zeroed().size(); i++) {
      zeroed.add(operations.zeroed().block(i));
    }
  }

  private static void pairs(BlockPairs pairs, IntArray all) {
    all.clear();
    for (int i = 0; i < pairs.size(); i++) {
      all.add(pairs.source(i));
      all.add(pairs.target(i));
    }
  }

  private void copyEntry(StepPlan plan, int index, Entry entry, World world) {
    final TrackedRequest request = world.ledger().byNumber(plan.request(index).number());
    entry.request = request;
    entry.turn = request == null ? null : request.turn();
    entry.from = plan.computedTokens(index);
    entry.scheduled = plan.scheduledTokens(index);
    entry.external = plan.externalTokens(index);
    entry.samples = plan.samples(index);
    entry.isRunning = plan.kind(index) == EntryKind.RUNNING;
    entry.goesOn = !entry.isRunning && request != null && request.keepsBlocks;
    if (entry.goesOn) {
      request.keepsBlocks = false;
    }
    entry.knownTokens = entry.isRunning ? -1 : plan.request(index).knownTokens();
    entry.isComputed = false;
    entry.toEncode.clear();
    for (int i = 0; i < plan.encoderInputs().count(index); i++) {
      final int item = plan.encoderInputs().item(index, i);
      entry.toEncode.add(plan.request(index).request().items().get(item));
    }
    entry.drafts = plan.drafts().count(index);
    if (entry.draftIds.length < entry.drafts) {
      entry.draftIds = new int[entry.drafts];
    }
    for (int i = 0; i < entry.drafts; i++) {
      entry.draftIds[i] = plan.drafts().tokenId(index, i);
    }
    entry.tables.sizes = blockSizes;
    copyTables(plan, index, entry.tables);
  }

  private static void copyTables(StepPlan plan, int index, ContentMemory.Tables tables) {
    final int groups = plan.blocks().groupCount();
    if (tables.counts.length < groups) {
      tables.counts = new int[groups];
      tables.blocks = new int[groups][16];
    }
    for (int group = 0; group < groups; group++) {
      final int count = plan.blocks().count(index, group);
      if (tables.blocks[group].length < count) {
        tables.blocks[group] = new int[2 * count];
      }
      plan.blocks().of(index).copyBlockIds(group, 0, tables.blocks[group], 0, count);
      tables.counts[group] = count;
    }
  }
}
