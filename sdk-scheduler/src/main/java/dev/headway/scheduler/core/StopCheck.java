package dev.headway.scheduler.core;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RepetitionRule;
import dev.headway.api.request.StopRule;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/** Whether a request is done after its latest token; the order of the tests is vLLM's. */
final class StopCheck {

  private final int maxModelLen;

  StopCheck(int maxModelLen) {
    this.maxModelLen = maxModelLen;
  }

  /** Returns how the request ends with {@code tokenId} as its latest output, or null. */
  @Nullable FinishReason after(RequestState request, int tokenId) {
    if (request.knownTokens < request.plainUntilTokens) {
      return null; // no rule depends on its tokens, and its length limit is not reached
    }
    if (request.outputTokens() < request.minTokens()) {
      return null;
    }
    if (request.endsOnTokens() && isStop(request.request().stopRule(), tokenId)) {
      return FinishReason.STOP;
    }
    if (isFull(request)) {
      return FinishReason.LENGTH;
    }
    final RepetitionRule rule = request.repetition();
    return rule != null && repeats(request, rule) ? FinishReason.REPETITION : null;
  }

  /**
   * Returns the token reported as the cause of a stop, or absent: the end-of-sequence token is
   * none.
   */
  long stopTokenId(RequestState request, FinishReason reason, int tokenId) {
    return reason == FinishReason.STOP && !request.request().stopRule().isEos(tokenId)
        ? tokenId
        : ABSENT;
  }

  private static boolean isStop(StopRule rule, int tokenId) {
    return rule.isEos(tokenId) || rule.isStopToken(tokenId);
  }

  private boolean isFull(RequestState request) {
    return request.knownTokens >= maxModelLen || request.outputTokens() >= request.maxTokens();
  }

  private static boolean repeats(RequestState request, RepetitionRule rule) {
    final int outputs = request.outputTokens();
    for (int pattern = rule.minPatternTokens(); pattern <= rule.maxPatternTokens(); pattern++) {
      final long span = (long) pattern * rule.minCount();
      if (span > outputs) {
        return false;
      }
      if (hasPeriod(request, pattern, (int) span)) {
        return true;
      }
    }
    return false;
  }

  /** Whether the last {@code span} tokens repeat every {@code period}. */
  private static boolean hasPeriod(RequestState request, int period, int span) {
    final int end = request.knownTokens;
    for (int position = end - span + period; position < end; position++) {
      if (request.tokenId(position) != request.tokenId(position - period)) {
        return false;
      }
    }
    return true;
  }
}
