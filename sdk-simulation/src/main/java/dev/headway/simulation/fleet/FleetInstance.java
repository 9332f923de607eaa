package dev.headway.simulation.fleet;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineStats;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome.Rejected;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.kvcache.KvBlockRemoved;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheCleared;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.events.inprocess.RunDetail;
import dev.headway.events.inprocess.RunProbe;
import dev.headway.events.model.Decision;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.routing.policy.WorkerLoad;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.run.SimulationException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One engine with its own clock and KV cache, and what the router may learn of it. One thread. */
final class FleetInstance implements AutoCloseable {

  private final int number;
  private final int blockSize;
  private final VirtualClock clock = new VirtualClock();
  private final CacheContents contents = new CacheContents();
  private final Map<String, Live> live = new HashMap<>();
  private final Deque<WorkerLoad> loads = new ArrayDeque<>();
  private final FleetEvents events;
  private final Engine engine;
  private long queuedTokens;
  private long steps;
  private int mostRunning;
  private double mostKvShare;
  private long preemptions;

  /** A request that has not ended, and the names of its prompt's blocks. */
  private static final class Live {
    private final FleetRequest request;
    private final long[] chain;
    private @Nullable RequestTimeline timeline; // none before it is queued

    private Live(FleetRequest request, long[] chain) {
      this.request = request;
      this.chain = chain;
    }

    private boolean wasAdmitted() {
      return timeline != null && timeline.firstScheduledNs() != ABSENT;
    }

    private boolean isDecoding(long nowNs) {
      return timeline != null
          && timeline.firstTokenNs() != ABSENT
          && timeline.firstTokenNs() <= nowNs;
    }
  }

  FleetInstance(int number, EngineSettings settings, String name, FleetEvents events) {
    this.number = number;
    this.events = events;
    blockSize = settings.kvCache().blockSize();
    engine =
        settings
            .engine(clock, name, model -> model)
            .probe(new RunProbe(new Requests(), RunDetail.CHANGES))
            .probe(new Blocks())
            .build();
  }

  /** What is in its prefix cache. */
  CacheContents contents() {
    return contents;
  }

  /** How far it has come. */
  long nowNs() {
    return clock.nanoTime();
  }

  /** Steps it has done. */
  long steps() {
    return steps;
  }

  /** Most requests that ran at once when it reported. */
  int mostRunning() {
    return mostRunning;
  }

  /** Largest share of its KV blocks that was held when it reported. */
  double mostKvShare() {
    return mostKvShare;
  }

  /** How often a request lost its blocks. */
  long preemptions() {
    return preemptions;
  }

  /** Requests with their first token that had not ended at {@code nowNs}. */
  int decoding(long nowNs) {
    int count = 0;
    for (Live each : live.values()) {
      count += each.isDecoding(nowNs) ? 1 : 0;
    }
    return count;
  }

  /** Takes a request that arrives now. */
  void submit(Request request, FleetRequest row, long[] chain) {
    live.put(row.id(), new Live(row, chain));
    queuedTokens += row.promptTokens();
    final RequestHandle handle = engine.submit(request, TokenListener.NONE, row.arrivalNs());
    if (handle.outcome().toCompletableFuture().getNow(null) instanceof Rejected rejected) {
      ended(row.id(), rejected.reason().label(), row.arrivalNs()); // its event comes with a step
    }
  }

  /** Runs until its clock is at {@code untilNs} or later, or waits if there is nothing to do. */
  void runTo(long untilNs) {
    boolean works = true;
    while (works && clock.nanoTime() < untilNs) {
      works = step() || restsUntilDeadline(untilNs);
    }
    sleepUntil(untilNs);
  }

  /** Lets time pass up to the engine's next deadline, if that comes before {@code untilNs}. */
  private boolean restsUntilDeadline(long untilNs) {
    final long deadlineNs = engine.nextDeadlineNs();
    if (deadlineNs == ABSENT || deadlineNs >= untilNs) {
      return false;
    }
    clock.sleepUntil(deadlineNs);
    return true;
  }

  /** Runs a step; returns whether there was anything to do. */
  boolean step() {
    if (!engine.step()) {
      return false;
    }
    steps++;
    report();
    return true;
  }

  /** Lets time pass. */
  void sleepUntil(long untilNs) {
    clock.sleepUntil(untilNs);
  }

