package dev.headway.server;

/**
 * What routers ask of a server before they send it anything. Figures that are not known are 0.
 *
 * @param modelPath where the model is from
 * @param maxNumSeqs most requests running at once
 * @param maxNumBatchedTokens most tokens in a step
 * @param blockSize tokens per KV block
 */
public record WorkerInfo(String modelPath, int maxNumSeqs, int maxNumBatchedTokens, int blockSize) {

  /** Nothing is known. */
  public static final WorkerInfo UNKNOWN = new WorkerInfo("", 0, 0, 1);
}
