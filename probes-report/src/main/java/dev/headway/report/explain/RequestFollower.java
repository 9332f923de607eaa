package dev.headway.report.explain;

import dev.headway.api.internal.AnswerIds;
import dev.headway.events.model.Cause;
import dev.headway.events.model.Decision;
import dev.headway.events.model.Ingress;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.model.WaitListener;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.JourneyRecord;
import dev.headway.events.record.RejectedRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds a request in a journal and has what happens to it written down. Of the others it keeps the
 * few ids most like the one looked for. One thread.
 */
final class RequestFollower implements RunListener, WaitListener {

  private static final int MATCHES_KEPT = 16;
  private static final String ARRIVED = "arrived";

  private final RequestSelector selector;
  private final ClosestIds closest;
  private final List<String> possibleAnswerIds;
  private final Set<String> answerIds = new TreeSet<>();
  private final List<RequestMatch> matches = new ArrayList<>();
  private final List<TimelineEntry.Journey> journey = new ArrayList<>();
  private @Nullable RunTimeline run;
  private @Nullable ExplanationBuilder builder;
  private @Nullable RequestExplanation found;
  private @Nullable Rejected rejected;
  private @Nullable StepTimeline latestCompleted;
  private int selected;
  private long requests;
  private int runs;

  /** A request that was rejected at submission, and the run in which it was. */
  record Rejected(int run, RejectedRecord record) {}

  RequestFollower(RequestSelector selector) {
    this.selector = selector;
    this.closest = new ClosestIds(selector.id());
    this.possibleAnswerIds = AnswerIds.of(selector.id());
  }

  /** What the journal says of it, or null if it was never queued. */
  @Nullable RequestExplanation explanation() {
    return found;
  }

  /** The rejection of the request, or null. */
  @Nullable Rejected rejected() {
    return rejected;
  }

  /** Requests of that id, the first {@value #MATCHES_KEPT} of them. */
  List<RequestMatch> matches() {
    return matches;
  }

  /** How many requests the selector takes. */
  int selected() {
    return selected;
  }

  /** Requests over all, rejected ones included. */
  long requests() {
    return requests;
  }

  /** Runs of the journal. */
  int runs() {
    return runs;
  }

  List<String> closest() {
    return closest.ids();
  }

  /** Ids that a server made of the one looked for; none where that one itself was used. */
  List<String> answerIds() {
    return matches.isEmpty() ? List.copyOf(answerIds) : List.of();
  }

  private void passOver(String id) {
    closest.offer(id);
    if (possibleAnswerIds.contains(id)) {
      answerIds.add(id);
    }
  }

  @Override
  public RunListener onRun(RunTimeline started) {
    started.bookWaits(this);
    run = started;
    runs++;
    builder = null;
    latestCompleted = null;
    journey.clear();
    return this;
  }

  @Override
  public void onQueued(RequestTimeline request) {
    requests++;
    if (!request.id().equals(selector.id())) {
      passOver(request.id());
      return;
    }
    final RunTimeline here = run;
    if (here == null) {
      return;
    }
    if (matches.size() < MATCHES_KEPT) {
      matches.add(new RequestMatch(here.index(), request.number()));
    }
    if (selector.takes(here.index(), request.number())) {
      selected++;
      final RequestExplanation explanation = new RequestExplanation(here, request);
      journey.forEach(explanation::add);
      journey.clear();
      builder = new ExplanationBuilder(explanation, heldBy(request.ingress()));
      found = explanation;
    }
  }

  private @Nullable StepTimeline heldBy(Ingress ingress) {
    final StepTimeline step = latestCompleted;
    return step != null && step.plan().stepId() == ingress.stepId() ? step : null;
  }

  @Override
  public void onRejected(RejectedRecord record) {
    requests++;
    if (!record.requestId().equals(selector.id())) {
      passOver(record.requestId());
    } else if (run != null && selector.takes(run.index())) {
      rejected = new Rejected(run.index(), record);
    }
  }

  @Override
  public void onJourney(JourneyRecord record) {
    if (!record.requestId().equals(selector.id())) {
      return;
    }
    final TimelineEntry.Journey entry = new TimelineEntry.Journey(record);
    if (record.stage().equals(ARRIVED)) {
      journey.clear(); // the request that had the id before is done
    }
    if (builder == null || record.stage().equals(ARRIVED) || !journey.isEmpty()) {
      journey.add(entry);
    } else {
      builder.explanation().add(entry);
    }
  }

  @Override
  public void onDecision(Decision decision, long atNs, long stepId) {
    if (builder != null) {
      builder.decided(decision, atNs);
    }
  }

  @Override
  public void onCauseChanged(RequestTimeline request, long nowNs) {
    final ExplanationBuilder following = builderOf(request);
    if (following != null) {
      following.waitsFor(request.waits().cause(), nowNs);
    }
  }

  @Override
  public void onSharedCauseChanged(Cause cause, long nowNs) {
    if (builder != null) {
      builder.sharedCauseChanged(cause, nowNs);
    }
  }

  @Override
  public void onPlanned(StepTimeline step) {
    if (builder != null) {
      builder.planned(step);
    }
  }

  @Override
  public void onEvicted(
      RequestTimeline request, String cause, int tokens, long nowNs, long stepId) {
    final ExplanationBuilder following = builderOf(request);
    if (following != null && request.phase().isWaiting()) {
      following.evicted(tokens, nowNs, stepId);
    }
  }

  @Override
  public void onFirstToken(RequestTimeline request, FirstTokenRecord record) {
    final ExplanationBuilder following = builderOf(request);
    if (following != null) {
      following.firstToken(record);
    }
  }

  @Override
  public void onStep(StepTimeline step) {
    latestCompleted = step;
    if (builder != null) {
      builder.completed(step);
    }
  }

  @Override
  public void onFinished(RequestTimeline request, FinishedRecord end) {
    final ExplanationBuilder following = builderOf(request);
    if (following != null) {
      following.finished(end);
    }
  }

  @Override
  public void onUnfinished(RequestTimeline request, long nowNs) {
    final ExplanationBuilder following = builderOf(request);
    if (following != null) {
      following.cut(nowNs);
    }
  }

  @Override
  public void onDropped(long records) {
    if (builder != null) {
      builder.dropped(records);
    }
  }

  private @Nullable ExplanationBuilder builderOf(RequestTimeline request) {
    return builder != null && builder.explanation().request() == request ? builder : null;
  }
}
