package dev.headway.probes.dashboard.state;

import dev.headway.events.model.Cause;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.WaitListener;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.RejectedRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Answers which requests of a running engine wait, and why one of them does or did. Knows those
 * that are alive and a limited number of those that have ended or were refused, the latest.
 *
 * <pre>{@code
 * RequestLookup lookup = new RequestLookup(1_000);
 * LiveProbe probe = LiveProbe.of(new RunModel(lookup));
 * probe.ask(() -> lookup.waiting(100, engine.clock().nanoTime()));
 * }</pre>
 *
 * <p>On the thread of the records only, to which {@code LiveProbe.ask} brings a question.
 */
public final class RequestLookup implements RunListener, WaitListener {

  private final Map<String, RequestTimeline> live = new HashMap<>();
  private final Latest<RequestDigest> ended;
  private final Latest<RejectedRecord> rejected;
  private @Nullable RunTimeline run;
  private List<Cause> causes = List.of();

  /**
   * Makes one that knows nothing yet.
   *
   * @param kept how many that have ended, and how many that were refused, it remembers, >= 0
   */
  public RequestLookup(int kept) {
    if (kept < 0) {
      throw new IllegalArgumentException("kept must be >= 0: kept=" + kept);
    }
    this.ended = new Latest<>(kept);
    this.rejected = new Latest<>(kept);
  }

  /** The latest by id: the oldest makes room. */
  private static final class Latest<V> {
    private final Map<String, V> byId = new LinkedHashMap<>();
    private final int most;

    Latest(int most) {
      this.most = most;
    }

    void put(String id, V value) {
      byId.remove(id); // to the end
      byId.put(id, value);
      if (byId.size() > most) {
        byId.remove(byId.keySet().iterator().next());
      }
    }
  }

  @Override
  public RunListener onRun(RunTimeline started) {
    run = started;
    causes = started.bookWaits(this);
    live.clear();
    return this;
  }

  @Override
  public void onQueued(RequestTimeline request) {
    live.put(request.id(), request);
  }

  @Override
  public void onRejected(RejectedRecord rejection) {
    rejected.put(rejection.requestId(), rejection);
  }

  @Override
  public void onFinished(RequestTimeline request, FinishedRecord end) {
    keep(request); // its id may be used again before its last tokens are known
  }

  @Override
  public void onSettled(RequestTimeline request) {
    keep(request);
  }

  @Override
  public void onUnfinished(RequestTimeline request, long nowNs) {
    live.remove(request.id(), request);
  }

  private void keep(RequestTimeline request) {
    live.remove(request.id(), request);
    if (run != null) {
      ended.put(request.id(), RequestDigest.of(run, request, causes, request.endedNs()));
    }
  }

  /** Whether an engine has begun: before, nothing is known. */
  public boolean isObserving() {
    return run != null;
  }

  /** Settings of the scheduler by name, as of an instant of the engine's clock. */
  public Map<String, String> settings(long nowNs) {
    return run == null ? Map.of() : run.configAt(nowNs);
  }

  /** Requests in the queue by what must change for them, the most first. */
  public Map<String, Integer> waitingFor() {
    return run == null ? Map.of() : WaitingFor.byRoot(run, causes);
  }

  /** How many requests are in the queue. */
  public int waitingCount() {
    return run == null ? 0 : run.waiting().size();
  }

  /** How many requests are admitted. */
  public int runningCount() {
    return run == null ? 0 : run.running().size();
  }

  /** Ids of admitted requests, the first {@code most} of them in the order of admission. */
  public List<String> running(int most) {
    return run == null
        ? List.of()
        : run.running().stream().limit(most).map(RequestTimeline::id).toList();
  }

  /** Events that were lost because their reader was too slow. */
  public long droppedRecords() {
    return run == null ? 0 : run.droppedRecords();
  }

  /**
   * Returns the first of the queue, in its order.
   *
   * @param most how many
   * @param nowNs the instant that their waits last until, of the engine's clock
   */
  public List<RequestDigest> waiting(int most, long nowNs) {
    final List<RequestDigest> first = new ArrayList<>();
    if (run == null) {
      return first;
    }
    for (RequestTimeline request : run.waiting()) {
      if (first.size() == most) {
        break;
      }
      first.add(RequestDigest.of(run, request, causes, nowNs));
    }
    return first;
  }

  /**
   * Finds a request that is alive, or has ended lately.
   *
   * @param nowNs the instant that its wait lasts until, of the engine's clock
   */
  public Optional<RequestDigest> find(String id, long nowNs) {
    final RequestTimeline alive = live.get(id);
    return alive == null || run == null
        ? Optional.ofNullable(ended.byId.get(id))
        : Optional.of(RequestDigest.of(run, alive, causes, nowNs));
  }

  /** Finds the latest refusal of a request at submission. */
  public Optional<RejectedRecord> rejection(String id) {
    return Optional.ofNullable(rejected.byId.get(id));
  }
}
