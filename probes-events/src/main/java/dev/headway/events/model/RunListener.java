package dev.headway.events.model;

import dev.headway.events.record.CacheResetRecord;
import dev.headway.events.record.JourneyRecord;
import dev.headway.events.record.KvTransferRecord;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Is notified by {@link RunModel} of what happened in a run. One that implements {@link
 * WaitListener} too is notified of waits. One thread.
 */
public interface RunListener extends RequestListener, StepListener {

  /**
   * A run begins; the one before has been concluded. This is the moment to ask it for wait counts,
   * or for waits on behalf of another listener.
   *
   * @return the listener of this run: this one, unless each run has its own
   */
  default RunListener onRun(RunTimeline run) {
    return this;
  }

  /** A prefix-cache reset began. */
  default void onCacheReset(CacheResetRecord reset) {}

  /**
   * KV blocks move between tiers.
   *
   * @param request whose they are; null if they are nobody's, or its request has ended
   */
  default void onKvTransfer(KvTransferRecord transfer, @Nullable RequestTimeline request) {}

  /** The server around the engine reported a stage of a request's journey. */
  default void onJourney(JourneyRecord journey) {}

  /** A record named a request that was never queued, or has ended. */
  default void onUnknownRequest() {}

  /** The writer had to drop records. */
  default void onDropped(long records) {}

  /** The writer closed the run in good order. */
  default void onRunEnded(long nowNs) {}

  /**
   * Nothing more comes of this run.
   *
   * @param lastNs the latest instant recorded
   * @param cleanly whether its writer closed it
   */
  default void onRunConcluded(long lastNs, boolean cleanly) {}

  /**
   * A good moment to bring up to date what others see. Called on the listener of all runs only.
   *
   * @throws IOException if that fails
   */
  default void flush() throws IOException {}

  /**
   * Nothing comes any more; called once. Called on the listener of all runs only.
   *
   * @throws IOException if something could not be written
   */
  default void close() throws IOException {}
}
