package dev.headway.report.explain;

import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.PlannedStep;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Follows one request from its queueing on, by the rules of the CSV files: decisions take effect at
 * the end of their step's scheduling, and a reason holds until the next step takes effect.
 *
 * <p>In a seat it goes by what the latest plan gives it, up to the output of that step; from there
 * to the next plan its time is spent between steps.
 */
final class StoryTeller {

  private static final String CACHE_RESET = "cache_reset";
  private static final int NOT_SCHEDULED = -1;

  private final Story story;
  private final SharedReason shared;
  private final long number;
  private final List<LongConsumer> decisions = new ArrayList<>();
  private final Map<Long, Entry> entries = new HashMap<>();
  private final Map<String, Stretch> work = new LinkedHashMap<>();
  private final Map<Long, Double> scores = new HashMap<>();

  /** Its place in a planned step, and what that step computes over all. */
  private record Entry(int index, int stepTokens, int promptTokens) {}

  private Phase phase = Phase.WAITING;
  private Stretch current;
  private long sinceNs;
  private @Nullable String ownReason;
  private @Nullable Obstacle ownObstacle;
  private @Nullable Setback setback;
  private @Nullable String interruption;
  private int computedBefore;
  private long latestStep;
  private boolean ended;

  /**
   * A request was queued.
   *
   * @param latestStep the latest planned step
   * @param heldBy the step under way when it arrived, or null
   */
  StoryTeller(Story story, SharedReason shared, long latestStep, @Nullable StepUnderWay heldBy) {
    this.story = story;
    this.shared = shared;
    this.number = story.request().requestNumber();
    this.latestStep = latestStep;
    final long queuedNs = story.request().queuedNs();
    sinceNs = queuedNs;
    story.add(new Moment.Queued(queuedNs, heldBy));
    current = newStretch(Activity.INITIAL_WAITING, queuedNs);
  }

  Story story() {
    return story;
  }

  boolean hasEnded() {
    return ended;
  }

  /** Whether nothing more can come of it. */
  boolean isSettled() {
    return ended && entries.isEmpty();
  }

  void scored(long candidate, double score) {
    if (!ended && phase.isWaiting()) {
      scores.put(candidate, score);
    }
  }

  void admitted(AdmittedRecord admitted, long latestNs) {
    decide(admitted.stepId(), latestNs, nowNs -> admit(admitted, nowNs));
  }

  void blocked(long stepId, String reason, long blocker, int needed, int free, long latestNs) {
    decide(
        stepId,
        latestNs,
        nowNs -> {
          ownReason = reason;
          ownObstacle = new Obstacle(nowNs, blocker, needed, free, null);
          if (current.is(phase, reason)) {
            current.hindered(ownObstacle);
          }
        });
  }

  void unblocked(long stepId, long latestNs) {
    decide(stepId, latestNs, nowNs -> forgetOwnReason());
  }

  void preempted(
      long stepId, String cause, long beneficiary, int lostTokens, int freedBlocks, long latestNs) {
    decide(
        stepId,
        latestNs,
        nowNs -> preempt(stepId, cause, beneficiary, lostTokens, freedBlocks, nowNs));
  }

  void planned(PlannedStep step) {
    final long nowNs = step.endNs();
    decisions.forEach(decision -> decision.accept(nowNs));
    decisions.clear();
    latestStep = step.stepId();
    if (ended) {
      return;
    }
    if (phase.isWaiting()) {
      wait(step.stepId(), nowNs);
    } else {
      run(step, nowNs);
    }
    scores.clear();
  }

  void firstToken(long stepId, long nowNs) {
    story.firstToken(nowNs);
    story.add(new Moment.FirstToken(nowNs, stepId));
  }

  void completed(CompletedStep step) {
    final Entry entry = entries.remove(step.stepId());
    if (entry == null) {
      return;
    }
    final int produced = step.hasEntries() ? step.producedTokens(entry.index) : 0;
    if (produced > 0) {
      final TokenTimes.Origin origin =
          new TokenTimes.Origin(step.stepId(), entry.stepTokens, entry.promptTokens, interruption);
      story.tokens().add(produced, step.outputNs(), origin);
      interruption = null;
      final Stretch decode = work.get(Activity.DECODE);
      if (decode != null) {
        decode.produced(produced);
      }
    }
    if (setback != null) {
      setback.completed(step.stepId(), step.outputNs());
    }
    if (!ended && phase == Phase.RUNNING && step.stepId() == latestStep) {
      story.account().change(phase, Activity.BETWEEN_STEPS, step.outputNs());
    }
  }

  void finished(FinishedRecord end) {
    decisions.forEach(decision -> decision.accept(end.atNs())); // it ended inside scheduling
    decisions.clear();
    current.pause(end.atNs());
    story.end(end);
    story.add(new Moment.Ended(end.atNs(), end));
    ended = true;
  }

  /** The journal ends, or its run does. */
  void cut(long nowNs) {
    decisions.clear(); // their plan is missing, so they have no instant
    if (!ended) {
      current.pause(nowNs);
      story.cut(nowNs);
      ended = true;
    }
    entries.clear();
  }

  private void decide(long stepId, long latestNs, LongConsumer decision) {
    if (ended) {
      return;
    }
    if (stepId > latestStep) {
      decisions.add(decision);
    } else {
      decision.accept(latestNs); // of a cache reset
    }
  }

