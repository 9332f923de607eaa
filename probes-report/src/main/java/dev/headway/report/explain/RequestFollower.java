package dev.headway.report.explain;

import dev.headway.events.live.RecordConsumer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds a request in the records of a journal and follows it. Everybody else is forgotten at once,
 * but for the reason that waiting requests share and the few ids most like the one looked for.
 */
final class RequestFollower implements RecordConsumer {

  private static final int OTHERS_KEPT = 16;
  private static final String ARRIVED = "arrived";

  private final Choice choice;
  private final ClosestIds closest;
  private final List<Occurrence> occurrences = new ArrayList<>();
  private final List<Moment.Journey> journey = new ArrayList<>();
  private @Nullable RunHeader header;
  private @Nullable StoryTeller teller;
  private @Nullable Refused refused;
  private SharedReason shared = new SharedReason();
  private int run = -1;
  private long found;
  private long requests;
  private long latestStep;
  private long latestBeginNs;
  private long latestDecidedNs;
  private @Nullable StepUnderWay latestCompleted;
  private long latestNs;

  /** A request that was refused at submission. */
  record Refused(int run, long arrivalNs, String reason, String message, int promptTokens) {}

  RequestFollower(Choice choice) {
    this.choice = choice;
    this.closest = new ClosestIds(choice.id());
  }

  /** What the journal tells of it, or null if it was never queued. */
  @Nullable Story story() {
    return teller == null ? null : teller.story();
  }

  /** The refusal of a request that was never queued, or null. */
  @Nullable Refused refused() {
    return refused;
  }

  /** Requests of that id, the first {@value #OTHERS_KEPT} of them. */
  List<Occurrence> occurrences() {
    return occurrences;
  }

  /** Requests of that id that match. */
  long found() {
    return found;
  }

  /** Requests over all, refused ones included. */
  long requests() {
    return requests;
  }

  /** Runs of the journal. */
  int runs() {
    return run + 1;
  }

  List<String> closest() {
    return closest.ids();
  }

  @Override
  public void onRunStarted(RunHeader started) {
    endRun();
    header = started;
    run++;
    shared = new SharedReason();
    journey.clear();
    latestStep = 0;
    latestCompleted = null;
    latestNs = 0;
  }

  @Override
  public void onQueued(QueuedRequest request) {
    requests++;
    latestNs = request.queuedNs();
    if (!request.requestId().equals(choice.id())) {
      closest.offer(request.requestId());
      return;
    }
    if (occurrences.size() < OTHERS_KEPT) {
      occurrences.add(new Occurrence(run, request.number()));
    }
    if (choice.takes(run, request.number()) && header != null) {
      found++;
      final Story story = new Story(run, header, request);
      journey.forEach(story::add);
      journey.clear();
      teller = new StoryTeller(story, shared, latestStep, underWay(request.arrivalNs()));
    }
  }

  private @Nullable StepUnderWay underWay(long arrivalNs) {
    return latestCompleted != null && latestCompleted.covers(arrivalNs) ? latestCompleted : null;
  }

  @Override
  public void onRejected(
      String requestId,
      long arrivalNs,
      String reason,
      String message,
      int promptTokens,
      int maxTokens,
      int priority,
      @Nullable String tenant) {
    requests++;
    latestNs = arrivalNs;
    if (!requestId.equals(choice.id())) {
      closest.offer(requestId);
    } else if (choice.run() == Choice.LATEST || choice.run() == run) {
      refused = new Refused(run, arrivalNs, reason, message, promptTokens);
    }
  }

  @Override
  public void onJourney(
      String requestId, String stage, long atNs, @Nullable String reason, @Nullable String error) {
    if (!requestId.equals(choice.id())) {
      return;
    }
    final Moment.Journey moment = new Moment.Journey(atNs, stage, reason, error);
    final StoryTeller known = inThisRun();
    if (stage.equals(ARRIVED)) {
      journey.clear(); // whoever had the id before is done
    }
    if (known == null || stage.equals(ARRIVED) || !journey.isEmpty()) {
      journey.add(moment);
    } else {
      known.story().add(moment);
    }
  }

