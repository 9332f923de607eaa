package dev.headway.cuda.executor;

/** Whether steps in which every request decodes one token are replayed from recordings. */
public enum CudaGraphs {
  /** Launch for launch. */
  DISABLED,
  /** Every batch size is recorded at start; a batch is filled up to the next one. */
  ENABLED
}
