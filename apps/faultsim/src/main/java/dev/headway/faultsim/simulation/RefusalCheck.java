package dev.headway.faultsim.simulation;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineState;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.request.RejectReason;
import dev.headway.api.request.Request;

/** Who is refused at submission: those that no engine of these settings could serve, and why. */
final class RefusalCheck {

  private final RuleBook rules;
  private final Drawn drawn;
  private final Engine engine;
  private final int maxModelLen;

  RefusalCheck(RuleBook rules, Drawn drawn, Engine engine) {
    this.rules = rules;
    this.drawn = drawn;
    this.engine = engine;
    maxModelLen = drawn.config().limits().maxModelLen();
  }

  /** A request was submitted while another one with its id was alive, or not. */
  void check(TrackedRequest tracked, boolean hasNamesake) {
    final Request request = tracked.request;
    if (tracked.outcome instanceof RequestOutcome.Rejected refused) {
      if (!isTrue(refused.reason(), request, hasNamesake)) {
        rules.violate(
            Rule.REFUSALS,
            "a request must be refused for a reason that holds: " + tracked + ", " + refused);
      }
      if (tracked.outputs > 0 || tracked.queuedEvents > 0) {
        rules.violate(Rule.ONE_END, "a rejected request must not run: " + tracked);
      }
    } else if (hasNamesake
        || isTooLong(request)
        || isUnreachable(request)
        || isForeign(request)
        || isTooBig(request)) {
      rules.violate(
          Rule.REFUSALS,
          "a request that cannot be served must be refused: "
              + tracked
              + ", maxModelLen="
              + maxModelLen
              + ", largestTokenId="
              + largestTokenId(request)
              + ", hasNamesake="
              + hasNamesake);
    }
  }

  private boolean isTrue(RejectReason reason, Request request, boolean hasNamesake) {
    return switch (reason) {
      case CONTEXT_LENGTH_LIMIT -> isTooLong(request);
      case KV_CACHE_TOO_SMALL -> blocksOf(request) > drawn.kvCache().usableBlocks();
      case MIN_TOKENS_UNREACHABLE -> isUnreachable(request);
      case TOKEN_OUT_OF_VOCABULARY -> isForeign(request);
      case UNSUPPORTED -> false; // nothing of the kind is asked for
      case ENCODER_TOO_SMALL -> isTooBig(request) || drawn.has(Feature.UNSERVABLE);
      case DUPLICATE_ID -> hasNamesake;
      case QUEUE_FULL -> drawn.has(Feature.QUEUE_LIMITS) || drawn.has(Feature.SHORT_INTAKE);
      case QUEUED_TOKENS -> drawn.has(Feature.QUEUE_LIMITS);
      case ENGINE_CLOSED ->
          engine.state() != EngineState.NEW && engine.state() != EngineState.RUNNING;
    };
  }

  private boolean isTooLong(Request request) {
    return request.promptTokens() >= maxModelLen;
  }

  private boolean isUnreachable(Request request) {
    return (long) request.promptTokens() + request.stopRule().minTokens() > maxModelLen;
  }

  private static boolean isForeign(Request request) {
    return largestTokenId(request) >= Drawn.VOCABULARY;
  }

  /** Whether the encoder could never compute one of its items. */
  private boolean isTooBig(Request request) {
    final int most = drawn.config().encoder().maxItemEmbeddings();
    return request.items().stream().anyMatch(item -> item.embeddings() > most);
  }

  private static int largestTokenId(Request request) {
    int largest = -1;
    for (int i = 0; i < request.promptTokens(); i++) {
      largest = Math.max(largest, request.promptTokenId(i));
    }
    return largest;
  }

  private int blocksOf(Request request) {
    return drawn
        .kvCache()
        .blocksToHold(request.promptTokens(), drawn.config().inFlightTokenLimit(), maxModelLen);
  }
}
