package dev.headway.probes.csv.training;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunTimeline;

/**
 * A request that entered the queue.
 *
 * @param found the engine as it found it
 * @param endNs when it was scheduled, or the latest instant at which it was not yet scheduled
 */
record AlphaRow(RunTimeline run, RequestTimeline request, QueueState found, long endNs) {

  boolean isCensored() {
    return request.firstScheduledNs() == ABSENT;
  }

  long waitNs() {
    return endNs - request.queued().queuedNs();
  }

  /** Blocks that its prompt needs beyond those free. */
  long blockDeficit() {
    final int size = run.header().blockSize();
    final long needed = (request.queued().promptTokens() + size - 1L) / size;
    return Math.max(0, needed - found.freeBlocks());
  }
}
