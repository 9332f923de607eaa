package dev.headway.cuda.executor;

import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.step.EndedRequests;
import dev.headway.api.step.StepPlan;
import dev.headway.cuda.kernel.TableKernels;
import dev.headway.executor.plan.PlanCheck;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What the device holds of the requests' block tables, and what a step has to send so that it holds
 * what the step needs: the ids behind those that it has. A request has a row of them while it runs.
 *
 * <p>Steps build on each other: {@link #needs} and {@link #makes} number the states of the tables,
 * so that a step is refused whose changes build on some that never reached the device. Engine
 * thread only; allocates nothing once its arrays have grown.
 */
final class BlockTables {
  /** A step needs nothing to be on the device that it does not send itself. */
  static final long NOTHING = 0;

  private final TableSlots slots;
  private final int groups;
  private final int maxBlocks;
  private final int[][] tables; // as on the device, by row: one group's ids after the other's
  private final int[][] known; // ids of a group that count, by row
  private final long[] acceptedIn; // step, by row

  private int[] rowOf = new int[16]; // by entry
  private long step;
  private long states;
  private long current = NOTHING;
  private long needed = NOTHING;

  private int runs;
  private int ids;
  private final int[] read; // ids of the entry that is not accepted yet, by group
  private int[] run = new int[TableKernels.RUN_INTS * 16];
  private int[] id = new int[64];

  /**
   * Tables of {@code rows} requests with up to {@code maxBlocks} blocks in each group of layers.
   */
  BlockTables(int rows, int groups, int maxBlocks) {
    this.groups = groups;
    this.maxBlocks = maxBlocks;
    slots = new TableSlots(rows);
    tables = new int[rows][groups * maxBlocks];
    known = new int[rows][groups];
    read = new int[groups];
    acceptedIn = new long[rows];
  }

  /** Begins a step: requests that are gone give their rows back, those of the step keep theirs. */
  void begin(StepPlan plan) {
    needed = current;
    runs = 0;
    ids = 0;
    step++;
    slots.beginStep();
    free(plan.preempted());
    free(plan.finished());
    if (rowOf.length < plan.size()) {
      rowOf = new int[Math.max(plan.size(), 2 * rowOf.length)];
    }
    for (int entry = 0; entry < plan.size(); entry++) {
      final int row = slots.find(plan.request(entry).number());
      rowOf[entry] = row;
      if (row != TableSlots.NONE) { // also where the entry is refused later
        for (int group = 0; group < groups; group++) {
          known[row][group] = Math.min(known[row][group], plan.blocks().newFrom(entry, group));
        }
      }
    }
  }

  private void free(EndedRequests gone) {
    for (int i = 0; i < gone.size(); i++) {
      slots.free(gone.number(i));
    }
  }

  /**
   * Reads the ids of an entry's first {@code blocks} blocks of each group that the device does not
   * have yet. Nothing has changed until {@link #accept}.
   *
   * @return why the entry cannot be run, or null
   */
  @Nullable RuntimeException read(StepPlan plan, int entry, int blocks, PlanCheck check) {
    if (rowOf[entry] == TableSlots.NONE) {
      rowOf[entry] = slots.find(plan.request(entry).number()); // it may have come twice
    }
    final int row = rowOf[entry];
    if (row != TableSlots.NONE && acceptedIn[row] == step) {
      return new IllegalArgumentException(
          "a request must be in a step once: request='" + plan.request(entry).id() + "'");
    }
    int to = ids;
    for (int group = 0; group < groups; group++) {
      final int from = row == TableSlots.NONE ? 0 : known[row][group];
      read[group] = Math.max(0, blocks - from);
      if (read[group] > 0) {
        final RuntimeException refusal = read(plan, entry, group, from, to, check);
        if (refusal != null) {
          return refusal;
        }
      }
      to += read[group];
    }
    return null;
  }

  private @Nullable RuntimeException read(
      StepPlan plan, int entry, int group, int from, int to, PlanCheck check) {
    final int count = read[group];
    if (id.length < to + count) {
      id = Arrays.copyOf(id, Math.max(to + count, 2 * id.length));
    }
    final KvSequence blocksNow = plan.blocks().of(entry);
    if (blocksNow.blockCount(group) < from + count) {
      return ended(plan, entry);
    }
    blocksNow.copyBlockIds(group, from, id, to, count);
    return check.refuseBlocks(id, to, count, from, plan, entry, group);
  }

  /** Outputs that a plan with constraints waited for may end requests of it. */
  private static RuntimeException ended(StepPlan plan, int entry) {
    return new IllegalStateException(
        "the blocks of an entry must not be freed before its step is submitted, unless its request"
            + " has ended: request='"
            + plan.request(entry).id()
            + "'");
  }

  /** The step sends what was read of an entry. */
  void accept(StepPlan plan, int entry) {
    if (rowOf[entry] == TableSlots.NONE) {
      rowOf[entry] = slots.take(plan.request(entry).number());
      Arrays.fill(known[rowOf[entry]], 0);
    }
    final int row = rowOf[entry];
    acceptedIn[row] = step;
    for (int group = 0; group < groups; group++) {
      if (read[group] > 0) {
        acceptGroup(row, group, read[group]);
      }
    }
  }

  private void acceptGroup(int row, int group, int count) {
    final int from = group * maxBlocks + known[row][group];
    System.arraycopy(id, ids, tables[row], from, count);
    known[row][group] += count;
    final int at = TableKernels.RUN_INTS * runs;
    if (run.length == at) {
      run = Arrays.copyOf(run, 2 * at);
    }
    run[at] = row;
    run[at + 1] = from;
    run[at + 2] = count;
    run[at + 3] = ids; // from the first id on
    runs++;
    ids += count;
  }

  /** Ends the step: later ones build on it. */
  void end() {
    if (runs > 0) {
      current = ++states;
    }
  }

  /**
   * Forgets what the device has: the next step sends whole tables. After a step that failed, since
   * it is not known how far it came, or that was not taken.
   */
  void forget() {
    slots.clear();
    current = NOTHING;
  }

  /** The state of the tables that the device must have before the step's changes. */
  long needs() {
    return needed;
  }

  /** The state that the step's changes make, once it has ended. */
  long makes() {
    return current;
  }

  /** The row of an entry that was accepted. */
  int row(int entry) {
    return rowOf[entry];
  }

  /** A row's ids, those of a group from {@code group * maxBlocks} on; those of blocks count. */
  int[] table(int row) {
    return tables[row];
  }

  /** Changes of the step: ids that lie side by side in a row. */
  int runs() {
    return runs;
  }

  /** Ids of all changes. */
  int ids() {
    return ids;
  }

  /**
   * Writes the changes as {@link TableKernels#change} reads them.
   *
   * @param target the block
   * @param runAt where runs go
   * @param idAt where ids go
   */
  void write(int[] target, int runAt, int idAt) {
    for (int i = 0; i < TableKernels.RUN_INTS * runs; i += TableKernels.RUN_INTS) {
      target[runAt + i] = run[i];
      target[runAt + i + 1] = run[i + 1];
      target[runAt + i + 2] = run[i + 2];
      target[runAt + i + 3] = idAt + run[i + 3];
    }
    System.arraycopy(id, 0, target, idAt, ids);
  }
}
