package dev.headway.probes.dashboard.state;

import dev.headway.events.model.Cause;
import dev.headway.events.model.Decision;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.model.WaitInterval;
import dev.headway.events.model.WaitListener;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.probes.dashboard.state.LastMinutes.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Follows a run and publishes a {@link Snapshot} of it: after a step if the last one is older than
 * a quarter of a second, and at every flush. One thread; a step costs O(its entries and changes), a
 * snapshot O(causes + seconds shown), whatever waits.
 */
public final class EngineWatch implements RunListener, WaitListener {

  private static final int HEAD_SHOWN = 8;
  private static final long SLOW_PERIOD_NS = 600_000_000_000L;
  private static final long PUBLISH_NS = 250_000_000L;

  private final Consumer<Snapshot> publish;
  private @Nullable RunTimeline run;
  private List<Cause> causes = List.of();
  private LastMinutes last = new LastMinutes();
  private SlowRequests slow = new SlowRequests(SLOW_PERIOD_NS);
  private int preemptedWaiting;
  private long queued;
  private long finished;
  private long rejected;
  private long preemptions;
  private long promptTokens;
  private long outputTokens;
  private long waitedNs;
  private long publishedNs;

  /** Hands each snapshot to {@code publish}, on the thread of the records. */
  public EngineWatch(Consumer<Snapshot> publish) {
    this.publish = publish;
  }

  @Override
  public RunListener onRun(RunTimeline started) {
    run = started;
    causes = started.bookWaits(this);
    last = new LastMinutes();
    slow = new SlowRequests(SLOW_PERIOD_NS);
    last.reach(0);
    preemptedWaiting = 0;
    queued = 0;
    finished = 0;
    rejected = 0;
    preemptions = 0;
    promptTokens = 0;
    outputTokens = 0;
    waitedNs = 0;
    publish(started);
    return this;
  }

  @Override
  public void onQueued(RequestTimeline request) {
    queued++;
  }

  @Override
  public void onRejected(RejectedRecord rejection) {
    rejected++;
  }

  @Override
  public void onPreempted(Decision.Preempted preemption, long nowNs) {
    preemptions++;
  }

  @Override
  public void onWaitEnded(WaitInterval stay) {
    waitedNs += stay.lengthNs();
  }

  @Override
  public void onFirstToken(RequestTimeline request, FirstTokenRecord firstToken) {
    last.reach(firstToken.atNs());
    last.firstToken(request.ttftNs());
  }

  @Override
  public void onTokenGap(RequestTimeline request, long gapNs) {
    last.tokenGap(gapNs);
  }

  @Override
  public void onFinished(RequestTimeline request, FinishedRecord end) {
    finished++;
    promptTokens += request.queued().promptTokens();
    last.reach(end.atNs());
    last.add(Series.FINISHED, 1);
  }

  @Override
  public void onSettled(RequestTimeline request) {
    final RunTimeline of = run;
    if (of != null) {
      slow.ended(RequestDigest.of(of, request, causes, request.endedNs()));
    }
  }

  @Override
  public void onPlanned(StepTimeline step) {
    last.reach(step.plan().endNs());
    last.set(Series.RUNNING, step.plan().runningCount());
    last.set(Series.WAITING, step.plan().waitingCount());
    last.set(Series.KV_BLOCKS_USED, step.run().usableBlocks() - step.plan().freeBlocks());
    last.add(Series.PREFILL_TOKENS, step.plan().prefillTokens());
    preemptedWaiting = step.plan().preemptedWaitingCount();
  }

  @Override
  public void onStep(StepTimeline step) {
    outputTokens += step.producedTokens();
    last.reach(step.endNs());
    last.add(Series.OUTPUT_TOKENS, step.producedTokens());
    last.add(Series.STEPS, 1);
    if (step.endNs() - publishedNs >= PUBLISH_NS) {
      publish(step.run());
    }
  }

  @Override
  public void flush() {
    if (run != null) {
      publish(run);
    }
  }

  @Override
  public void onRunConcluded(long lastNs, boolean cleanly) {
    flush();
  }

  private void publish(RunTimeline of) {
    final long nowNs = of.latestNs();
    publishedNs = nowNs;
    last.reach(nowNs);
    publish.accept(snapshot(of, nowNs));
  }

  private Snapshot snapshot(RunTimeline of, long nowNs) {
    final List<RequestDigest> head = new ArrayList<>();
    for (RequestTimeline request : of.waiting()) {
      if (head.size() == HEAD_SHOWN) {
        break;
      }
      head.add(RequestDigest.of(of, request, causes, nowNs));
    }
    return new Snapshot(
        of.id(),
        of.header().attributes(),
        of.header().config(),
        of.unixNs(nowNs),
        nowNs,
        of.header().virtualTime(),
        of.latestStep(),
        of.running().size(),
        of.waiting().size(),
        preemptedWaiting,
        of.usableBlocks() - of.freeBlocks(),
        of.usableBlocks(),
        WaitingFor.byRoot(of, causes),
        new Snapshot.Totals(
            queued,
            finished,
            rejected,
            preemptions,
            promptTokens,
            outputTokens,
            waitedNs,
            of.droppedRecords()),
        last.ttft(),
        last.tokenGaps(),
        last.copy(Series.PREFILL_TOKENS),
        last.copy(Series.OUTPUT_TOKENS),
        last.copy(Series.RUNNING),
        last.copy(Series.WAITING),
        last.copy(Series.KV_BLOCKS_USED),
        slow.longest(of.unixNs(nowNs)),
        List.copyOf(head));
  }
}
