package dev.headway.scheduler.engine;

import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.RejectReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.request.SessionInput;
import dev.headway.api.schedule.Scheduler;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rejects requests that can never run at submission, with the numbers and the option to change, so
 * that they never block the queue. Immutable; any thread.
 */
final class RequestRules {

  private final SchedulerConfig config;
  private final KvCacheShape kvCache;
  private final int maxModelLen;
  private final int vocabularySize;
  private final int maxInFlightTokens;

  /** Whether there must be blocks for a whole prompt; computed window by window it needs fewer. */
  private final boolean holdsWholePrompts;

  private final Executor executor;
  private final boolean followsGrammars;
  private final boolean keepsSessions;
  private final boolean retainsByPriority;
  private final boolean hasConnector;

  RequestRules(
      SchedulerConfig config,
      Executor executor,
      Scheduler scheduler,
      @Nullable KvConnector connector) {
    final ExecutorShape shape = executor.shape();
    this.config = config;
    this.executor = executor;
    followsGrammars = scheduler.followsGrammars();
    keepsSessions = scheduler.keepsSessions();
    retainsByPriority = scheduler.retainsByPriority();
    hasConnector = connector != null;
    kvCache = shape.kvCache();
    maxModelLen = config.limits().maxModelLen();
    vocabularySize = shape.vocabularySize();
    maxInFlightTokens = config.inFlightTokenLimit();
    holdsWholePrompts =
        config.admission().fullSequenceGate() == FullSequenceGate.WHOLE_SEQUENCE
            || kvCache.groups().stream().allMatch(KvGroup.FullAttention.class::isInstance);
  }

  /**
   * Requires that a further input of a session can be computed.
   *
   * @param items the items of all inputs up to this one, from {@code first} on its own
   * @throws IllegalArgumentException if it has a token or an item that cannot
   */
  void requireComputable(String id, SessionInput input, List<MultiModalItem> items, int first) {
    for (int position = 0; position < input.tokens(); position++) {
      if (input.tokenId(position) >= vocabularySize) {
        throw new IllegalArgumentException(
            "input token ids must be in [0, vocabularySize): id="
                + id
                + ", position="
                + position
                + ", tokenId="
                + input.tokenId(position)
                + ", vocabularySize="
                + vocabularySize);
      }
    }
    final String fault = first == items.size() ? null : ItemRules.fault(config, items, first);
    if (fault != null) {
      throw new IllegalArgumentException(fault + ": id=" + id);
    }
  }

  /** Why a request was refused. */
  record Refusal(RejectReason reason, String message) {}

  /** Returns why the request can never run, or null. */
  @Nullable Refusal check(Request request) {
    final int prompt = request.promptTokens();
    if (prompt >= maxModelLen) {
      return new Refusal(
          RejectReason.CONTEXT_LENGTH_LIMIT,
          "prompt must be shorter than maxModelLen: id="
              + request.id()
              + ", promptTokens="
              + prompt
              + ", maxModelLen="
              + maxModelLen);
    }
    final int blocks = blocksToAdmit(prompt);
    if (blocks > kvCache.usableBlocks()) {
      return new Refusal(
          RejectReason.KV_CACHE_TOO_SMALL,
          "prompt must fit into the KV cache: id="
              + request.id()
              + ", promptTokens="
              + prompt
              + ", neededBlocks="
              + blocks
              + ", usableBlocks="
              + kvCache.usableBlocks()
              + "; raise the executor's numBlocks or lower maxModelLen");
    }
    final int minTokens = request.stopRule().minTokens();
    if ((long) prompt + minTokens > maxModelLen) {
      return new Refusal(
          RejectReason.MIN_TOKENS_UNREACHABLE,
          "prompt and minTokens must fit into maxModelLen: id="
              + request.id()
              + ", promptTokens="
              + prompt
              + ", minTokens="
              + minTokens
              + ", maxModelLen="
              + maxModelLen);
    }
    final Refusal refusal = unknownTokens(request);
    return refusal != null ? refusal : unsupported(request);
  }

  @SuppressWarnings("ReferenceEquality") // others without a bias work as well
  private @Nullable Refusal unknownTokens(Request request) {
    if (request.largestPromptTokenId() >= vocabularySize) {
      return unknownToken("prompt token ids", request, request.largestPromptTokenId());
    }
    final int forced = largestForcedTokenId(request);
    if (forced >= vocabularySize) {
      return unknownToken("forced token ids", request, forced);
    }
    if (request.sampling() == SamplingParams.GREEDY) {
      return null; // without a bias
    }
    final int biased = request.sampling().tokenBias().largestTokenId();
    return biased >= vocabularySize ? unknownToken("token ids of a bias", request, biased) : null;
  }

  private Refusal unknownToken(String what, Request request, int tokenId) {
    return new Refusal(
        RejectReason.TOKEN_OUT_OF_VOCABULARY,
        what
            + " must be in [0, vocabularySize): id="
            + request.id()
            + ", tokenId="
            + tokenId
            + ", vocabularySize="
            + vocabularySize);
  }

  /** What the executor, the scheduler or its cache cannot do for a request. */
  private @Nullable Refusal unsupported(Request request) {
    final String refusal = executor.refuse(request);
    if (refusal != null) {
      return new Refusal(RejectReason.UNSUPPORTED, refusal);
    }
    final boolean isForced = request.forcedTokens() > 0;
    if ((request.grammar() != null || isForced) && !followsGrammars) {
      return new Refusal(
          RejectReason.UNSUPPORTED,
          "the scheduler must follow grammars for a request with "
              + (isForced ? "forced tokens" : "one")
              + ": id="
              + request.id()
              + "; see Scheduler.followsGrammars");
    }
    if (request.isResumable() && !keepsSessions) {
      return new Refusal(
          RejectReason.UNSUPPORTED,
          "the scheduler must keep sessions for a resumable request: id="
              + request.id()
              + "; see Scheduler.keepsSessions");
    }
    if (request.kvCacheRetention() != null && !retainsByPriority) {
      return new Refusal(
          RejectReason.UNSUPPORTED,
          "prefix caching must be on, and the KV cache keep blocks by priority, for a request with"
              + " a retention: id="
              + request.id()
              + "; see Scheduler.retainsByPriority");
    }
    if (!request.kvTransferParams().isEmpty() && !hasConnector) {
      return new Refusal(
          RejectReason.UNSUPPORTED,
          "the engine must have a KV connector for a request with kvTransferParams: id="
              + request.id()
              + ", kvTransferParams="
              + request.kvTransferParams().keySet()
              + "; see EngineBuilder.kvConnector");
    }
    return request.items().isEmpty() ? null : ItemRules.check(config, request);
  }

  /** The largest of the outputs given beforehand, or -1. */
  private static int largestForcedTokenId(Request request) {
    int largest = -1;
    for (int index = 0; index < request.forcedTokens(); index++) {
      largest = Math.max(largest, request.forcedTokenId(index));
    }
    return largest;
  }

  /** Blocks without which the prompt could never be computed. */
  private int blocksToAdmit(int promptTokens) {
    return holdsWholePrompts
        ? kvCache.blocksToHold(promptTokens, maxInFlightTokens, maxModelLen)
        : 0;
  }
}
