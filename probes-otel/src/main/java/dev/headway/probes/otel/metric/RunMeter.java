package dev.headway.probes.otel.metric;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.PendingDecisions;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.probes.otel.run.StepFrames;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Follows the requests of one run and feeds the metrics. One thread; memory grows with live
 * requests.
 */
final class RunMeter {

  private static final String NEW = "new";
  private static final String CACHE_RESET = "cache_reset";

  private final VllmMetrics vllm;
  private final GenAiMetrics genAi;
  private final HeadwayMetrics headway;
  private final int blockSize;
  private final boolean cachesPrefixes;
  private final boolean hasHostTier;
  private final PendingDecisions decisions = new PendingDecisions();
  private final StepFrames steps = new StepFrames();
  private final WaitMeter waits = new WaitMeter();
  private final Occupancy occupancy;
  private final Map<Long, RequestMeter> live = new HashMap<>();
  private final Deque<RequestMeter> ended = new ArrayDeque<>();
  private boolean missedRecords;

  RunMeter(VllmMetrics vllm, GenAiMetrics genAi, HeadwayMetrics headway, RunStartedRecord header) {
    this.vllm = vllm;
    this.genAi = genAi;
    this.headway = headway;
    this.occupancy = new Occupancy(vllm, headway, waits, Math.max(0, header.numBlocks() - 1));
    this.blockSize = Math.max(1, header.blockSize());
    this.cachesPrefixes = "ENABLED".equals(header.config().get("prefixCaching"));
    this.hasHostTier = header.config().containsKey("hostBlocks");
    decisions.reset(header.anchorMonotonicNs());
  }

  void queued(QueuedRecord request) {
    final RequestMeter meter = new RequestMeter(request);
    live.put(request.requestNumber(), meter);
    waits.queued(meter.waiter, decisions.at(request.queuedNs()));
    occupancy.queued();
  }

  void admitted(AdmittedRecord admitted) {
    final RequestMeter meter = find(admitted.requestNumber());
    if (meter != null) {
      final boolean isNew = admitted.kind().equals(NEW);
      decisions.decide(
          admitted.stepId(),
          admitted.requestNumber(),
          (atNs, step) ->
              admit(meter, atNs, isNew, admitted.cachedTokens(), admitted.hostCachedTokens()));
    }
  }

  void blocked(long stepId, long number, String reason) {
    final RequestMeter meter = find(number);
    if (meter != null) {
      decisions.decide(
          stepId,
          number,
          (atNs, step) -> {
            if (meter.waiter.isWaiting()) {
              waits.own(meter.waiter, reason, atNs);
            }
          });
    }
  }

  void unblocked(long stepId, long number) {
    final RequestMeter meter = find(number);
    if (meter != null) {
      decisions.decide(
          stepId,
          number,
          (atNs, step) -> {
            if (meter.waiter.isWaiting()) {
              waits.share(meter.waiter, atNs);
            }
          });
    }
  }

  void admissionsClosed(long stepId, String reason) {
    decisions.decide(stepId, -1, (atNs, step) -> waits.shareReason(reason, atNs));
  }

  void preempted(long stepId, long number, String cause, int lostTokens) {
    final RequestMeter meter = find(number);
    if (meter != null) {
      vllm.preemptions.inc();
      headway.preempted(cause, lostTokens);
      decisions.decide(stepId, number, (atNs, step) -> putBack(meter, atNs, cause));
    }
  }

  void cacheReset(long nowNs) {
    decisions.at(nowNs);
  }

  /** Records are missing: from here on plans say who runs, as far as they do. */
  void missedRecords() {
    missedRecords = true;
  }

  void planned(PlannedStep step) {
    decisions.planned(step.stepId(), step.endNs());
    if (missedRecords) {
      believe(step);
    }
    waits.planned(step.endNs());
    steps.planned(step);
    final int entries = step.hasEntries() ? step.batchSize() : 0;
    for (int entry = 0; entry < entries; entry++) {
      final RequestMeter meter = live.get(step.number(entry));
      if (meter != null) {
        headway.recomputedTokens.inc(
            meter.progress.scheduled(
                step.computedTokens(entry), step.scheduledTokens(entry), step.blockCount(entry)));
      }
    }
    occupancy.planned(step);
    publish(); // so that a scrape finds the waiting requests of one plan, whoever counts them
  }

  void firstToken(long number, long nowNs) {
    final RequestMeter meter = find(number);
    if (meter != null) {
      meter.firstTokenNs = decisions.at(nowNs);
      vllm.firstToken(meter);
      target(meter, nowNs);
    }
  }