  @Override
  public void onScored(long stepId, long number, double score) {
    final StoryTeller live = live();
    if (live != null) {
      live.scored(number, score);
    }
  }

  @Override
  public void onAdmitted(AdmittedRequest admitted) {
    final StoryTeller live = live();
    if (live != null && isOurs(admitted.number())) {
      live.admitted(admitted, latestNs);
    }
  }

  @Override
  public void onBlocked(
      long stepId, long number, String reason, long blockerNumber, int needed, int free) {
    shared.blocked(number, reason, needed, free);
    final StoryTeller live = live();
    if (live != null && isOurs(number)) {
      live.blocked(stepId, reason, blockerNumber, needed, free, latestNs);
    }
  }

  @Override
  public void onUnblocked(long stepId, long number) {
    final StoryTeller live = live();
    if (live != null && isOurs(number)) {
      live.unblocked(stepId, latestNs);
    }
  }

  @Override
  public void onAdmissionsClosed(long stepId, String reason, long blockerNumber) {
    shared.closed(reason, blockerNumber);
  }

  @Override
  public void onPreempted(
      long stepId,
      long number,
      String cause,
      long beneficiaryNumber,
      int lostTokens,
      int freedBlocks) {
    final StoryTeller live = live();
    if (live != null && isOurs(number)) {
      live.preempted(stepId, cause, beneficiaryNumber, lostTokens, freedBlocks, latestNs);
    }
  }

  @Override
  public void onCacheReset(String scope, long nowNs) {
    latestNs = nowNs;
  }

  @Override
  public void onPlanned(PlannedStep step) {
    latestNs = step.endNs();
    latestStep = step.stepId();
    latestBeginNs = step.beginNs();
    latestDecidedNs = step.endNs();
    shared.planned();
    final StoryTeller live = live();
    if (live != null) {
      live.planned(step);
    }
  }

  @Override
  public void onFirstToken(long stepId, long number, long nowNs) {
    latestNs = nowNs;
    final StoryTeller live = live();
    if (live != null && isOurs(number)) {
      live.firstToken(stepId, nowNs);
    }
  }

  @Override
  public void onFinished(FinishedRequest request) {
    latestNs = request.nowNs();
    final StoryTeller live = live();
    if (live != null && isOurs(request.number())) {
      live.finished(request);
    }
  }

  @Override
  public void onStepCompleted(CompletedStep step) {
    latestNs = step.endNs();
    if (step.stepId() == latestStep) { // not of one that another was planned behind
      latestCompleted = new StepUnderWay(latestStep, latestBeginNs, latestDecidedNs, latestNs);
    }
    final StoryTeller settling = inThisRun();
    if (settling != null && !settling.isSettled()) {
      settling.completed(step);
    }
  }

  @Override
  public void onDropped(long records) {
    final StoryTeller live = live();
    if (live != null) {
      live.story().markIncomplete();
      live.story().add(new Moment.Dropped(latestNs, records));
    }
  }

  @Override
  public void onRunEnded(long nowNs) {
    latestNs = nowNs;
  }

  /** No more records: a request still alive is told up to here. */
  @Override
  public void close() {
    endRun();
  }

  private void endRun() {
    final StoryTeller last = inThisRun();
    if (last != null) {
      last.cut(latestNs);
    }
  }

  private @Nullable StoryTeller live() {
    final StoryTeller here = inThisRun();
    return here == null || here.hasEnded() ? null : here;
  }

  private @Nullable StoryTeller inThisRun() {
    return teller == null || teller.story().run() != run ? null : teller;
  }

  private boolean isOurs(long number) {
    return teller != null && teller.story().request().number() == number;
  }
}
