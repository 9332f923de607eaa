package dev.headway.scheduler.engine;

import dev.headway.api.config.QueueLimits;
import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.probe.JourneyStage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Queues from other threads to the engine thread. Submissions are bounded; cancellations are
 * bounded by the live requests, ends of holds by their holds, commands by their callers; rejections
 * to report are bounded, and counted beyond that.
 */
final class Intake {

  private static final int JOURNEYS_PER_REQUEST = JourneyStage.values().length;

  private final ArrayBlockingQueue<LiveRequest> submissions;
  private final Queue<LiveRequest> wantedEnds = new ConcurrentLinkedQueue<>();
  private final Queue<HoldWatch> holdsOver = new ConcurrentLinkedQueue<>();
  private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();
  private final AtomicInteger reports = new AtomicInteger();
  private final Reports<RefusedRequest> rejections;
  private final Reports<JourneyEvent> journeys;
  private final ConcurrentMap<String, LiveRequest> live = new ConcurrentHashMap<>();
  private final Backlog backlog;
  private final int capacity;

  Intake(int capacity, QueueLimits limits, FullQueuePolicy fullQueuePolicy) {
    this.capacity = capacity;
    this.backlog = new Backlog(limits, fullQueuePolicy);
    this.rejections = new Reports<>(capacity, reports);
    this.journeys = new Reports<>(JOURNEYS_PER_REQUEST * capacity, reports);
    this.submissions = new ArrayBlockingQueue<>(capacity);
  }

  int capacity() {
    return capacity;
  }

  int queued() {
    return submissions.size();
  }

  /** Claims the request's id; false if a live request has it. Any thread. */
  boolean claimId(LiveRequest request) {
    return live.putIfAbsent(request.id(), request) == null;
  }

  /** Releases the id and the place in the backlog. Any thread. */
  void releaseId(LiveRequest request) {
    backlog.remove(request);
    live.remove(request.id(), request);
  }

  /** Counts a request that has its id, or returns why there is no room for it. Any thread. */
  RequestRules.@Nullable Refusal admit(LiveRequest request) {
    return backlog.add(request);
  }

  /** The request is admitted for the first time. Engine thread. */
  void admitted(LiveRequest request) {
    backlog.admitted(request);
  }

  /** Other limits for requests that are submitted from now on. Any thread. */
  void limit(QueueLimits limits) {
    backlog.limit(limits);
  }

  /** The request's prompt is computed. */
  void prefilled(LiveRequest request) {
    backlog.prefilled(request);
  }

  /** How many requests have not ended. Any thread. */
  int alive() {
    return live.size();
  }

  /** Whether any id is claimed: by a live request, or by one that is being submitted. */
  boolean hasLive() {
    return !live.isEmpty();
  }

  /** Returns the requests that were taken in and have not ended, in the order of their arrival. */
  List<LiveRequest> liveInOrder() {
    final List<LiveRequest> taken = new ArrayList<>();
    for (LiveRequest request : live.values()) {
      if (request.takenIn) {
        taken.add(request);
      }
    }
    taken.sort(Comparator.comparingLong(Intake::numberOf));
    return taken;
  }

  private static long numberOf(LiveRequest request) {
    return request.view == null ? Long.MAX_VALUE : request.view.number();
  }

  /** Enqueues a request; false if the queue is full. Any thread. */
  boolean offer(LiveRequest request) {
    return submissions.offer(request);
  }

  /** Withdraws a request that was offered and not yet taken in. Any thread. */
  boolean withdraw(LiveRequest request) {
    return submissions.remove(request);
  }

  /** Notes that the caller has asked to end a request. Any thread. */
  void end(LiveRequest request) {
    wantedEnds.add(request);
  }

  /** Notes that a hold is over. Any thread. */
  void holdIsOver(HoldWatch watch) {
    holdsOver.add(watch);
  }

  void command(Runnable command) {
    commands.add(command);
  }

  /** Whether any reports wait for the probes. */
  boolean hasReports() {
    return reports.get() > 0;
  }

  /** Rejections for the probes. */
  Reports<RefusedRequest> rejections() {
    return rejections;
  }

  /** Journey events for the probes. */
  Reports<JourneyEvent> journeys() {
    return journeys;
  }

  @Nullable LiveRequest nextSubmission() {
    return submissions.poll();
  }

  @Nullable LiveRequest nextWantedEnd() {
    return wantedEnds.poll();
  }

  @Nullable HoldWatch nextHoldOver() {
    return holdsOver.poll();
  }

  @Nullable Runnable nextCommand() {
    return commands.poll();
  }

  /** Whether nothing waits to be taken in. */
  boolean isEmpty() {
    return submissions.isEmpty()
        && wantedEnds.isEmpty()
        && holdsOver.isEmpty()
        && commands.isEmpty()
        && !hasReports();
  }
}
