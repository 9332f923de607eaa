package dev.headway.kvcache;

import dev.headway.api.kvcache.KvBlockWork;
import java.util.Arrays;

/**
 * What must be done to blocks before the step being planned runs: copies, and zeroing of fresh
 * blocks. Both blocks of a copy are kept by a reference until the plan is complete.
 *
 * <p>One thread; allocates only to grow.
 */
final class PendingWork {

  private final IntList[] copies;
  private final IntList[] fresh;
  private final boolean zeroes;
  private final IntList references = new IntList();
  private boolean copying;

  /**
   * Starts with nothing to do.
   *
   * @param zeroes whether fresh blocks must be zeroed
   */
  PendingWork(int groups, boolean zeroes) {
    this.zeroes = zeroes;
    copies = lists(groups);
    fresh = lists(groups);
  }

  /** Whether copies are pending. */
  boolean isCopying() {
    return copying;
  }

  /** Block {@code block} was taken for {@code group}, whose layers expect numbers in it. */
  void took(int group, int block) {
    if (zeroes) {
      fresh[group].add(block);
    }
  }

  /** A copy is due; the caller leaves a reference to each of the two blocks. */
  void copy(int group, int source, int target) {
    copies[group].add(source);
    copies[group].add(target);
    copying = true;
  }

  /** Hands everything over and gives the references of copies back, not before {@code fence}. */
  void handOver(KvBlockWork work, BlockPool pool, long fence) {
    for (IntList list : fresh) {
      for (int i = 0; i < list.size(); i++) {
        work.zero(list.get(i));
      }
      list.clear();
    }
    if (copying) {
      copying = false;
      handOverCopies(work);
      giveReferencesBack(pool, fence);
    }
  }

  private void handOverCopies(KvBlockWork work) {
    for (IntList list : copies) {
      for (int i = 0; i < list.size(); i += 2) {
        work.copy(list.get(i), list.get(i + 1));
      }
    }
  }

  private void giveReferencesBack(BlockPool pool, long fence) {
    references.clear();
    for (int group = copies.length - 1; group >= 0; group--) { // the pool takes the last one first
      for (int i = copies[group].size() - 1; i >= 0; i--) {
        references.add(copies[group].get(i));
      }
      copies[group].clear();
    }
    pool.giveBackAfter(fence, references.values(), references.size());
  }

  private static IntList[] lists(int count) {
    final IntList[] lists = new IntList[count];
    Arrays.setAll(lists, i -> new IntList());
    return lists;
  }
}
