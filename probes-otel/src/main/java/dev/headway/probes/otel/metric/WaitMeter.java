package dev.headway.probes.otel.metric;

import dev.headway.events.model.Cause;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.WaitListener;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** How long the requests of a run have waited, and how many wait, by reason. One thread. */
final class WaitMeter implements WaitListener {

  private final RunTimeline run;
  private final LoadFigures figures;
  private final List<Cause> causes;
  private final Map<String, Integer> waiting = new HashMap<>();
  private long[] unpublishedNs = new long[8];

  /** Asks {@code run} for its waits. */
  WaitMeter(RunTimeline run, LoadFigures figures) {
    this.run = run;
    this.figures = figures;
    this.causes = run.bookWaits(this);
  }

  @Override
  public void onWaited(Cause cause, long fromNs, long toNs, int requests) {
    if (cause.index() >= unpublishedNs.length) {
      unpublishedNs = Arrays.copyOf(unpublishedNs, cause.index() + 8);
    }
    unpublishedNs[cause.index()] += requests * (toNs - fromNs);
  }

  /** Requests that wait for one of these reasons now. */
  int waitingFor(Set<String> reasons) {
    int requests = 0;
    for (Cause cause : causes) {
      requests += reasons.contains(cause.reason()) ? run.waitingFor(cause) : 0;
    }
    return requests;
  }

  /** Shows what there is up to the latest instant of the run. */
  void publish() {
    run.tellWaits();
    waiting.replaceAll((reason, requests) -> 0);
    for (Cause cause : causes) {
      waiting.merge(cause.reason(), run.waitingFor(cause), Integer::sum);
    }
    waiting.forEach(figures::waiting);
    for (int index = 0; index < unpublishedNs.length; index++) {
      if (unpublishedNs[index] > 0) {
        figures.waited(causes.get(index).reason(), unpublishedNs[index]);
        unpublishedNs[index] = 0;
      }
    }
  }
}
