package dev.headway.kvcache;

import java.util.Arrays;
import java.util.List;

/*
 * A length found in one kind may be too long for another, and shortening it may move a window to
 * blocks that are not there: so the kinds are asked in turn until a round shortens nothing. A kind
 * that gives its last block back for a drafter does so once, and looks a block further that time;
 * when a later kind shortens the length for another reason it must do so again.
 */

/**
 * The longest prefix that all groups hold, as a fixpoint over the kinds of layers.
 *
 * <p>Engine thread only; allocates nothing once warm.
 */
final class PrefixLookup {

  private final CacheRules rules;
  private final LayerKind[] kinds;
  private final int[] lengths;
  private final boolean[] searched;
  private final boolean[] dropped;
  private final boolean oneRound;

  /**
   * Looks through the given kinds.
   *
   * @param kinds one for each kind of layers, full attention first
   */
  PrefixLookup(CacheRules rules, List<? extends LayerKind> kinds) {
    this.rules = rules;
    this.kinds = kinds.toArray(new LayerKind[0]);
    lengths = new int[this.kinds.length];
    searched = new boolean[this.kinds.length];
    dropped = new boolean[this.kinds.length];
    oneRound = this.kinds.length == 2 && this.kinds[0].isClosedDownwards();
  }

  /** Finds the longest prefix; leaves length, boundary and blocks in the sequence. */
  void find(GroupedSequence seq) {
    final int limit = seq.request.knownTokens() - 1;
    seq.path.find(limit / rules.unit());
    if (rules.severalGroups()) {
      findInAll(seq, limit);
    } else {
      seq.matchedTokens = kinds[0].search(seq, limit, rules.dropsLastHit());
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
      for (int kind = 0; kind < kinds.length; kind++) {
        current = search(seq, kind, current, limit);
        longest = Math.max(longest, current);
      }
      final boolean settled = current >= length;
      length = Math.min(length, current);
      if (settled || oneRound) {
        break;
      }
    }
    for (LayerKind kind : kinds) {
      if (kind.isClosedDownwards()) {
        kind.cut(seq, length);
      }
    }
    seq.matchedTokens = length;
    seq.sharedPrefixBoundary = longest > length ? longest : 0;
  }

  private int search(GroupedSequence seq, int kind, int current, int limit) {
    if (searched[kind] && kinds[kind].isClosedDownwards()) {
      return Math.min(current, lengths[kind]);
    }
    final boolean due = rules.dropsLastHit() && !dropped[kind];
    final int bound = due ? Math.min(current + kinds[kind].dropTokens(), limit) : current;
    final int found = kinds[kind].search(seq, bound, due);
    if (due) {
      dropped[kind] = true;
    } else if (found < current) {
      Arrays.fill(dropped, false);
    }
    searched[kind] = true;
    lengths[kind] = found;
    return found;
  }
}
