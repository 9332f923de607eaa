package dev.headway.examples.customcache;

import dev.headway.api.kvcache.KvSequence;
import java.util.Arrays;

/** The one block table of a request. */
final class Blocks implements KvSequence {

  int[] ids = new int[4];
  int count;

  void add(int block) {
    if (count == ids.length) {
      ids = Arrays.copyOf(ids, 2 * count);
    }
    ids[count++] = block;
  }

  /** Empties the table; returns what it held. */
  Blocks takeAll() {
    final Blocks taken = new Blocks();
    taken.ids = ids;
    taken.count = count;
    ids = new int[4];
    count = 0;
    return taken;
  }

  @Override
  public int groupCount() {
    return 1;
  }

  @Override
  public int blockCount(int group) {
    return count;
  }

  @Override
  public int blockId(int group, int index) {
    return ids[index];
  }

  @Override
  public void copyBlockIds(int group, int from, int[] target, int offset, int length) {
    System.arraycopy(ids, from, target, offset, length);
  }
}
