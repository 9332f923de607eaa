package dev.headway.server;

import dev.headway.api.request.LoraAdapter;
import dev.headway.cuda.executor.KvCacheType;
import dev.headway.executor.reference.Precision;
import dev.headway.executor.speculation.NgramOptions;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an executor is given room for.
 *
 * @param blockSize tokens per KV block
 * @param numBlocks KV blocks, the null block included; null for as many as suit the executor
 * @param numHostBlocks KV blocks of the host tier, 0 for none
 * @param maxNumSeqs most requests in a step
 * @param maxNumBatchedTokens most tokens in a step
 * @param maxModelLen longest context
 * @param gpuMemoryUtilization share of a device's memory in use once the KV cache is made
 * @param ngrams how the executor drafts tokens; null for no drafts
 * @param draftTokens most drafts of a request in a step; 0 without
 * @param kvCacheType what keys and values are kept as on a device; null if the checkpoint says
 * @param precision whether a device rounds inputs where the checkpoint says so
 * @param adapters folders of LoRA adapters
 */
public record ExecutorSizes(
    int blockSize,
    @Nullable Integer numBlocks,
    int numHostBlocks,
    int maxNumSeqs,
    int maxNumBatchedTokens,
    int maxModelLen,
    double gpuMemoryUtilization,
    @Nullable NgramOptions ngrams,
    int draftTokens,
    @Nullable KvCacheType kvCacheType,
    Precision precision,
    Map<LoraAdapter, Path> adapters) {

  /** KV blocks of an executor in host memory, unless set. */
  public static final int USUAL_BLOCKS = 2_048;

  /** Room for a cache as the checkpoint asks for, without drafts and adapters. */
  public ExecutorSizes(
      int blockSize,
      @Nullable Integer numBlocks,
      int numHostBlocks,
      int maxNumSeqs,
      int maxNumBatchedTokens,
      int maxModelLen,
      double gpuMemoryUtilization) {
    this(
        blockSize,
        numBlocks,
        numHostBlocks,
        maxNumSeqs,
        maxNumBatchedTokens,
        maxModelLen,
        gpuMemoryUtilization,
        null,
        0,
        null,
        Precision.BFLOAT16,
        Map.of());
  }

  /** The same room for an executor that drafts so. */
  public ExecutorSizes withNgrams(@Nullable NgramOptions options, int mostTokens) {
    return with(options, options == null ? 0 : mostTokens, kvCacheType, precision, adapters);
  }

  /** The same room for an executor with adapters. */
  public ExecutorSizes withAdapters(Map<LoraAdapter, Path> others) {
    return with(ngrams, draftTokens, kvCacheType, precision, others);
  }

  /** The same room for a cache of another type. */
  public ExecutorSizes withKvCacheType(@Nullable KvCacheType type) {
    return with(ngrams, draftTokens, type, precision, adapters);
  }

  /** The same room for an executor of another precision. */
  public ExecutorSizes withPrecision(Precision other) {
    return with(ngrams, draftTokens, kvCacheType, other, adapters);
  }

  private ExecutorSizes with(
      @Nullable NgramOptions options,
      int mostTokens,
      @Nullable KvCacheType type,
      Precision rounded,
      Map<LoraAdapter, Path> folders) {
    return new ExecutorSizes(
        blockSize,
        numBlocks,
        numHostBlocks,
        maxNumSeqs,
        maxNumBatchedTokens,
        maxModelLen,
        gpuMemoryUtilization,
        options,
        mostTokens,
        type,
        rounded,
        folders);
  }
}
