package dev.headway.api.engine;

/** Lifecycle state of an engine. */
public enum EngineState {
  /** Made, driven by {@link Engine#step} or not started yet. */
  NEW,
  /** {@link Engine#start} was called; the engine has its own thread. */
  RUNNING,
  /** Rejects new requests and finishes those accepted. */
  DRAINING,
  /** Ended; every handle is done. */
  CLOSED,
  /**
   * The executor failed and the engine is configured to stop then, or the engine failed; every
   * handle is done.
   */
  FAILED
}
