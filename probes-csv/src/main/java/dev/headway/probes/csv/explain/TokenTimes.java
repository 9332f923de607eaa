package dev.headway.probes.csv.explain;

import dev.headway.probes.csv.table.Table;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * When the tokens of a request came. Tokens of one step share its instant, so that the gap between
 * them is 0.
 */
final class TokenTimes {

  private long[] gapsNs = new long[16];
  private int count;
  private long firstNs = Table.ABSENT;
  private long lastNs = Table.ABSENT;
  private int longestAt = -1;
  private @Nullable String longestBecause;

  /**
   * Tokens came out of a step.
   *
   * @param because what kept the request from computing since the token before, or null
   */
  void add(int tokens, long outputNs, @Nullable String because) {
    for (int i = 0; i < tokens; i++) {
      if (count == 0) {
        firstNs = outputNs;
      } else {
        addGap(outputNs - lastNs, because);
      }
      lastNs = outputNs;
      count++;
    }
  }

  private void addGap(long gapNs, @Nullable String because) {
    final int gap = count - 1;
    if (gap == gapsNs.length) {
      gapsNs = Arrays.copyOf(gapsNs, 2 * gap);
    }
    gapsNs[gap] = gapNs;
    if (longestAt < 0 || gapNs > gapsNs[longestAt]) {
      longestAt = gap;
      longestBecause = because;
    }
  }

  int count() {
    return count;
  }

  boolean hasGaps() {
    return count > 1;
  }

  long firstNs() {
    return firstNs;
  }

  long lastNs() {
    return lastNs;
  }

  /** The smallest gap that at least half of all gaps do not exceed. */
  long medianGapNs() {
    final long[] sorted = Arrays.copyOf(gapsNs, count - 1);
    Arrays.sort(sorted);
    return sorted[(sorted.length - 1) / 2];
  }

  long longestGapNs() {
    return gapsNs[longestAt];
  }

  /** The token, from 1, that the longest gap stands before. */
  int tokenAfterLongestGap() {
    return longestAt + 2;
  }

  @Nullable String longestGapBecause() {
    return longestBecause;
  }
}
