package dev.headway.report.fpm;

import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.StepEntries;
import dev.headway.events.model.TokenMoments;

/** What a step computes. */
public final class ScheduledSums {

  private final TokenMoments promptLengths = new TokenMoments();
  private final TokenMoments decodes = new TokenMoments();
  private long chunks;
  private long contexts;

  private ScheduledSums() {}

  static ScheduledSums nothing() {
    return new ScheduledSums();
  }

  static ScheduledSums of(StepEntries entries) {
    final ScheduledSums scheduled = new ScheduledSums();
    for (int entry = 0; entry < entries.size(); entry++) {
      if (entries.entryClass(entry).countsAsPrefill()) {
        final RequestTimeline request = entries.request(entry);
        scheduled.promptLengths.add(
            request == null
                ? entries.computedTokens(entry) + entries.scheduledTokens(entry)
                : request.queued().promptTokens());
        scheduled.chunks += entries.scheduledTokens(entry);
        scheduled.contexts += entries.computedTokens(entry);
      } else {
        scheduled.decodes.add(entries.computedTokens(entry));
      }
    }
    return scheduled;
  }

  /** Prompt lengths of the requests that compute prompts, or compute again. */
  public TokenMoments promptLengths() {
    return promptLengths;
  }

  /** Tokens that these compute. */
  public long prefillTokens() {
    return chunks;
  }

  /** Tokens in front of these, which they read. */
  public long prefillContext() {
    return contexts;
  }

  /** Tokens that the requests that generate read. */
  public TokenMoments decodes() {
    return decodes;
  }
}
