package dev.headway.events.record;

import dev.headway.api.step.DraftTokens;
import dev.headway.api.step.StepPlan;
import java.util.Arrays;

/**
 * What came of the draft tokens of a step: the one place that says which of them were right. One
 * thread; reused, allocates nothing.
 */
public final class DraftCounts {

  private int drafts;
  private int draftTokens;
  private int acceptedTokens;
  private int positions;
  private int[] acceptedAt = new int[8];

  /** Of no step. */
  DraftCounts() {}

  /**
   * How many draft tokens of an entry were right: all tokens that it produced but the last, which
   * the model sampled.
   *
   * @param producedTokens of the entry; 0 for a prefill chunk
   */
  public static int accepted(int producedTokens) {
    return Math.max(0, producedTokens - 1);
  }

  /** Counts anew: the entries of a step that is done. */
  void count(StepPlan plan) {
    reset();
    final DraftTokens drafted = plan.drafts();
    final int size = drafted.isEmpty() ? 0 : plan.size();
    for (int entry = 0; entry < size; entry++) {
      final int tokens = drafted.count(entry) - drafted.padding(entry);
      if (tokens > 0) {
        drafts++;
        draftTokens += tokens;
        accept(Math.min(tokens, accepted(plan.producedTokens(entry))));
      }
    }
  }

  /** Of no step again. */
  void reset() {
    drafts = 0;
    draftTokens = 0;
    acceptedTokens = 0;
    Arrays.fill(acceptedAt, 0, positions, 0);
    positions = 0;
  }

  private void accept(int tokens) {
    acceptedTokens += tokens;
    if (tokens > acceptedAt.length) {
      acceptedAt = Arrays.copyOf(acceptedAt, 2 * tokens);
    }
    for (int position = 0; position < tokens; position++) {
      acceptedAt[position]++;
    }
    positions = Math.max(positions, tokens);
  }

  /** Entries with draft tokens. */
  int drafts() {
    return drafts;
  }

  /** Draft tokens that were verified. */
  int draftTokens() {
    return draftTokens;
  }

  /** Those of them that were right. */
  int acceptedTokens() {
    return acceptedTokens;
  }

  /** Positions behind a decode at which any was right. */
  int positions() {
    return positions;
  }

  /** How many were right at {@code position} in [0, positions). */
  int acceptedAt(int position) {
    return acceptedAt[position];
  }
}
