package dev.headway.simulation.fleet;

import java.util.Arrays;

/**
 * The blocks in one instance's prefix cache, as they are and as they were some time ago: what the
 * instance does is written down with its instant, and taken over by each view when its time comes.
 * One thread.
 */
final class CacheContents {

  private final LongMap nameOf = new LongMap();
  private final View truth = new View();
  private final View delayed = new View();
  private long[] atNs = new long[256];
  private long[] names = new long[256];
  private byte[] kinds = new byte[256];
  private int size;

  private static final byte STORED = 1;
  private static final byte REMOVED = -1;
  private static final byte CLEARED = 0;

  private static final class View {
    private final LongMap blocks = new LongMap();
    private int next;
  }

  /** A block became findable. */
  void stored(long contentHash, long name, long nowNs) {
    nameOf.put(contentHash, name);
    append(nowNs, name, STORED);
  }

  /** A block is no longer findable. */
  void removed(long contentHash, long nowNs) {
    final long name = nameOf.get(contentHash);
    if (name != 0) {
      nameOf.put(contentHash, 0);
      append(nowNs, name, REMOVED);
    }
  }

  /** No block is findable any more. */
  void cleared(long nowNs) {
    nameOf.clear();
    append(nowNs, 0, CLEARED);
  }

  /** Leading blocks of a prompt that are cached at {@code nowNs}, which never decreases. */
  int matchNow(long[] chain, long nowNs) {
    return match(truth, chain, nowNs);
  }

  /** Leading blocks of a prompt that were cached at {@code atNs}, which never decreases. */
  int matchDelayed(long[] chain, long atNs) {
    return match(delayed, chain, atNs);
  }

  /** Takes over what both views have reached, so that memory stays bounded by the delay. */
  void forgetBefore(long nowNs, long delayedNs) {
    advance(truth, nowNs);
    advance(delayed, delayedNs);
    final int done = Math.min(truth.next, delayed.next);
    if (done > size / 2 && done > 1_024) {
      System.arraycopy(atNs, done, atNs, 0, size - done);
      System.arraycopy(names, done, names, 0, size - done);
      System.arraycopy(kinds, done, kinds, 0, size - done);
      size -= done;
      truth.next -= done;
      delayed.next -= done;
    }
  }

  private int match(View view, long[] chain, long untilNs) {
    advance(view, untilNs);
    int matched = 0;
    while (matched < chain.length && view.blocks.get(chain[matched]) > 0) {
      matched++;
    }
    return matched;
  }

  private void advance(View view, long untilNs) {
    while (view.next < size && atNs[view.next] <= untilNs) {
      if (kinds[view.next] == CLEARED) {
        view.blocks.clear();
      } else {
        view.blocks.add(names[view.next], kinds[view.next]);
      }
      view.next++;
    }
  }

  private void append(long nowNs, long name, byte kind) {
    if (size == names.length) {
      atNs = Arrays.copyOf(atNs, 2 * size);
      names = Arrays.copyOf(names, 2 * size);
      kinds = Arrays.copyOf(kinds, 2 * size);
    }
    atNs[size] = nowNs;
    names[size] = name;
    kinds[size++] = kind;
  }
}
