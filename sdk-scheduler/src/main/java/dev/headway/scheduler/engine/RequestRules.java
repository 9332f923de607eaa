package dev.headway.scheduler.engine;

import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.request.RejectReason;
import dev.headway.api.request.Request;
import org.jspecify.annotations.Nullable;

/**
 * Rejects requests that can never run at submission, with the numbers and the option to change, so
 * that they never block the queue. Immutable; any thread.
 */
final class RequestRules {

  private final SchedulerConfig config;
  private final SchedulerLimits limits;
  private final KvCacheShape kvCache;
  private final int vocabularySize;

  RequestRules(SchedulerConfig config, ExecutorShape shape) {
    this.config = config;
    this.limits = config.limits();
    this.kvCache = shape.kvCache();
    this.vocabularySize = shape.vocabularySize();
  }

  /** Why a request was refused. */
  record Refusal(RejectReason reason, String message) {}

  /** Returns why the request can never run, or null. */
  @Nullable Refusal check(Request request) {
    final int prompt = request.promptTokens();
    if (prompt >= limits.maxModelLen()) {
      return new Refusal(
          RejectReason.CONTEXT_LENGTH_LIMIT,
          "prompt must be shorter than maxModelLen: id="
              + request.id()
              + ", promptTokens="
              + prompt
              + ", maxModelLen="
              + limits.maxModelLen());
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
    if ((long) prompt + minTokens > limits.maxModelLen()) {
      return new Refusal(
          RejectReason.MIN_TOKENS_UNREACHABLE,
          "prompt and minTokens must fit into maxModelLen: id="
              + request.id()
              + ", promptTokens="
              + prompt
              + ", minTokens="
              + minTokens
              + ", maxModelLen="
              + limits.maxModelLen());
    }
    if (request.largestPromptTokenId() >= vocabularySize) {
      return new Refusal(
          RejectReason.TOKEN_OUT_OF_VOCABULARY,
          "prompt token ids must be in [0, vocabularySize): id="
              + request.id()
              + ", tokenId="
              + request.largestPromptTokenId()
              + ", vocabularySize="
              + vocabularySize);
    }
    return null;
  }

  /** Blocks without which the prompt could never be computed. */
  private int blocksToAdmit(int promptTokens) {
    final boolean whole =
        config.admission().fullSequenceGate() == FullSequenceGate.WHOLE_SEQUENCE
            || kvCache.groups().stream().allMatch(KvGroup.FullAttention.class::isInstance);
    return whole
        ? kvCache.blocksToHold(promptTokens, config.inFlightTokenLimit(), limits.maxModelLen())
        : 0; // computed window by window, it may need fewer
  }
}