  /**
   * Runs until every request has ended.
   *
   * @throws SimulationException if requests are alive and nothing can ever progress
   */
  void runToTheEnd() {
    boolean works = true;
    while (works) {
      if (engine.step()) {
        steps++;
      } else {
        works = restsUntilDeadline(Long.MAX_VALUE);
      }
    }
    requireEnded();
  }

  /**
   * Makes sure that every request has ended.
   *
   * @throws SimulationException if requests are alive, or the run was not measured whole
   */
  void requireEnded() {
    if (!live.isEmpty()) {
      throw new SimulationException(
          "instance "
              + number
              + " makes no progress: no step can run and no request is to come: alive="
              + live.size()
              + "; more KV blocks (--num-blocks) or a smaller --watermark may help");
    }
    if (engine.stats().probesDetached() > 0) {
      throw new SimulationException(
          "instance " + number + " must be measured whole; the log above says what failed");
    }
  }

  /** What it reported last at {@code atNs} or before, which never decreases; null if nothing. */
  @Nullable WorkerLoad loadAt(long atNs) {
    WorkerLoad last = null;
    while (!loads.isEmpty() && loads.getFirst().reportedAtNs() <= atNs) {
      last = loads.removeFirst();
    }
    return last;
  }

  private void report() {
    final EngineStats stats = engine.stats();
    final long held = stats.kvCache().heldBlocks();
    final WorkerLoad load =
        new WorkerLoad(
            held * blockSize + queuedTokens,
            (int) stats.running(),
            (int) stats.waiting(),
            (double) held / stats.kvCache().usableBlocks(),
            clock.nanoTime());
    mostRunning = Math.max(mostRunning, (int) stats.running());
    mostKvShare = Math.max(mostKvShare, (double) held / stats.kvCache().usableBlocks());
    loads.addLast(load);
  }

  private void ended(String id, String outcome, long nowNs) {
    final Live each = live.remove(id);
    if (each != null) {
      if (!each.wasAdmitted()) {
        queuedTokens -= each.request.promptTokens();
      }
      each.request.outcome = outcome;
      events.ended(each.request, nowNs);
    }
  }

  @Override
  public void close() {
    engine.close();
  }

  /** Takes the figures of requests from the run model. */
  private final class Requests implements RunListener {

    @Override
    public void onQueued(RequestTimeline request) {
      final Live each = live.get(request.id());
      if (each != null) {
        each.timeline = request;
      }
    }

    @Override
    public void onRejected(RejectedRecord rejection) {
      ended(rejection.requestId(), rejection.reason(), rejection.atNs());
    }

    @Override
    public void onAdmitted(RequestTimeline request, int cachedTokens, long nowNs) {
      final Live each = live.get(request.id());
      if (each != null && request.preemptions() == 0) {
        each.request.cachedTokens = cachedTokens;
        queuedTokens -= each.request.promptTokens();
      }
    }

    @Override
    public void onPreempted(Decision.Preempted preemption, long nowNs) {
      preemptions++;
    }

    @Override
    public void onFirstToken(RequestTimeline request, FirstTokenRecord firstToken) {
      final Live each = live.get(request.id());
      if (each != null) {
        each.request.ttftNs = request.ttftNs();
        events.firstToken(each.request, firstToken.atNs());
      }
    }

    @Override
    public void onFinished(RequestTimeline request, FinishedRecord end) {
      final Live each = live.get(request.id());
      if (each != null) {
        each.request.endToEndNs = request.endToEndNs();
        ended(request.id(), end.reason(), end.atNs());
      }
    }
  }

  /** Writes down what is in the prefix cache. */
  private final class Blocks implements Probe {

    @Override
    public Set<ProbeInterest> interests() {
      return EnumSet.of(ProbeInterest.KV_BLOCKS);
    }

    @Override
    public void onKvStored(KvBlocksStored event) {
      final RequestView request = event.request();
      final Live each = event.group() == 0 ? live.get(request.id()) : null;
      if (each == null) {
        return;
      }
      for (int i = 0; i < event.count(); i++) {
        final int end = event.firstToken(i) + event.blockSize();
        final int block = end / blockSize - 1;
        if (end % blockSize == 0 && block < each.chain.length) {
          contents.stored(event.contentHash(i), each.chain[block], clock.nanoTime());
        }
      }
    }

    @Override
    public void onKvRemoved(KvBlockRemoved event) {
      if (event.group() == 0) {
        contents.removed(event.contentHash(), clock.nanoTime());
      }
    }

    @Override
    public void onKvCleared(KvCacheCleared event) {
      contents.cleared(clock.nanoTime());
    }
  }
}
