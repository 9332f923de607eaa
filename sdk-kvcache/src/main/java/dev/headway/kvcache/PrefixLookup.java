package dev.headway.kvcache;

import java.util.Arrays;
import java.util.List;

/*
 * A length found in one type may be too long for another, and shortening it may move a window to
 * blocks that are not there: so the types are asked in turn until a round shortens nothing. A type
 * that gives its last block back for a drafter does so once, and looks a block further that time;
 * when a later type shortens the length for another reason it must do so again.
 */

/**
 * The longest prefix that all groups hold, as a fixpoint over the types of layers.
 *
 * <p>Engine thread only; allocates nothing once warm.
 */
final class PrefixLookup {

  private final CacheGeometry geometry;
  private final AttentionTypeManager[] types;
  private final int[] lengths;
  private final boolean[] searched;
  private final boolean[] dropped;
  private final boolean oneRound;

  /**
   * Looks through the given types.
   *
   * @param types one for each type of layers, full attention first
   */
  PrefixLookup(CacheGeometry geometry, List<? extends AttentionTypeManager> types) {
    this.geometry = geometry;
    this.types = types.toArray(new AttentionTypeManager[0]);
    lengths = new int[this.types.length];
    searched = new boolean[this.types.length];
    dropped = new boolean[this.types.length];
    oneRound = this.types.length == 2 && this.types[0].isClosedDownwards();
  }

  /** Finds the longest prefix; leaves length, boundary and blocks in the sequence. */
  void find(GroupedSequence seq) {
    final int limit = seq.request.knownTokens() - 1;
    seq.path.find(limit / geometry.unit());
    if (geometry.severalGroups()) {
      findInAll(seq, limit);
    } else {
      seq.matchedTokens = types[0].search(seq, limit, geometry.dropsLastHit());
      seq.sharedPrefixBoundary = 0;
    }
  }

  private void findInAll(GroupedSequence seq, int limit) {
    Arrays.fill(searched, false);
    Arrays.fill(dropped, false);
    int length = limit;
    int longest = 0;
    while (true) {
      int current = length;
      for (int type = 0; type < types.length; type++) {
        current = search(seq, type, current, limit);
        longest = Math.max(longest, current);
      }
      final boolean settled = current >= length;
      length = Math.min(length, current);
      if (settled || oneRound) {
        break;
      }
    }
    for (AttentionTypeManager type : types) {
      if (type.isClosedDownwards()) {
        type.cut(seq, length);
      }
    }
    seq.matchedTokens = length;
    seq.sharedPrefixBoundary = longest > length ? longest : 0;
  }

  private int search(GroupedSequence seq, int type, int current, int limit) {
    if (searched[type] && types[type].isClosedDownwards()) {
      return Math.min(current, lengths[type]);
    }
    final boolean due = geometry.dropsLastHit() && !dropped[type];
    final int bound = due ? Math.min(current + types[type].dropTokens(), limit) : current;
    final int found = types[type].search(seq, bound, due);
    if (due) {
      dropped[type] = true;
    } else if (found < current) {
      Arrays.fill(dropped, false);
    }
    searched[type] = true;
    lengths[type] = found;
    return found;
  }
}
