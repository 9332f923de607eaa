package dev.headway.routing.kvevents;

import dev.headway.routing.kvevents.codec.KvBatch;

/** Takes the events of one worker, in order. One thread at a time. */
public interface KvEventSink {

  /** Events that follow those before without a gap. */
  void apply(KvBatch batch);

  /** Nothing is known of the worker any more; what follows starts anew. */
  void reset();
}
