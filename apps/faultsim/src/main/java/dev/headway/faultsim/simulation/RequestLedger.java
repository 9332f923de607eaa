package dev.headway.faultsim.simulation;

import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.request.RequestView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The requests of a scenario as their callers know them, and how many have come to what. */
final class RequestLedger {

  private final List<TrackedRequest> alive = new ArrayList<>();
  private final List<TrackedRequest> endedSince = new ArrayList<>();
  private final Map<String, TrackedRequest> byId = new HashMap<>();
  private final List<TrackedRequest> byNumber = new ArrayList<>();
  private long submitted;
  private long rejected;
  private long finished;

  /**
   * A request is about to be submitted.
   *
   * @return the one alive that has its id, or null
   */
  @Nullable TrackedRequest submitting(TrackedRequest request) {
    submitted++;
    return byId.put(request.request.id(), request);
  }

  /** It was submitted; {@code namesake} is the one alive that has its id. */
  void submitted(TrackedRequest request, @Nullable TrackedRequest namesake) {
    if (request.isRejected()) {
      if (namesake == null) {
        byId.remove(request.request.id());
      } else {
        byId.put(namesake.request.id(), namesake);
      }
    } else if (!request.isDone()) {
      alive.add(request);
    }
  }

  /** The scheduler has queued a request. */
  TrackedRequest queued(RequestView view) {
    final TrackedRequest request =
        Objects.requireNonNull(byId.get(view.id()), "a queued request was submitted");
    while (byNumber.size() <= view.number()) {
      byNumber.add(request);
    }
    byNumber.set((int) view.number(), request);
    request.queued(view);
    return request;
  }

  /** A request has ended, or was refused. */
  void ended(TrackedRequest request) {
    if (request.outcome instanceof RequestOutcome.Rejected) {
      rejected++;
    } else {
      finished++;
      byId.remove(request.request.id(), request);
      endedSince.add(request);
    }
  }

  /** Takes those that have ended since the last call out of the living, into {@code ended}. */
  void takeEnded(List<TrackedRequest> ended) {
    ended.addAll(endedSince);
    alive.removeAll(endedSince);
    endedSince.clear();
  }

  boolean hasEnded() {
    return !endedSince.isEmpty();
  }

  /** Requests that were accepted and have not ended, in the order of submission. */
  List<TrackedRequest> alive() {
    return alive;
  }

  /** The request that the scheduler has given this number. */
  TrackedRequest byNumber(long number) {
    return byNumber.get((int) number);
  }

  /** All that the scheduler has queued, by its number. */
  List<TrackedRequest> queued() {
    return byNumber;
  }

  long submitted() {
    return submitted;
  }

  long rejected() {
    return rejected;
  }

  long finished() {
    return finished;
  }

  /** Requests that were accepted and have not ended. */
  long left() {
    return submitted - rejected - finished;
  }
}
