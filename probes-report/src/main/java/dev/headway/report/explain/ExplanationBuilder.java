package dev.headway.report.explain;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.schedule.WaitReason;
import dev.headway.events.model.Cause;
import dev.headway.events.model.Decision;
import dev.headway.events.model.EntryClass;
import dev.headway.events.model.Phase;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.record.BlockedRecord;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes down what the run model says of one request: an entry per event, an interval per wait
 * reason and per kind of work.
 *
 * <p>While the request is admitted, its time goes to what the latest plan gives it, up to the
 * output of that step; from there to the next plan it is spent between steps. Where steps overlap,
 * what a plan gives it begins with the output of the step before, if it had a part in that one too:
 * until then the executor computes that. One thread.
 */
final class ExplanationBuilder {

  private static final String NO_SEAT = WaitReason.MAX_NUM_SEQS.label();

  private final RunTimeline run;
  private final RequestTimeline request;
  private final RequestExplanation explanation;
  private final Map<String, Interval> work = new HashMap<>();
  private final StepScores scores;
  private final ArrayDeque<Work> inFlight = new ArrayDeque<>();
  private Interval current;
  private @Nullable PreemptionCost preemption;
  private @Nullable String interruption;
  private int knownOutputs;

  /** What a step gives it. */
  private record Work(long stepId, String label, int tokens) {}

  /**
   * A request was queued.
   *
   * @param heldBy the step under way when it arrived, or null
   */
  ExplanationBuilder(RequestExplanation explanation, @Nullable StepTimeline heldBy) {
    this.explanation = explanation;
    this.run = explanation.run();
    this.request = explanation.request();
    this.scores = new StepScores(request);
    final long queuedNs = request.queued().queuedNs();
    explanation.add(new TimelineEntry.Queued(queuedNs, heldBy));
    current = newInterval(request.waits().cause().reason(), queuedNs);
    explanation.account().change(accountPhase(), request.waits().cause(), queuedNs);
  }

  RequestExplanation explanation() {
    return explanation;
  }

  /** A decision took effect, about this request or another. */
  void decided(Decision decision, long nowNs) {
    switch (decision) {
      case Decision.Scored scored -> {
        if (request.phase().isWaiting()) {
          scores.add(scored.request(), scored.record().score());
        }
      }
      case Decision.Admitted admitted when admitted.request() == request ->
          admitted(admitted, nowNs);
      case Decision.Preempted preempted when preempted.request() == request ->
          preempted(preempted, nowNs);
      case Decision.Blocked blocked when blocked.request() == request -> {
        if (current.is(accountPhase(), blocked.record().reason())) {
          hindered(nowNs);
        }
      }
      default -> {}
    }
  }

  /** All waiting requests without an individual reason wait for something else from now on. */
  void sharedCauseChanged(Cause cause, long nowNs) {
    if (request.phase().isWaiting()
        && request.waits().sharesCause()
        && request.ownReason() == null) {
      waitsFor(cause, nowNs);
    }
  }

  /** It waits for something else from now on. */
  void waitsFor(Cause cause, long nowNs) {
    if (!current.is(accountPhase(), cause.reason())) {
      current.pause(nowNs);
      current = newInterval(cause.reason(), nowNs);
    }
    explanation.account().change(accountPhase(), cause, nowNs);
  }

  /** A step was planned, and its decisions have taken effect. */
  void planned(StepTimeline step) {
    final long stepId = step.plan().stepId();
    final long nowNs = step.plan().endNs();
    if (request.phase().isWaiting()) {
      hindered(nowNs);
      if (current.label().equals(NO_SEAT)) {
        current.seats(run.running());
      }
      current.step(stepId);
      final Ranks.Rank rank = scores.rank(stepId);
      if (rank != null) {
        current.ranked(rank);
      }
    } else if (request.phase().isRunning()) {
      running(step, stepId, nowNs);
    }
    scores.clear();
  }

  void evicted(int tokens, long nowNs, long stepId) {
    explanation.add(new TimelineEntry.Evicted(nowNs, stepId, tokens));
  }

  void firstToken(FirstTokenRecord record) {
    explanation.account().markFirstToken(record.atNs());
    explanation.add(new TimelineEntry.FirstToken(record.atNs(), record.stepId()));
  }

