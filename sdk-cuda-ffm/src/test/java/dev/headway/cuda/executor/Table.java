package dev.headway.cuda.executor;

import dev.headway.api.kvcache.KvSequence;
import java.util.Arrays;

/** A block table that grows, as a test says. Not thread-safe. */
final class Table implements KvSequence {
  private int[] ids;

  Table(int... ids) {
    this.ids = ids.clone();
  }

  Table grow(int... more) {
    final int before = ids.length;
    ids = Arrays.copyOf(ids, before + more.length);
    System.arraycopy(more, 0, ids, before, more.length);
    return this;
  }

  int count() {
    return ids.length;
  }

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
