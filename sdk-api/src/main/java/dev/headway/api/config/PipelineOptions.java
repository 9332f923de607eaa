package dev.headway.api.config;

/**
 * How many steps are in flight at once.
 *
 * @param asyncScheduling whether steps are planned ahead of their outputs
 * @param pipelineParallelSize stages of the executor that work on different steps, >= 1
 * @param modelRunner generation of the model runner
 */
public record PipelineOptions(
    AsyncScheduling asyncScheduling, int pipelineParallelSize, ModelRunner modelRunner) {

  /** One step at a time. */
  public static final PipelineOptions DEFAULT =
      new PipelineOptions(AsyncScheduling.DISABLED, 1, ModelRunner.V1);

  /** The next step is planned while one runs. */
  public static final PipelineOptions ASYNC =
      new PipelineOptions(AsyncScheduling.ENABLED, 1, ModelRunner.V1);

  /** Validates the components. */
  public PipelineOptions {
    if (pipelineParallelSize < 1) {
      throw new IllegalArgumentException(
          "pipelineParallelSize must be >= 1: pipelineParallelSize=" + pipelineParallelSize);
    }
  }

  /** Most steps planned and not yet completed. */
  public int maxStepsInFlight() {
    if (asyncScheduling == AsyncScheduling.DISABLED) {
      return pipelineParallelSize;
    }
    if (modelRunner == ModelRunner.V2) {
      return pipelineParallelSize + 1;
    }
    return Math.max(2, pipelineParallelSize);
  }
}
