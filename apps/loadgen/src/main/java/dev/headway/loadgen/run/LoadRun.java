package dev.headway.loadgen.run;

import dev.headway.loadgen.arrival.Pacer;
import dev.headway.loadgen.client.Call;
import dev.headway.loadgen.client.Exchange;
import dev.headway.loadgen.client.Exchange.Status;
import dev.headway.loadgen.client.Target;
import dev.headway.loadgen.dataset.BenchRequest;
import dev.headway.loadgen.dataset.Prompt;
import dev.headway.loadgen.dataset.PromptMaker;
import dev.headway.loadgen.metrics.OverSaturation;
import dev.headway.loadgen.run.RunResult.End;
import dev.headway.routing.timing.HostClock;
import dev.headway.routing.timing.TimingStage;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends a load once. A thread of its own lets requests go at their times and never waits for an
 * answer; answers are recorded by the target's threads.
 *
 * <p>{@link #run} once, by any thread, which it blocks; {@link #stop} by any other.
 */
@SuppressWarnings("FutureReturnValueIgnored") // of the timer's tasks, which catch what they throw
public final class LoadRun {

  /** In the ids of requests that are sent before the load. */
  public static final String WARM_UP = "warmup-";

  private static final long LEAD_NS = 5_000_000;
  private static final long CHECK_EVERY_MS = 100;
  private static final long WARMUP_TIMEOUT_S = 600;
  private static final long ABORT_TIMEOUT_S = 10;
  private static final int MOST_WARMUP_TOKENS = 32;
  private static final double NS_PER_SECOND = 1e9;

  private final Target target;
  private final PromptMaker prompts;
  private final List<BenchRequest> requests;
  private final RunOptions options;
  private final IntConsumer progress;
  private final Gate gate;
  private final Queue<RunRecord> records = new ConcurrentLinkedQueue<>();
  private final Queue<RunRecord> probes = new ConcurrentLinkedQueue<>();
  private final AtomicInteger released = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();
  private final AtomicInteger failed = new AtomicInteger();
  private final AtomicInteger probesUnderWay = new AtomicInteger();
  private final AtomicLong lastEndNs = new AtomicLong();
  private final AtomicLong nextSlotNs = new AtomicLong();
  private final AtomicReference<@Nullable End> stopped = new AtomicReference<>();
  private final OverSaturation saturation = new OverSaturation();
  private final ScheduledExecutorService timer;
  private volatile long originNs;
  private volatile boolean allReleased;

  /**
   * Prepares a run.
   *
   * @param requests at least one
   * @param progress is given the number of requests that have ended, now and then, on the thread
   *     that runs
   */
  public LoadRun(
      Target target,
      PromptMaker prompts,
      List<BenchRequest> requests,
      RunOptions options,
      IntConsumer progress) {
    this.target = target;
    this.prompts = prompts;
    this.requests = List.copyOf(requests);
    this.options = options;
    this.progress = progress;
    this.gate = new Gate(options.limits().maxConcurrency());
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("headway-bench-timer").factory());
  }

  /** Ends the run early: nothing more is sent, and what is under way is ended. */
  public void stop() {
    stopped.compareAndSet(null, End.STOPPED);
  }

  /**
   * Warms up, sends the load, and waits for its end.
   *
   * @throws IOException if every request of the warm-up failed
   */
  public RunResult run() throws IOException, InterruptedException {
    try {
      final List<RunRecord> warm = warmUp();
      if (options.resetsCache()) {
        target.resetCache();
      }
      final Map<String, Double> before = target.counters();
      final Instant startedAt = Instant.now();
      originNs = HostClock.nanoTime() + LEAD_NS;
      lastEndNs.set(originNs);
      final Thread pacer =
          Thread.ofPlatform().daemon().name("headway-bench-pacer").start(this::release);
      final Thread prober = options.probeRate() > 0 ? startProber() : null;
      watch();
      pacer.join();
      if (stopped.get() != null) {
        endAll();
      }
      progress.accept(ended.get());
      final long durationNs = Math.max(1, lastEndNs.get() - originNs);
      if (prober != null) {
        prober.join();
        awaitProbes();
      }
      return result(startedAt, durationNs, warm, grown(before, target.counters()));
    } finally {
      timer.shutdownNow();
    }
  }

  private static Map<String, Double> grown(Map<String, Double> before, Map<String, Double> after) {
    final Map<String, Double> grown = new TreeMap<>();
    after.forEach((name, value) -> grown.put(name, value - before.getOrDefault(name, 0.0)));
    return grown;
  }

  private RunResult result(
      Instant startedAt, long durationNs, List<RunRecord> warm, Map<String, Double> counters) {
    final List<RunRecord> all = new ArrayList<>(records);
    all.sort(Comparator.comparingInt(RunRecord::index));
    all.addAll(0, warm);
    final End end = stopped.get();
    return new RunResult(
        startedAt,
        originNs,
        durationNs,
        all,
        List.copyOf(probes),
        requests.size(),
        plannedRate(),
        counters,
        end == null ? End.COMPLETE : end);
  }

  private double plannedRate() {
    if (!(options.arrivals() instanceof Arrivals.OpenLoop open)) {
      return Double.NaN;
    }
    final int count = Math.min(open.offsetsNs().length, requests.size());
    final long lastNs = count == 0 ? 0 : open.offsetsNs()[count - 1];
    return lastNs == 0 ? Double.POSITIVE_INFINITY : count * NS_PER_SECOND / lastNs;
  }

  private List<RunRecord> warmUp() throws IOException, InterruptedException {
    final BenchRequest first = requests.getFirst();
    final BenchRequest small =
        first.withOutputTokens(Math.min(MOST_WARMUP_TOKENS, first.shape().outputTokens()));
    final Queue<RunRecord> warm = new ConcurrentLinkedQueue<>();
    final CountDownLatch left = new CountDownLatch(options.warmups());
    for (int i = 0; i < options.warmups(); i++) {
      final Consumer<RunRecord> onEnd =
          record -> {
            warm.add(record);
            left.countDown();
          };
      send(begin(i - options.warmups(), options.idPrefix() + WARM_UP + i, small, true, onEnd));
    }
    if (!left.await(WARMUP_TIMEOUT_S, TimeUnit.SECONDS)) {
      target.abort();
    }
    if (options.warmups() > 0 && warm.stream().noneMatch(RunRecord::isOk)) {
      throw new IOException(
          "every warm-up request failed: "
              + warm.stream().map(r -> r.exchange().error()).findFirst().orElse("no answer"));
    }
    return warm.stream().sorted(Comparator.comparingInt(RunRecord::index)).toList();
  }

  /** On the pacing thread. */
  private void release() {
    switch (options.arrivals()) {
      case Arrivals.OpenLoop open -> {
        final long[] offsetsNs =
            Arrays.copyOf(open.offsetsNs(), Math.min(open.offsetsNs().length, requests.size()));
        new Pacer(() -> stopped.get() != null).run(originNs, offsetsNs, this::arrive);
      }
      case Arrivals.ClosedLoop closed -> {
        final int users = Math.min(closed.users(), requests.size());
        new Pacer(() -> stopped.get() != null)
            .run(originNs, new long[users], (user, intendedNs) -> arriveNext());
        return; // the last end says that all were released
      }
    }
    allReleased = true;
  }

  /** The next request of a user; whether there was one. */
  private void arriveNext() {
    final int index = released.get();
    final long nowNs = HostClock.nanoTime();
    if (stopped.get() == null && index < requests.size()) {
      if (released.compareAndSet(index, index + 1)) {
        arrive(index, nowNs, nowNs);
      } else {
        arriveNext();
      }
    } else {
      allReleased = true;
    }
  }

  private void arrive(int index, long intendedNs) {
    released.incrementAndGet();
    arrive(index, intendedNs, HostClock.nanoTime());
  }

  private void arrive(int index, long intendedNs, long nowNs) {
    final Pending pending =
        begin(index, options.idPrefix() + index, requests.get(index), false, this::ended);
    pending.exchange.at().set(TimingStage.INTENDED, intendedNs).set(TimingStage.ARRIVED, nowNs);
    gate.enter(() -> inSlot(pending));
  }

  /** With a strict rate, places that become free together are not used together. */
  private void inSlot(Pending pending) {
    final double rate = options.limits().strictRate();
    if (rate <= 0) {
      send(pending);
      return;
    }
    final long gapNs = Math.round(NS_PER_SECOND / rate);
    final long nowNs = HostClock.nanoTime();
    final long slotNs =
        nextSlotNs.getAndUpdate(next -> Math.max(next, nowNs) + gapNs); // the slot before this one
    final long waitNs = Math.max(slotNs, nowNs) - nowNs;
    if (waitNs == 0) {
      send(pending);
    } else {
      timer.schedule(() -> send(pending), waitNs, TimeUnit.NANOSECONDS);
    }
  }

  private record Pending(Call call, Exchange exchange, AtomicLong releasedNs) {}

  private Pending begin(
      int index, String id, BenchRequest request, boolean warmup, Consumer<RunRecord> onEnd) {
    final AtomicLong releasedNs = new AtomicLong();
    final Exchange exchange =
        new Exchange(
            options.keepsTexts(),
            done ->
                onEnd.accept(new RunRecord(index, id, request, warmup, releasedNs.get(), done)));
    final long nowNs = HostClock.nanoTime();
    exchange.at().set(TimingStage.INTENDED, nowNs).set(TimingStage.ARRIVED, nowNs);
    final Call call =
        new Call(
            id,
            () -> prompts.of(request),
            request.shape().inputTokens(),
            request.shape().outputTokens(),
            request.shape().priority(),
            request.shape().tenant());
    return new Pending(call, exchange, releasedNs);
  }

  private void send(Pending pending) {
    pending.releasedNs.set(HostClock.nanoTime());
    if (stopped.get() != null) {
      pending.exchange.failed(Status.ABORTED, HostClock.nanoTime(), "the run ended before it");
      return;
    }
    target.send(pending.call, pending.exchange);
  }

  /** On the target's thread. */
  private void ended(RunRecord record) {
    records.add(record);
    final RequestEnd end = new RequestEnd(record, originNs);
    lastEndNs.accumulateAndGet(end.doneNs(), Math::max);
    if (record.isOk()) {
      if (record.exchange().chunks() > 0) {
        saturation.firstToken(end.firstTokenSeconds(), end.ttftSeconds());
      }
    } else if (!record.isAborted() && failed.incrementAndGet() >= options.limits().maxErrors()) {
      stopped.compareAndSet(null, End.MAX_ERRORS);
    }
    gate.leave();
    ended.incrementAndGet();
    if (options.arrivals() instanceof Arrivals.ClosedLoop closed) {
      if (closed.thinkSeconds() > 0 && stopped.get() == null) {
        timer.schedule(
            this::arriveNext,
            Math.round(closed.thinkSeconds() * NS_PER_SECOND),
            TimeUnit.NANOSECONDS);
      } else {
        arriveNext();
      }
    }
  }

  /** On the thread that runs. */
  private void watch() throws InterruptedException {
    final double maxNs = options.limits().maxSeconds() * NS_PER_SECOND;
    while (!isOver()) {
      Thread.sleep(CHECK_EVERY_MS);
      progress.accept(ended.get());
      final long atNs = HostClock.nanoTime() - originNs;
      saturation.underWay(atNs / NS_PER_SECOND, released.get() - ended.get());
      if (atNs > maxNs) {
        stopped.compareAndSet(null, End.MAX_SECONDS);
      }
      if (options.limits().stopsOverSaturated() && saturation.isReached(atNs / NS_PER_SECOND)) {
        stopped.compareAndSet(null, End.OVER_SATURATED);
      }
      if (stopped.get() != null) {
        return;
      }
    }
  }

  /** Once nothing more is let go: those that wait are not sent any more, the others are ended. */
  private void endAll() throws InterruptedException {
    gate.clear().forEach(Runnable::run);
    final long untilNs = HostClock.nanoTime() + TimeUnit.SECONDS.toNanos(ABORT_TIMEOUT_S);
    while (ended.get() < released.get() && HostClock.nanoTime() < untilNs) {
      target.abort();
      Thread.sleep(1);
    }
  }

  private boolean isOver() {
    return allReleased && ended.get() == released.get();
  }

  private Thread startProber() {
    return Thread.ofPlatform()
        .daemon()
        .name("headway-bench-probe")
        .start(
            () -> {
              final long gapNs = Math.round(NS_PER_SECOND / options.probeRate());
              final Pacer pacer = new Pacer(() -> stopped.get() != null || isOver());
              for (int i = 1; ; i++) {
                final int index = i - 1;
                final int sent =
                    pacer.run(originNs, new long[] {i * gapNs}, (k, atNs) -> probe(index, atNs));
                if (sent == 0) {
                  return;
                }
              }
            });
  }

  private void probe(int index, long intendedNs) {
    probesUnderWay.incrementAndGet();
    final BenchRequest shape = requests.getFirst();
    final BenchRequest one =
        new BenchRequest(
            shape.shape().withRequestId("probe-" + index).withLengths(1, 1),
            shape.prompt() instanceof Prompt.Text ? new Prompt.Text("a") : null);
    final Pending pending =
        begin(
            index,
            options.idPrefix() + "probe-" + index,
            one,
            false,
            record -> {
              probes.add(record);
              probesUnderWay.decrementAndGet();
            });
    pending
        .exchange
        .at()
        .set(TimingStage.INTENDED, intendedNs)
        .set(TimingStage.ARRIVED, HostClock.nanoTime());
    send(pending);
  }

  private void awaitProbes() throws InterruptedException {
    final long untilNs = HostClock.nanoTime() + TimeUnit.SECONDS.toNanos(WARMUP_TIMEOUT_S);
    while (probesUnderWay.get() > 0 && HostClock.nanoTime() < untilNs) {
      Thread.sleep(1);
    }
  }

  /** The instants of an end that the watch needs. */
  private record RequestEnd(RunRecord record, long originNs) {
    long doneNs() {
      return record.exchange().at().ns(TimingStage.CLIENT_DONE);
    }

    double firstTokenSeconds() {
      return (record.exchange().at().ns(TimingStage.CLIENT_FIRST) - originNs) / NS_PER_SECOND;
    }

    double ttftSeconds() {
      return record.exchange().at().durationNs(TimingStage.SENT, TimingStage.CLIENT_FIRST)
          / NS_PER_SECOND;
    }
  }
}
