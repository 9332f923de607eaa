package dev.headway.probes.otel.metric;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Figures that meters read. One thread writes, any reads.
 *
 * <p>Counters are functions of figures kept here, so that a registry that is bound late has missed
 * nothing. Meters refer to figures weakly; this holds them.
 */
final class MeterFigures implements LoadFigures {

  private static final double NS_PER_SECOND = 1e9;

  private final Registries registries;
  private final Tags tags;
  private final AtomicInteger running = new AtomicInteger();
  private final Map<String, AtomicInteger> waiting = new HashMap<>();
  private final Map<String, AtomicLong> waitedNs = new HashMap<>();
  private final Map<String, AtomicLong> finished = new HashMap<>();
  private final Map<String, AtomicLong> rejected = new HashMap<>();
  private final Map<String, AtomicLong> preempted = new HashMap<>();
  private final AtomicLong promptTokens;
  private final AtomicLong generatedTokens;
  private final AtomicLong droppedRecords;
  private final Registries.Durations firstToken;
  private final Registries.Durations interToken;
  private final Registries.Durations queue;
  private volatile double kvUsage;

  MeterFigures(Registries registries, Iterable<Tag> tags) {
    this.registries = registries;
    this.tags = Tags.of(tags);
    registries.register(
        Gauge.builder(MeterNames.RUNNING, running, AtomicInteger::get)
                .description("Requests that run.")
                .tags(this.tags)
            ::register);
    registries.register(
        Gauge.builder(MeterNames.KV_USAGE, this, figures -> figures.kvUsage)
                .description("Share of KV blocks in use, 0 to 1.")
                .tags(this.tags)
            ::register);
    final String help = "Tokens of prompts that were completed, and tokens generated.";
    promptTokens = counter(MeterNames.TOKENS, help, this.tags.and(MeterNames.TYPE, "prompt"));
    generatedTokens = counter(MeterNames.TOKENS, help, this.tags.and(MeterNames.TYPE, "generated"));
    droppedRecords =
        counter(MeterNames.DROPPED_RECORDS, "Records that there was no room for.", this.tags);
    firstToken = timer(MeterNames.TIME_TO_FIRST_TOKEN, "From arrival to the first token.");
    interToken = timer(MeterNames.INTER_TOKEN_LATENCY, "Between steps that gave a request tokens.");
    queue = timer(MeterNames.QUEUE_TIME, "Each stay in the queue, those after a preemption too.");
  }

  @Override
  public void requests(int nowRunning, int nowWaiting, int deferred) {
    running.set(nowRunning);
  }

  @Override
  public void blocks(int free, int usable) {
    kvUsage = usable == 0 ? 0 : 1 - (double) free / usable;
  }

  @Override
  public void idle(int usable) {
    kvUsage = 0;
  }

  @Override
  public void waiting(String reason, int requests) {
    waiting.computeIfAbsent(reason, this::waitingGauge).set(requests);
  }

  @Override
  public void waited(String reason, long durationNs) {
    waitedNs.computeIfAbsent(reason, this::waitedCounter).addAndGet(durationNs);
  }

  void finished(String reason) {
    finished
        .computeIfAbsent(
            reason,
            word -> by(MeterNames.FINISHED, "Requests that ended.", MeterNames.REASON, word))
        .incrementAndGet();
  }

  void rejected(String reason) {
    rejected
        .computeIfAbsent(
            reason,
            word ->
                by(MeterNames.REJECTED, "Requests refused at submission.", MeterNames.REASON, word))
        .incrementAndGet();
  }

  void preempted(String cause) {
    preempted
        .computeIfAbsent(
            cause, word -> by(MeterNames.PREEMPTED, "Preemptions.", MeterNames.CAUSE, word))
        .incrementAndGet();
  }

  void promptTokens(int tokens) {
    promptTokens.addAndGet(tokens);
  }

  void generatedTokens(int tokens) {
    generatedTokens.addAndGet(tokens);
  }

  void droppedRecords(long records) {
    droppedRecords.addAndGet(records);
  }

  void firstToken(long durationNs) {
    firstToken.record(durationNs);
  }

  void interToken(long durationNs) {
    interToken.record(durationNs);
  }

  void queued(long durationNs) {
    queue.record(durationNs);
  }

  private AtomicInteger waitingGauge(String reason) {
    final AtomicInteger requests = new AtomicInteger();
    registries.register(
        Gauge.builder(MeterNames.WAITING, requests, AtomicInteger::get)
                .description("Requests that wait, by reason.")
                .tags(tags.and(MeterNames.REASON, reason))
            ::register);
    return requests;
  }

  private AtomicLong waitedCounter(String reason) {
    final AtomicLong durationNs = new AtomicLong();
    registries.register(
        FunctionCounter.builder(MeterNames.WAITED, durationNs, ns -> ns.get() / NS_PER_SECOND)
                .description("Time that requests have waited, by reason.")
                .baseUnit("seconds")
                .tags(tags.and(MeterNames.REASON, reason))
            ::register);
    return durationNs;
  }

  private AtomicLong by(String name, String help, String tag, String word) {
    return counter(name, help, tags.and(tag, word));
  }

  private AtomicLong counter(String name, String help, Tags all) {
    final AtomicLong count = new AtomicLong();
    registries.register(
        FunctionCounter.builder(name, count, AtomicLong::get).description(help).tags(all)
            ::register);
    return count;
  }

  private Registries.Durations timer(String name, String help) {
    return registries.timer(Timer.builder(name).description(help).tags(tags));
  }
}