  void finished(FinishedRecord finished) {
    final RequestMeter meter = find(finished.requestNumber());
    if (meter == null || meter.end != null) {
      return;
    }
    decisions.ended(finished.requestNumber(), decisions.at(finished.atNs()));
    meter.end = finished;
    waits.leave(meter.waiter, finished.atNs());
    occupancy.ended(meter.running);
    if (meter.firstTokenNs == ABSENT) {
      target(meter, finished.atNs());
    }
    ended.add(meter);
    settle(false);
  }

  void completed(CompletedStep step) {
    decisions.at(step.endNs());
    final StepFrames.Completion completion = steps.completed(step);
    if (completion == null) {
      return;
    }
    final int entries = step.hasEntries() ? completion.frame().entries() : 0;
    for (int entry = 0; entry < entries; entry++) {
      final RequestMeter meter = live.get(completion.frame().number(entry));
      if (meter != null && step.producedTokens(entry) > 0) {
        produced(meter, step.producedTokens(entry), step.outputNs());
      }
    }
    vllm.completed(step, completion.frame().totalTokens());
    headway.completed(step, completion.times());
    settle(false);
    if (live.isEmpty()) {
      occupancy.idle();
    }
  }

  /** Brings up to date what grows with time alone. */
  void publish() {
    waits.publish(decisions.latestNs(), headway::waited, (reason, n) -> headway.waiting(reason, n));
  }

  /** No more records of this run: those still alive are neither finished nor waiting. */
  void endRun(long nowNs) {
    decisions.at(nowNs);
    settle(true);
    forgetLive(decisions.latestNs());
    publish();
    occupancy.cleared();
  }

  long latestNs() {
    return decisions.latestNs();
  }

  private void admit(
      RequestMeter meter, long atNs, boolean isNew, int cachedTokens, int hostCachedTokens) {
    waits.leave(meter.waiter, atNs);
    headway.queued(atNs - meter.waitingSinceNs);
    meter.progress.admitted(cachedTokens, blockSize);
    meter.running = true;
    occupancy.admitted();
    if (isNew) {
      meter.firstScheduledNs = atNs;
      meter.cachedTokens = cachedTokens;
      meter.hostCachedTokens = hostCachedTokens;
      if (cachesPrefixes) {
        vllm.lookedUp(meter, hasHostTier);
      }
    }
  }

  private void putBack(RequestMeter meter, long atNs, String cause) {
    meter.progress.preempted();
    meter.preemptions++;
    meter.running = false;
    meter.waitingSinceNs = atNs;
    occupancy.putBack();
    waits.own(
        meter.waiter, cause.equals(CACHE_RESET) ? WaitMeter.EVICTED : WaitMeter.PREEMPTED, atNs);
  }

  private void produced(RequestMeter meter, int tokens, long outputNs) {
    final long earlierNs = meter.progress.lastTokenNs();
    meter.progress.produced(tokens, outputNs);
    if (earlierNs != ABSENT) {
      vllm.interToken(earlierNs, outputNs);
    }
  }

  private void target(RequestMeter meter, long nowNs) {
    final long targetNs = meter.request.ttftTargetNs();
    final long tookNs = nowNs - meter.request.arrivalNs();
    if (targetNs != ABSENT && (meter.firstTokenNs != ABSENT || tookNs > targetNs)) {
      headway.target(tookNs <= targetNs);
    }
  }

  /** Observes those whose last tokens are recorded: a step's come after the ends it causes. */
  private void settle(boolean all) {
    RequestMeter first = ended.peekFirst();
    while (first != null && first.end != null && (all || steps.isSettled(first.end.stepId()))) {
      ended.removeFirst();
      live.remove(first.request.requestNumber());
      vllm.finished(first, first.end.reason(), first.end.atNs());
      genAi.finished(first, first.end.reason(), first.end.atNs());
      headway.finished(first.end.reason());
      first = ended.peekFirst();
    }
  }

  /** Takes from a plan what records would have said. */
  private void believe(PlannedStep step) {
    if (step.runningCount() + step.waitingCount() == 0) {
      settle(true);
      forgetLive(step.endNs());
    }
    final int entries = step.hasEntries() ? step.batchSize() : 0;
    for (int entry = 0; entry < entries; entry++) {
      final RequestMeter meter = live.get(step.number(entry));
      if (meter != null && !meter.running && meter.end == null) {
        admit(meter, step.endNs(), meter.firstScheduledNs == ABSENT, step.computedTokens(entry), 0);
      }
    }
    occupancy.believe(step);
  }

  private void forgetLive(long nowNs) {
    for (RequestMeter meter : live.values()) {
      waits.leave(meter.waiter, nowNs);
    }
    live.clear();
    ended.clear();
  }

  private @Nullable RequestMeter find(long number) {
    final RequestMeter meter = live.get(number);
    if (meter == null) {
      headway.unknownRequests.inc();
    }
    return meter;
  }
}
