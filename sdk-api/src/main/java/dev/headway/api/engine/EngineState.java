package dev.headway.api.engine;

/** Where an engine stands. */
public enum EngineState {
  /** Made, driven by {@link Engine#step} or not started yet. */
  NEW,
  /** {@link Engine#start} was called; the engine has its own thread. */
  RUNNING,
  /** Takes no more requests and works off those it has. */
  DRAINING,
  /** Ended; every handle is done. */
  CLOSED,
  /**
   * The executor failed and the engine was told to stop, or the engine failed; every handle is
   * done.
   */
  FAILED
}