  /** A step is done, perhaps one that this request had no part in. */
  void completed(StepTimeline step) {
    final long stepId = step.plan().stepId();
    final long outputNs = step.outputNs() == ABSENT ? step.endNs() : step.outputNs();
    final int produced = request.outputTokens() - knownOutputs;
    if (produced > 0) {
      knownOutputs += produced;
      explanation.tokens().add(produced, outputNs, new TokenTimes.Origin(step, interruption));
      interruption = null;
      final Interval decode = work.get(Activity.DECODE);
      if (decode != null) {
        decode.produced(produced);
      }
    }
    if (preemption != null) {
      preemption.completed(stepId, outputNs);
    }
    if (goesOnAfter(stepId, outputNs)) {
      return;
    }
    if (request.phase().isRunning()
        && stepId == run.latestStep()
        && request.isScheduledIn(stepId)) {
      explanation.account().change(AccountPhase.RUNNING, Activity.BETWEEN_STEPS, outputNs);
    }
  }

  /** Whether a step that was planned meanwhile has its turn now that {@code stepId} is done. */
  private boolean goesOnAfter(long stepId, long outputNs) {
    final Work done = inFlight.peek();
    if (done == null || done.stepId != stepId) {
      return false;
    }
    inFlight.remove();
    final Work next = inFlight.peek();
    if (next == null || !request.phase().isRunning()) {
      return false;
    }
    begin(next, outputNs);
    return true;
  }

  void finished(FinishedRecord end) {
    inFlight.clear();
    current.pause(end.atNs());
    explanation.close(end.atNs());
    explanation.add(new TimelineEntry.Ended(end));
  }

  /** The writer had to drop records. */
  void dropped(long records) {
    if (request.phase() != Phase.ENDED) {
      explanation.add(new TimelineEntry.Dropped(run.droppedNs(), records));
    }
  }

  /** The records end while the request lives. */
  void cut(long nowNs) {
    current.pause(nowNs);
    explanation.close(nowNs);
  }

  private void admitted(Decision.Admitted admitted, long nowNs) {
    current.pause(nowNs);
    final Ranks.Rank rank = scores.rank(admitted.record().stepId());
    explanation.add(
        new TimelineEntry.Admitted(nowNs, admitted.record(), request.leftStateNs(), rank));
    if (preemption != null) {
      preemption.resumed(nowNs, admitted.record().cachedTokens());
    }
    work.clear();
  }

  private void preempted(Decision.Preempted preempted, long nowNs) {
    inFlight.clear();
    current.pause(nowNs);
    preemption = new PreemptionCost(preempted, nowNs);
    explanation.add(preemption);
    interruption = Activity.PREEMPTED;
    current = newInterval(request.waits().cause().reason(), nowNs);
    explanation.account().change(accountPhase(), request.waits().cause(), nowNs);
  }

  private void running(StepTimeline step, long stepId, long nowNs) {
    if (!step.areEntriesKnown()) {
      work(Activity.SEATED, stepId, nowNs);
    } else if (request.isScheduledIn(stepId)) {
      final Work planned =
          new Work(stepId, label(request.latestClass()), request.latestScheduledTokens());
      inFlight.add(planned);
      if (inFlight.size() == 1) {
        begin(planned, nowNs);
      }
      if (preemption != null) {
        preemption.scheduled(stepId);
      }
    } else {
      final String own = request.ownReason();
      interruption = own == null ? Activity.UNKNOWN : own;
      work(interruption, stepId, nowNs);
      hindered(nowNs);
    }
  }

  private void begin(Work next, long nowNs) {
    work(next.label, next.stepId, nowNs);
    current.chunk(next.tokens);
  }

  private static String label(EntryClass work) {
    return switch (work) {
      case PREFILL -> Activity.PREFILL;
      case DECODE -> Activity.DECODE;
      case RECOMPUTE -> Activity.RECOMPUTATION;
    };
  }

  /** Goes on with work of a kind; each kind has one interval between admission and preemption. */
  private void work(String label, long stepId, long nowNs) {
    explanation.account().change(AccountPhase.RUNNING, label, nowNs);
    final Interval known = work.get(label);
    if (known == null) {
      current.pause(nowNs);
      current = newInterval(label, nowNs);
      work.put(label, current);
    } else if (known != current) {
      current.pause(nowNs);
      known.resume(nowNs);
      current = known;
    }
    current.step(stepId);
  }

  /** Notes what blocks it: what it was refused for, or the request at the head of the queue. */
  private void hindered(long nowNs) {
    final BlockedRecord own = request.refusal();
    if (own != null) {
      final RequestName name = RequestName.of(own.blockerNumber(), request.ownBlocker());
      current.hindered(new Blocker(nowNs, name, own.needed(), own.free(), null));
    } else if (request.phase().isWaiting()
        && request.ownReason() == null
        && run.sharedReason() != null) {
      current.hindered(Blocker.shared(nowNs, run));
    }
  }

  private AccountPhase accountPhase() {
    return AccountPhase.of(request.phase());
  }

  private Interval newInterval(String label, long nowNs) {
    final Interval interval = new Interval(accountPhase(), label, nowNs);
    explanation.add(interval);
    return interval;
  }
}
