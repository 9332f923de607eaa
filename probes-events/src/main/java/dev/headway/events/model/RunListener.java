package dev.headway.events.model;

import dev.headway.events.record.CacheResetRecord;
import dev.headway.events.record.JourneyRecord;
import dev.headway.events.record.KvTransferRecord;
import dev.headway.events.record.LimitsChangedRecord;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Is notified by {@link RunModel} of the events of a run, and of waits if it also implements {@link
 * WaitListener}. One thread.
 */
public interface RunListener extends RequestListener, StepListener {

  /**
   * A run begins; the previous one has been concluded. Wait counts, or waits for another listener,
   * can only be requested here.
   *
   * @return the listener of this run: this one, unless each run has its own
   */
  default RunListener onRun(RunTimeline run) {
    return this;
  }

  /** A prefix-cache reset began. */
  default void onCacheReset(CacheResetRecord reset) {}

  /** The limits of the engine were changed; the run's {@link RunTimeline#configAt} has the new. */
  default void onLimitsChanged(LimitsChangedRecord changed) {}

  /**
   * KV blocks move between tiers.
   *
   * @param request the owner of the blocks; null if they have none or it has ended
   */
  default void onKvTransfer(KvTransferRecord transfer, @Nullable RequestTimeline request) {}

  /** The server around the engine reported a stage of a request's journey. */
  default void onJourney(JourneyRecord journey) {}

  /** A record named a request that was never queued, or has ended. */
  default void onUnknownRequest() {}

  /** The writer had to drop records. */
  default void onDropped(long records) {}

  /** The writer closed the run cleanly. */
  default void onRunEnded(long nowNs) {}

  /**
   * The run has no more records.
   *
   * @param lastNs the latest instant recorded
   * @param cleanly whether its writer closed it
   */
  default void onRunConcluded(long lastNs, boolean cleanly) {}

  /**
   * A good moment to publish or flush. Called on the listener of all runs only.
   *
   * @throws IOException if that fails
   */
  default void flush() throws IOException {}

  /**
   * No more records follow; called once, on the listener of all runs only.
   *
   * @throws IOException if something could not be written
   */
  default void close() throws IOException {}
}
