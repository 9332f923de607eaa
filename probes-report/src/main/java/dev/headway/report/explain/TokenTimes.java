package dev.headway.report.explain;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.StepTimeline;
import dev.headway.toolbox.stats.Quantile;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * When the tokens of a request came. Tokens of one step share its instant, so that the gap between
 * them is 0.
 */
final class TokenTimes {

  private long[] gapsNs = new long[16];
  private int count;
  private long firstNs = ABSENT;
  private long lastNs = ABSENT;
  private int longestAt = -1;
  private @Nullable Origin longestOrigin;

  /**
   * Where a token comes from.
   *
   * @param stepId the step that made it
   * @param stepTokens tokens which that step computed over all requests
   * @param promptTokens those of them that belong to requests that do not decode
   * @param interruption what kept the request from computing since the token before, or null
   */
  record Origin(long stepId, int stepTokens, int promptTokens, @Nullable String interruption) {

    Origin(StepTimeline step, @Nullable String interruption) {
      this(
          step.plan().stepId(),
          step.plan().totalTokens(),
          step.plan().prefillTokens(),
          interruption);
    }
  }

  /** Tokens came out of a step. */
  void add(int tokens, long outputNs, Origin origin) {
    for (int i = 0; i < tokens; i++) {
      if (count == 0) {
        firstNs = outputNs;
      } else {
        addGap(outputNs - lastNs, origin);
      }
      lastNs = outputNs;
      count++;
    }
  }

  private void addGap(long gapNs, Origin origin) {
    final int gap = count - 1;
    if (gap == gapsNs.length) {
      gapsNs = Arrays.copyOf(gapsNs, 2 * gap);
    }
    gapsNs[gap] = gapNs;
    if (longestAt < 0 || gapNs > gapsNs[longestAt]) {
      longestAt = gap;
      longestOrigin = origin;
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
    return Quantile.lowerMedian(sorted);
  }

  long longestGapNs() {
    return gapsNs[longestAt];
  }

  /** The token, from 1, after the longest gap. */
  int tokenAfterLongestGap() {
    return longestAt + 2;
  }

  /** Where that token comes from, or null without gaps. */
  @Nullable Origin longestGapOrigin() {
    return longestOrigin;
  }
}
