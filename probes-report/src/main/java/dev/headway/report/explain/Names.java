package dev.headway.report.explain;

import dev.headway.events.live.RecordConsumer;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RunStartedRecord;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Looks up the ids of a few requests of one run. */
final class Names implements RecordConsumer {

  private final int wantedRun;
  private final Set<Long> wanted;
  private final Map<Long, String> ids = new HashMap<>();
  private int run = -1;

  Names(Story story) {
    this.wantedRun = story.run();
    this.wanted = story.strangers();
    ids.put(story.request().requestNumber(), story.request().requestId());
  }

  /** Whether there is anything to look up. */
  boolean isNeeded() {
    return !wanted.isEmpty();
  }

  /** The id of a request; {@code request #17} if the journal does not tell it. */
  String of(long number) {
    return ids.getOrDefault(number, "request #" + number);
  }

  @Override
  public void onRunStarted(RunStartedRecord started) {
    run++;
  }

  @Override
  public void onQueued(QueuedRecord request) {
    if (run == wantedRun && wanted.contains(request.requestNumber())) {
      ids.put(request.requestNumber(), request.requestId());
    }
  }

  @Override
  public void close() {}
}
