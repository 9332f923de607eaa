package dev.headway.api.config;

import java.util.Objects;

/**
 * Limits of the executor's encoder, for images and other multi-modal items. The unit is one
 * embedding: a token of a prompt that an item's content replaces.
 *
 * <p>Source: vLLM 0.28, {@code compute_mm_encoder_budget}; the names are vLLM's.
 *
 * @param maxItemEmbeddings embeddings of the biggest item that a request may have, >= 1; 0 for no
 *     encoder: items then add to the names of blocks and nothing else
 * @param maxNumEncoderInputTokens embeddings computed in a step, >= 0; the biggest item's if those
 *     are more
 * @param encoderCacheSize embeddings that the executor keeps, >= 0; the biggest item's if those are
 *     more
 * @param chunkedMmInput whether chunks of prompts end inside an item
 */
public record EncoderOptions(
    int maxItemEmbeddings,
    int maxNumEncoderInputTokens,
    int encoderCacheSize,
    ChunkedMmInput chunkedMmInput) {

  /** No encoder; the default. */
  public static final EncoderOptions NONE = new EncoderOptions(0, 0, 0, ChunkedMmInput.ENABLED);

  /** Validates the components. */
  public EncoderOptions {
    Objects.requireNonNull(chunkedMmInput, "chunkedMmInput");
    requireNotNegative("maxItemEmbeddings", maxItemEmbeddings);
    requireNotNegative("maxNumEncoderInputTokens", maxNumEncoderInputTokens);
    requireNotNegative("encoderCacheSize", encoderCacheSize);
    if (maxItemEmbeddings == 0 && (maxNumEncoderInputTokens > 0 || encoderCacheSize > 0)) {
      throw new IllegalArgumentException(
          "maxItemEmbeddings must be set where the encoder has a budget or a cache:"
              + " maxItemEmbeddings=0, maxNumEncoderInputTokens="
              + maxNumEncoderInputTokens
              + ", encoderCacheSize="
              + encoderCacheSize);
    }
  }

  /**
   * Returns vLLM's defaults: budget and cache of {@code maxNumBatchedTokens} embeddings each.
   *
   * @param maxItemEmbeddings embeddings of the biggest item, >= 1
   */
  public static EncoderOptions of(int maxItemEmbeddings, SchedulerLimits limits) {
    final int tokens = limits.maxNumBatchedTokens();
    return new EncoderOptions(maxItemEmbeddings, tokens, tokens, ChunkedMmInput.ENABLED);
  }

  /** Whether there is an encoder. */
  public boolean isEnabled() {
    return maxItemEmbeddings > 0;
  }

  /** Most embeddings computed in a step. */
  public int computeBudget() {
    return Math.max(maxNumEncoderInputTokens, maxItemEmbeddings);
  }

  /** Most embeddings that the executor keeps. */
  public int cacheSlots() {
    return Math.max(encoderCacheSize, maxItemEmbeddings);
  }

  private static void requireNotNegative(String name, int value) {
    if (value < 0) {
      throw new IllegalArgumentException(name + " must be >= 0: " + name + "=" + value);
    }
  }
}
