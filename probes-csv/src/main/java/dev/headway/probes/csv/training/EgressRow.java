package dev.headway.probes.csv.training;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.record.FinishedRecord;

/**
 * A request whose answer left the server.
 *
 * @param end of it in the engine
 * @param firstResponseNs when its first output reached the server's own code, or absent
 * @param departedNs when the last byte was handed to the transport
 */
record EgressRow(
    RunTimeline run,
    RequestTimeline request,
    FinishedRecord end,
    long firstResponseNs,
    long departedNs) {

  long firstNs() {
    return firstResponseNs == ABSENT || request.firstTokenNs() == ABSENT
        ? ABSENT
        : firstResponseNs - request.firstTokenNs();
  }

  long egressNs() {
    return departedNs - end.atNs();
  }
}
