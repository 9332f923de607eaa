package dev.headway.cuda.executor;

/** Whether steps in which every request decodes one token are replayed from recorded graphs. */
public enum CudaGraphs {
  /** Launch for launch. */
  DISABLED,
  /** Recorded the second time that a batch size occurs, rounded up; replayed from then on. */
  ENABLED
}
