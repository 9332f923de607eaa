package dev.headway.events.scenario;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.Request;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A real engine in virtual time with three seats and too few KV blocks, for tests of figures. In it
 * are, as its own test asserts:
 *
 * <ul>
 *   <li>preemptions, one of a request that resumes and computes tokens again;
 *   <li>a preempted request whose cached blocks go to others;
 *   <li>{@code overdue}, which has tokens, is preempted and ends by its deadline before it resumes;
 *   <li>waits that share the reason {@code max_num_seqs} of closed admissions, and have none of
 *       their own;
 *   <li>prompts found in the prefix cache, and a rejected request, {@code too-long}.
 * </ul>
 *
 * <p>Every run is the same. One thread.
 */
public final class EventfulRun {

  /** Tokens of a KV block. */
  public static final int BLOCK_SIZE = 4;

  private static final int SEATS = 3;
  private static final int USABLE_BLOCKS = 21;
  private static final int LONGEST = 80;
  private static final int LATE_REQUESTS = 24;
  private static final int VOCABULARY_SIZE = 1_000;
  private static final double DRAFT_ACCEPTANCE = 0.6;

  private final int drafts;
  private final Map<String, List<Long>> tokensNs = new TreeMap<>();

  private EventfulRun(int drafts) {
    this.drafts = drafts;
  }

  /** A run in which each step gives a request at most one token. */
  public static EventfulRun plain() {
    return new EventfulRun(0);
  }

  /** A run with two draft tokens a step, some of which are accepted. */
  public static EventfulRun withDrafts() {
    return new EventfulRun(2);
  }

  /** A request and when it arrives. */
  private record Arrival(long atNs, Request.Builder request) {}

  /** Runs to the end, observed by {@code probes}, and closes the engine. */
  public EventfulRun run(Probe... probes) {
    return run((request, atNs) -> {}, probes);
  }

  /** What is notified of each request before the engine gets it. */
  @FunctionalInterface
  public interface Submissions {
    /** A request will be submitted with this arrival. */
    void before(Request request, long arrivalNs);
  }

  /** The same; {@code submissions} is notified of each request. */
  public EventfulRun run(Submissions submissions, Probe... probes) {
    final VirtualClock clock = new VirtualClock();
    final EngineBuilder builder = engine(clock);
    for (Probe probe : probes) {
      builder.probe(probe);
    }
    try (Engine engine = builder.build()) {
      for (Arrival arrival : arrivals()) {
        while (clock.nanoTime() < arrival.atNs && engine.step()) {
          continue;
        }
        clock.sleepUntil(arrival.atNs);
        final Request request = arrival.request.build();
        submissions.before(request, arrival.atNs);
        engine.submit(request, new Listener(request.id(), clock), arrival.atNs);
      }
      while (engine.step()) {
        continue;
      }
    }
    return this;
  }

  /** When a client got each token of a request, in nanoseconds; empty if it got none. */
  public List<Long> tokensNs(String id) {
    return tokensNs.getOrDefault(id, List.of());
  }

  /** Ids of the requests that got a token, and when each came. */
  public void forEachWithTokens(Consumer<Map.Entry<String, List<Long>>> action) {
    tokensNs.entrySet().forEach(action);
  }

  private EngineBuilder engine(VirtualClock clock) {
    final SchedulerConfig.Builder config =
        SchedulerConfig.builder(
            SchedulerLimits.builder()
                .maxNumSeqs(SEATS)
                .maxNumBatchedTokens(48)
                .maxModelLen(LONGEST)
                .build());
    if (drafts > 0) {
      config.speculation(SpeculationOptions.of(SpeculativeMethod.NGRAM, drafts));
    }
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(BLOCK_SIZE).blocks(USABLE_BLOCKS + 1).build())
            .maxNumSeqs(SEATS)
            .vocabularySize(VOCABULARY_SIZE)
            .build();
    return HeadwayEngine.builder(
            new SimulatedExecutor(
                shape, new LinearLatencyModel(1_003, 11, 7, 1), clock, 1, DRAFT_ACCEPTANCE))
        .config(config.build())
        .clock(clock);
  }

  /** Three that fill the memory, the last of them overdue soon; two behind; then a steady load. */
  private static List<Arrival> arrivals() {
    final List<Arrival> arrivals = new ArrayList<>();
    arrivals.add(new Arrival(0, request("first", 16, 40)));
    arrivals.add(new Arrival(100, request("second", 16, 36)));
    arrivals.add(new Arrival(200, request("overdue", 16, 40).timeout(Duration.ofNanos(24_000))));
    arrivals.add(new Arrival(300, request("fourth", 12, 30).tenant("other")));
    arrivals.add(new Arrival(400, request("fifth", 20, 44)));
    arrivals.add(new Arrival(500, request("too-long", LONGEST + 1, 5)));
    final Random random = new Random(7);
    long atNs = 30_000;
    for (int i = 0; i < LATE_REQUESTS; i++) {
      final String prompt = i % 3 == 0 ? "shared" : "late-" + i;
      arrivals.add(
          new Arrival(
              atNs,
              request("late-" + i, prompt, 8 + random.nextInt(20), 2 + random.nextInt(30))
                  .tenant(i % 2 == 0 ? "one" : "other")));
      atNs += random.nextInt(14_000);
    }
    return arrivals;
  }

  private static Request.Builder request(String id, int promptTokens, int outputs) {
    return request(id, id, promptTokens, outputs).tenant("one");
  }

  private static Request.Builder request(String id, String name, int promptTokens, int outputs) {
    final int[] prompt = new int[promptTokens];
    for (int i = 0; i < promptTokens; i++) {
      prompt[i] = Math.floorMod(31 * name.hashCode() + i, VOCABULARY_SIZE);
    }
    return Request.builder(id, prompt).maxTokens(outputs);
  }

  private final class Listener implements TokenListener {

    private final String id;
    private final VirtualClock clock;

    Listener(String id, VirtualClock clock) {
      this.id = id;
      this.clock = clock;
    }

    @Override
    public void onToken(int index, int tokenId) {
      tokensNs.computeIfAbsent(id, key -> new ArrayList<>()).add(clock.nanoTime());
    }
  }
}