  private void admit(AdmittedRecord admitted, long nowNs) {
    current.pause(nowNs);
    story.add(
        new Moment.Admitted(
            nowNs,
            admitted.stepId(),
            admitted.kind(),
            nowNs - sinceNs,
            admitted.cachedTokens(),
            admitted.hostCachedTokens(),
            admitted.evictedTokens(),
            rank(admitted.stepId())));
    if (setback != null) {
      setback.resumed(nowNs, admitted.cachedTokens());
    }
    phase = Phase.RUNNING;
    sinceNs = nowNs;
    work.clear();
    forgetOwnReason();
  }

  private void preempt(
      long stepId, String cause, long beneficiary, int lostTokens, int freedBlocks, long nowNs) {
    current.pause(nowNs);
    setback = new Setback(nowNs, stepId, cause, beneficiary, lostTokens, freedBlocks);
    story.add(setback);
    computedBefore = Math.max(computedBefore, lostTokens);
    phase = Phase.WAITING_AGAIN;
    sinceNs = nowNs;
    interruption = Activity.PREEMPTED;
    ownReason = cause.equals(CACHE_RESET) ? Activity.EVICTED : Activity.PREEMPTED;
    ownObstacle = null;
    current = newStretch(ownReason, nowNs);
  }

  private void wait(long stepId, long nowNs) {
    final String reason = waitReason();
    if (!current.is(phase, reason)) {
      current.pause(nowNs);
      current = newStretch(reason, nowNs);
    }
    if (ownObstacle != null) {
      current.hindered(ownObstacle);
    } else if (ownReason == null && shared.label() != null) {
      current.hindered(shared.obstacle(nowNs));
    }
    current.step(stepId);
    final Ranks.Rank rank = rank(stepId);
    if (rank != null) {
      current.ranked(rank);
    }
  }

  /** Its own reason, or the one that all have who were not examined. */
  private String waitReason() {
    if (ownReason != null) {
      return ownReason;
    }
    final String sharedLabel = shared.label();
    return sharedLabel == null ? Activity.UNKNOWN : sharedLabel;
  }

  private void run(PlannedStep step, long nowNs) {
    if (!step.hasEntries()) {
      enter(Activity.SEATED, step.stepId(), nowNs);
      return;
    }
    final int entry = entryOf(step);
    if (entry == NOT_SCHEDULED) {
      final String reason = ownReason == null ? Activity.UNKNOWN : ownReason;
      enter(reason, step.stepId(), nowNs);
      if (ownObstacle != null) {
        current.hindered(ownObstacle);
      }
      interruption = reason;
      return;
    }
    entries.put(step.stepId(), new Entry(entry, step.totalTokens(), step.prefillTokens()));
    final int computed = step.computedTokens(entry);
    final int tokens = step.scheduledTokens(entry);
    enter(activity(computed), step.stepId(), nowNs);
    current.chunk(tokens);
    if (setback != null && setback.recoveredNs() < 0) {
      recover(setback, step.stepId(), computed, computed + tokens);
    }
  }

  private void recover(Setback from, long stepId, int computed, int end) {
    from.recomputes(Math.max(0, Math.min(end, computedBefore) - computed));
    if (end >= computedBefore) {
      from.recoversIn(stepId);
    }
  }

  private String activity(int computed) {
    if (computed < computedBefore) {
      return Activity.RECOMPUTATION;
    }
    return computed < story.request().promptTokens() ? Activity.PREFILL : Activity.DECODE;
  }

  /** Goes on with work of a kind; each kind has one stretch per stay in a seat. */
  private void enter(String label, long stepId, long nowNs) {
    story.account().change(phase, label, nowNs);
    final Stretch known = work.get(label);
    if (known == null) {
      current.pause(nowNs);
      current = newStretch(label, nowNs);
      work.put(label, current);
    } else if (known != current) {
      current.pause(nowNs);
      known.resume(nowNs);
      current = known;
    }
    current.step(stepId);
  }

  private Stretch newStretch(String label, long nowNs) {
    final Stretch stretch = new Stretch(phase, label, nowNs);
    story.account().change(phase, label, nowNs);
    story.add(stretch);
    return stretch;
  }

  private int entryOf(PlannedStep step) {
    for (int entry = 0; entry < step.batchSize(); entry++) {
      if (step.number(entry) == number) {
        return entry;
      }
    }
    return NOT_SCHEDULED;
  }

  /** Its rank among the candidates of the step, or null if it was not ranked. */
  private Ranks.@Nullable Rank rank(long stepId) {
    final Double own = scores.get(number);
    if (own == null) {
      return null;
    }
    int rank = 1;
    long leader = number;
    double best = own;
    for (Map.Entry<Long, Double> candidate : scores.entrySet()) {
      if (isAhead(candidate.getKey(), candidate.getValue(), number, own)) {
        rank++;
      }
      if (isAhead(candidate.getKey(), candidate.getValue(), leader, best)) {
        leader = candidate.getKey();
        best = candidate.getValue();
      }
    }
    return new Ranks.Rank(stepId, rank, scores.size(), own, leader, best);
  }

  private static boolean isAhead(long one, double score, long other, double otherScore) {
    return score < otherScore || (score == otherScore && one < other);
  }

  private void forgetOwnReason() {
    ownReason = null;
    ownObstacle = null;
  }
}
