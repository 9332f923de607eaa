package dev.headway.faultsim.simulation;

import dev.headway.api.config.KvLoadFailurePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.request.FinishReason;
import dev.headway.api.schedule.WaitReason;

/** Whether requests end as they must: once, in time, where their stop rule says, and why. */
final class EndCheck {

  private static final WaitReason[] WAITS = WaitReason.values();

  private final RuleBook rules;
  private final Drawn drawn;
  private boolean hasExecutorFailed;
  private boolean hasLoadFailed;
  private boolean isClosing;

  EndCheck(RuleBook rules, Drawn drawn) {
    this.rules = rules;
    this.drawn = drawn;
  }

  /** A fault was injected: if it was the executor's, requests may end for it from now on. */
  void faultHappened(Feature fault) {
    hasExecutorFailed |= ModelExecutor.STEP_FAULTS.contains(fault);
    hasLoadFailed |= fault == Feature.FAILED_LOADS;
  }

  /** From now on requests may end because the engine ends. */
  void closing() {
    isClosing = true;
  }

  /**
   * A request is alive after a step that began at {@code beganNs} as the {@code stepsBegun}th: what
   * was to end it before that step was planned has not.
   */
  void stillAlive(TrackedRequest request, long beganNs, long stepsBegun) {
    if (request.firstDeadlineNs() <= beganNs || request.mustEndBehind < stepsBegun) {
      rules.violate(
          Rule.ENDS_IN_TIME,
          "a request must end before a step is planned behind its deadline, its cancellation or its"
              + " listener's exception: "
              + request
              + ", deadlineNs="
              + request.firstDeadlineNs()
              + ", stepBeganNs="
              + beganNs
              + ", isCancelled="
              + request.isCancelled
              + ", isStopped="
              + request.isStopped
              + ", hasThrown="
              + request.hasThrown);
    }
  }

  /** A request has ended. */
  void ended(TrackedRequest request) {
    if (!(request.outcome instanceof RequestOutcome.Finished end)) {
      return;
    }
    final FinishReason reason = end.reason();
    if (!mayEnd(request, reason, end)) {
      rules.violate(
          Rule.ONE_END,
          "a request must end for a reason that happened: "
              + request
              + ", reason="
              + reason
              + ", cause="
              + end.cause());
    }
    final int outputs = end.outputTokens();
    if (outputs > request.turn.endOutputs
        || (isNatural(reason)
            && !(reason == FinishReason.STOP && request.isStopped)
            && !endsNaturally(request, reason, outputs))) {
      rules.violate(
          Rule.STOP_RULE,
          "a request must end where its stop rule says: "
              + request
              + ", reason="
              + reason
              + ", outputs="
              + outputs);
    }
    if (!request.hasThrown && outputs != request.outputs) {
      rules.violate(
          Rule.TOKENS,
          "the outcome must have the tokens of the listener: " + request + ", outcome=" + end);
    }
    if (request.queuedEvents > 0) {
      checkEvents(request, end);
    }
  }

  private void checkEvents(TrackedRequest request, RequestOutcome.Finished end) {
    if (request.queuedEvents != 1 || request.finishedEvents != 1) {
      rules.violate(
          Rule.ONE_END,
          "probes must be notified of one beginning and one end: "
              + request
              + ", queued="
              + request.queuedEvents
              + ", finished="
              + request.finishedEvents);
    }
    for (WaitReason reason : WAITS) {
      if (end.waits().ns(reason) != request.wait.ns(reason)) {
        rules.violate(
            Rule.WAITS_ADD_UP,
            "the waits of an outcome must be those of the events: "
                + request
                + ", reason="
                + reason
                + ", byOutcome="
                + end.waits()
                + ", byEvents="
                + request.wait);
      }
    }
  }

  private static boolean endsNaturally(TrackedRequest request, FinishReason reason, int outputs) {
    final TrackedSession session = request.session;
    final Turn turn = request.turn;
    return (reason == turn.endReason
            && outputs == turn.endOutputs
            && (session == null || session.mayEndAsItsTurn()))
        || (reason == FinishReason.LENGTH && session != null && session.mayBeTooLong(turn));
  }

  private static boolean isNatural(FinishReason reason) {
    return reason == FinishReason.STOP
        || reason == FinishReason.LENGTH
        || reason == FinishReason.REPETITION;
  }

  private boolean mayEnd(TrackedRequest request, FinishReason reason, RequestOutcome.Finished end) {
    return switch (reason) {
      case STOP, LENGTH, REPETITION -> true; // its stop rule has a rule of its own
      case ABORTED -> request.isCancelled;
      case DEADLINE -> end.finishedNs() >= request.deadlineNs;
      case QUEUE_TIMEOUT -> end.finishedNs() >= request.queueDeadlineNs;
      case QUEUE_EVICTED -> drawn.has(Feature.EVICTIONS) && drawn.has(Feature.QUEUE_LIMITS);
      case RUN_TIMEOUT -> end.finishedNs() >= request.runDeadlineNs;
      case HOLD_FAILED -> request.hasHoldFailed;
      case GRAMMAR_REFUSED -> false; // none has a grammar
      case KV_LOAD_FAILED ->
          hasLoadFailed && drawn.config().kvLoadFailurePolicy() == KvLoadFailurePolicy.FAIL;
      case HOLD_TIMEOUT ->
          request.isHeldTooLong(end.finishedNs())
              || (request.session != null && end.finishedNs() >= request.session.deadlineNs());
      case LISTENER_FAILED -> request.hasThrown;
      case SHUTDOWN -> isClosing;
      case EXECUTOR_FAILED -> hasExecutorFailed;
      case REJECTED_BY_POLICY -> drawn.has(Feature.NAMED_ORDER) || drawn.policies().gate() != null;
      case KV_CACHE_EXHAUSTED -> isExhausted(request, end);
    };
  }

  /**
   * Whether a request of that length fills the cache when it is alone and no step is out: with its
   * next token and the drafts behind it, for which a window has blocks too, and one that is loaded
   * into from outside for what drafting modules have not computed; the states from the one it goes
   * on from to the one behind drafts that were rejected; and copies of blocks that it has found in
   * part.
   */
  private boolean isExhausted(TrackedRequest request, RequestOutcome.Finished end) {
    final SchedulerConfig config = drawn.config();
    final KvCacheShape kvCache = drawn.kvCache();
    final int drafts = config.speculation().numSpeculativeTokens();
    final int lookahead = config.speculation().lookaheadTokens();
    final int tokens = request.turn.request.promptTokens() + end.outputTokens() + 1 + drafts;
    int needed =
        kvCache.blocksToHold(
            tokens + lookahead,
            config.inFlightTokenLimit() + lookahead + modulesBehind(config),
            config.limits().maxModelLen());
    for (KvGroup group : kvCache.groups()) {
      needed += group instanceof KvGroup.Mamba ? 1 + drafts / group.blockSize() : 0;
      needed += drawn.has(Feature.MATCH_UNIT) || drawn.has(Feature.MIXED_BLOCK_SIZES) ? 1 : 0;
    }
    return needed > kvCache.usableBlocks();
  }

  /** Tokens behind which a window is not left since drafting modules still write them. */
  private int modulesBehind(SchedulerConfig config) {
    return drawn.has(Feature.KV_CONNECTOR)
        ? Math.max(0, config.speculation().prefillLookaheadTokens() - 1)
        : 0;
  }
}
