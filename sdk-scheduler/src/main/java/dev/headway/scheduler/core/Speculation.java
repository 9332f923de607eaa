package dev.headway.scheduler.core;

import dev.headway.api.config.Compatibility;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.request.Grammar;
import dev.headway.api.schedule.SchedulerStats;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/**
 * Draft tokens: scheduled as if they were known, verified by the executor, and rolled back where it
 * rejects them.
 */
final class Speculation {

  private final SpeculationOptions options;
  private long drafts;
  private long draftTokens;
  private long acceptedTokens;
  private final long[] acceptedAt;

  /** vLLM counts a draft of which nothing was verified, and padding that was accepted. */
  private final boolean countsPadding;

  private Speculation(SpeculationOptions options, Compatibility compatibility) {
    this.options = options;
    countsPadding = compatibility == Compatibility.VLLM_0_28;
    acceptedAt = new long[options.numSpeculativeTokens()];
  }

  /** Returns null if there are no draft tokens. */
  static @Nullable Speculation of(SpeculationOptions options, Compatibility compatibility) {
    return options.numSpeculativeTokens() == 0 ? null : new Speculation(options, compatibility);
  }

  /** Draft tokens that the executor is to propose behind a step of {@code size} entries. */
  int draftTokensFor(int size) {
    return options.draftTokensFor(size);
  }

  /** How many of the request's pending drafts are among {@code tokens} scheduled ones. */
  static int draftsWithin(RequestState request, int tokens) {
    final int behindKnown =
        tokens + request.computedTokens - request.knownTokens - request.placeholders;
    return Math.max(0, Math.min(behindKnown, request.pendingDrafts));
  }

  /**
   * Drafts that a request of one token is padded with, so that a batch of decodes keeps one length;
   * the executor's tokens there are rejected.
   */
  int padding(int tokens, boolean onlyDecodes) {
    final boolean padded = tokens == 1 && onlyDecodes && options.perBatchSize().isEmpty();
    return padded ? options.numSpeculativeTokens() : 0;
  }

  /** Replaces the request's pending drafts; in the middle of its prompt it has none. */
  void propose(RequestState request, int[] tokenIds, int count) {
    if (request.prefillChunk) {
      request.pendingDrafts = 0;
    } else {
      final Grammar grammar = request.grammar;
      final int most = Math.min(count, options.numSpeculativeTokens());
      request.setDrafts(
          tokenIds, grammar == null ? most : Grammars.allowed(grammar, tokenIds, most));
    }
  }

  /**
   * Counts a verification.
   *
   * @param padding how many of the scheduled drafts stand for none
   * @return drafts rejected
   */
  int verified(int scheduledDrafts, int padding, int answeredTokens) {
    final int accepted = answeredTokens - 1;
    drafts += countsPadding || scheduledDrafts > padding ? 1 : 0;
    draftTokens += scheduledDrafts - padding;
    final int proposed = countsPadding ? accepted : Math.min(accepted, scheduledDrafts - padding);
    acceptedTokens += proposed;
    for (int position = 0; position < proposed; position++) {
      acceptedAt[position]++;
    }
    return scheduledDrafts - accepted;
  }

  void addTo(SchedulerStats.Builder stats) {
    stats
        .drafts(drafts)
        .draftTokens(draftTokens)
        .acceptedDraftTokens(acceptedTokens)
        .acceptedDraftTokensPerPosition(acceptedAt);
  }

  /** How often the draft token at {@code position} was accepted. */
  long acceptedAt(int position) {
    return acceptedAt[position];
  }
}
