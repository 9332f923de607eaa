package dev.headway.report.explain;

import dev.headway.events.live.RecordConsumer;
import dev.headway.events.record.AdmissionsClosedRecord;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.BlockedRecord;
import dev.headway.events.record.CacheResetRecord;
import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.DroppedRecord;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.JourneyRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.PreemptedRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.events.record.RunEndedRecord;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.events.record.ScoredRecord;
import dev.headway.events.record.UnblockedRecord;
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
  private @Nullable RunStartedRecord header;
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
  public void onRunStarted(RunStartedRecord started) {
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
  public void onQueued(QueuedRecord request) {
    requests++;
    latestNs = request.queuedNs();
    if (!request.requestId().equals(choice.id())) {
      closest.offer(request.requestId());
      return;
    }
    if (occurrences.size() < OTHERS_KEPT) {
      occurrences.add(new Occurrence(run, request.requestNumber()));
    }
    if (choice.takes(run, request.requestNumber()) && header != null) {
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
  public void onRejected(RejectedRecord rejected) {
    requests++;
    latestNs = rejected.atNs();
    if (!rejected.requestId().equals(choice.id())) {
      closest.offer(rejected.requestId());
    } else if (choice.run() == Choice.LATEST || choice.run() == run) {
      refused =
          new Refused(
              run, rejected.atNs(), rejected.reason(), rejected.message(), rejected.promptTokens());
    }
  }

  @Override
  public void onJourney(JourneyRecord record) {
    if (!record.requestId().equals(choice.id())) {
      return;
    }
    final Moment.Journey moment =
        new Moment.Journey(record.atNs(), record.stage(), record.reason(), record.error());
    final StoryTeller known = inThisRun();
    if (record.stage().equals(ARRIVED)) {
      journey.clear(); // whoever had the id before is done
    }
    if (known == null || record.stage().equals(ARRIVED) || !journey.isEmpty()) {
      journey.add(moment);
    } else {
      known.story().add(moment);
    }
  }

  @Override
  public void onScored(ScoredRecord record) {
    final StoryTeller live = live();
    if (live != null) {
      live.scored(record.requestNumber(), record.score());
    }
  }

  @Override
  public void onAdmitted(AdmittedRecord admitted) {
    final StoryTeller live = live();
    if (live != null && isOurs(admitted.requestNumber())) {
      live.admitted(admitted, latestNs);
    }
  }

  @Override
  public void onBlocked(BlockedRecord record) {
    shared.blocked(record.requestNumber(), record.reason(), record.needed(), record.free());
    final StoryTeller live = live();
    if (live != null && isOurs(record.requestNumber())) {
      live.blocked(
          record.stepId(),
          record.reason(),
          record.blockerNumber(),
          record.needed(),
          record.free(),
          latestNs);
    }
  }

  @Override
  public void onUnblocked(UnblockedRecord record) {
    final StoryTeller live = live();
    if (live != null && isOurs(record.requestNumber())) {
      live.unblocked(record.stepId(), latestNs);
    }
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedRecord record) {
    shared.closed(record.reason(), record.blockerNumber());
  }

  @Override
  public void onPreempted(PreemptedRecord record) {
    final StoryTeller live = live();
    if (live != null && isOurs(record.requestNumber())) {
      live.preempted(
          record.stepId(),
          record.cause(),
          record.beneficiaryNumber(),
          record.lostTokens(),
          record.freedBlocks(),
          latestNs);
    }
  }

  @Override
  public void onCacheReset(CacheResetRecord reset) {
    latestNs = reset.atNs();
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
  public void onFirstToken(FirstTokenRecord record) {
    latestNs = record.atNs();
    final StoryTeller live = live();
    if (live != null && isOurs(record.requestNumber())) {
      live.firstToken(record.stepId(), record.atNs());
    }
  }

  @Override
  public void onFinished(FinishedRecord request) {
    latestNs = request.atNs();
    final StoryTeller live = live();
    if (live != null && isOurs(request.requestNumber())) {
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
  public void onDropped(DroppedRecord dropped) {
    final StoryTeller live = live();
    if (live != null) {
      live.story().markIncomplete();
      live.story().add(new Moment.Dropped(latestNs, dropped.records()));
    }
  }

  @Override
  public void onRunEnded(RunEndedRecord end) {
    latestNs = end.atNs();
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
    return teller != null && teller.story().request().requestNumber() == number;
  }
}
