package dev.headway.server;

import org.jspecify.annotations.Nullable;

/**
 * What routers ask of a server before they send it anything. Figures that are not known are 0.
 *
 * @param modelPath where the model is from
 * @param maxNumSeqs most requests running at once
 * @param maxNumBatchedTokens most tokens in a step
 * @param blockSize tokens per KV block
 * @param kvEventsConfig JSON that says where KV events are published, with the names of vLLM and
 *     SGLang; null if nowhere
 */
public record WorkerInfo(
    String modelPath,
    int maxNumSeqs,
    int maxNumBatchedTokens,
    int blockSize,
    @Nullable String kvEventsConfig) {

  /** Nothing is known. */
  public static final WorkerInfo UNKNOWN = new WorkerInfo("", 0, 0, 1, null);
}
