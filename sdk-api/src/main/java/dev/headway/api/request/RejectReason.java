package dev.headway.api.request;

/** Why a request was refused at submission. A rejected request has no effect on other requests. */
public enum RejectReason {
  /** {@code promptTokens >= maxModelLen}: no token could be generated. */
  CONTEXT_LENGTH_LIMIT("context_length_limit"),
  /** The prompt needs more KV blocks than the cache has. */
  KV_CACHE_TOO_SMALL("kv_cache_too_small"),
  /** {@code minTokens} outputs do not fit behind the prompt within {@code maxModelLen}. */
  MIN_TOKENS_UNREACHABLE("min_tokens_unreachable"),
  /** A token id of the prompt is outside the executor's vocabulary. */
  TOKEN_OUT_OF_VOCABULARY("token_out_of_vocabulary"),
  /** The engine does not do what the request asks for, such as to keep a session. */
  UNSUPPORTED("unsupported"),
  /** An item has more embeddings than {@code EncoderOptions} allow: without them, than none. */
  ENCODER_TOO_SMALL("encoder_too_small"),
  /** A live request has the same id. */
  DUPLICATE_ID("duplicate_id"),
  /** The submission queue has no room, or {@code maxNumQueuedReqs} requests are alive. */
  QUEUE_FULL("queue_full"),
  /** With its prompt more than {@code maxNumQueuedTokens} tokens would wait to be computed. */
  QUEUED_TOKENS("queued_tokens"),
  /** The engine is draining or closed. */
  ENGINE_CLOSED("engine_closed");

  private final String label;

  RejectReason(String label) {
    this.label = label;
  }

  /** The word used in CSV files, journals and metrics. */
  public String label() {
    return label;
  }
}
