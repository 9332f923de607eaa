package dev.headway.probes.csv;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A small scheduler that decides at random what a real one could have decided, and writes down both
 * the records and, in the plainest way there is, what must come out of them.
 */
public final class RandomRun {

  private static final int BLOCK = 16;

  /** What must come out for one request. */
  public static final class Expected {
    public long arrivalNs;
    public long queuedNs;
    public long waitedNs;
    public long ranNs;
    public long longestNs;
    public int preemptions;
    public long outputs;
    public long computed;
    public long recomputed;
    public long firstTokenNs = -1;
    public long lastTokenNs = -1;
    public long completionNs = -1;
    public final Map<String, Long> waitedFor = new HashMap<>();
  }

  private static final class Sim {
    final long number;
    final String id;
    final int prompt;
    final int maxOutputs;
    final int priority;
    public final Expected expected = new Expected();
    long sinceNs;
    String bookedReason = "initial_waiting";
    long bookedSinceNs;
    @Nullable String own;
    boolean running;
    boolean preemptedOnce;
    boolean ended;
    int computed;
    int highWater;
    int known;
    int blocks;

    Sim(long number, String id, int prompt, int maxOutputs, int priority) {
      this.number = number;
      this.id = id;
      this.prompt = prompt;
      this.known = prompt;
      this.maxOutputs = maxOutputs;
      this.priority = priority;
    }
  }

  private record Entry(Sim request, boolean samples) {}

  private record InFlight(StepScript step, List<Entry> entries, long plannedNs) {}

  public final EventScript script;
  public final Map<String, Expected> expected = new HashMap<>();
  final List<Integer> runningCounts = new ArrayList<>();
  final List<Integer> waitingCounts = new ArrayList<>();

  private final Random random;
  private final int depth;
  private final Deque<InFlight> inFlight = new ArrayDeque<>();
  private final List<Sim> waiting = new ArrayList<>();
  private final List<Sim> running = new ArrayList<>();
  private long nowNs = 1;
  private long nextNumber;
  private long stepId;
  private int free = 24;
  private @Nullable String shared;
  private long sharedBlocker = -1;

  /** Makes a run of that many steps, up to {@code depth} of them in flight. */
  public RandomRun(long seed, int steps, int depth) {
    this.random = new Random(seed);
    this.depth = depth;
    this.script = new EventScript().run("full", Map.of("queuePolicy", "FCFS"));
    for (int i = 0; i < steps; i++) {
      arrivals();
      if (random.nextInt(20) == 0) {
        abort();
      }
      if (random.nextInt(40) == 0 && inFlight.isEmpty()) {
        resetCache();
      }
      step();
      while (inFlight.size() >= depth) {
        complete();
      }
    }
    while (!inFlight.isEmpty()) {
      complete();
    }
    script.runEnded(tick());
  }

  private long tick() {
    nowNs += random.nextInt(50);
    return nowNs;
  }

  private void arrivals() {
    for (int n = random.nextInt(3); n > 0; n--) {
      final Sim request =
          new Sim(
              nextNumber,
              "r" + nextNumber,
              1 + random.nextInt(100),
              1 + random.nextInt(12),
              random.nextInt(3));
      nextNumber++;
      final long queuedNs = tick();
      request.expected.arrivalNs = Math.max(0, queuedNs - random.nextInt(100));
      request.expected.queuedNs = queuedNs;
      request.sinceNs = queuedNs;
      request.bookedSinceNs = queuedNs;
      expected.put(request.id, request.expected);
      waiting.add(request);
      script.queued(
          request.number, request.id, request.expected.arrivalNs, queuedNs, request.prompt);
    }
  }

  private void abort() {
    final List<Sim> live = new ArrayList<>(waiting);
    live.addAll(running);
    if (!live.isEmpty()) {
      finish(live.get(random.nextInt(live.size())), stepId, "abort", tick());
    }
  }

  private void resetCache() {
    final long resetNs = tick();
    script.cacheReset("preempt_running", resetNs);
    while (!running.isEmpty()) {
      final Sim victim = running.get(running.size() - 1);
      script.preempted(stepId, victim.number, "cache_reset", -1, victim.computed, victim.blocks);
      script.blocked(stepId, victim.number, "evicted", -1, 0, 0);
      putBack(victim, "evicted", resetNs);
    }
    script.kvCleared();
  }

  private void step() {
    stepId++;
    final long beginNs = tick();
    final long endNs = tick();
    final StepScript step = new StepScript(stepId, beginNs, endNs);
    final List<Entry> entries = new ArrayList<>();
    final List<Sim> victims = new ArrayList<>();
    int budget = 64;
    for (int i = 0; i < running.size(); i++) {
      budget -= scheduleRunning(step, running.get(i), budget, entries, victims, endNs);
    }
    admit(step, budget, victims, entries, endNs);
    for (Sim request : waiting) {
      final String reason = request.own != null ? request.own : shared;
      book(request, endNs, reason);
    }
    step.counts(running.size(), waiting.size(), preemptedWaiting(), free);
    script.planned(step);
    runningCounts.add(running.size());
    waitingCounts.add(waiting.size());
    inFlight.add(new InFlight(step, entries, endNs));
  }

  private int preemptedWaiting() {
    return (int) waiting.stream().filter(request -> request.preemptedOnce).count();
  }

  private int scheduleRunning(
      StepScript step,
      Sim request,
      int budget,
      List<Entry> entries,
      List<Sim> victims,
      long endNs) {
    final int tokens = Math.min(request.known - request.computed, budget);
    if (tokens <= 0) {
      if (request.own == null) {
        request.own = "max_num_batched_tokens";
        script.blocked(stepId, request.number, request.own, -1, 1, 0);
      }
      return 0;
    }
    final int needed = blocksFor(request.computed + tokens) - request.blocks;
    while (free < needed) {
      final Sim victim = running.get(running.size() - 1);
      script.preempted(
          stepId, victim.number, "kv_blocks", request.number, victim.computed, victim.blocks);
      script.blocked(stepId, victim.number, "preempted", request.number, 0, 0);
      putBack(victim, "preempted", endNs);
      victims.add(victim);
      if (victim == request) {
        return 0;
      }
    }
    if (request.own != null) {
      request.own = null;
      script.unblocked(stepId, request.number);
    }
    take(step, request, tokens, needed, entries);
    return tokens;
  }

  private void admit(
      StepScript step, int budget, List<Sim> victims, List<Entry> entries, long endNs) {
    int left = budget;
    String closed = victims.isEmpty() ? null : "preemption_in_step";
    long blocker = -1;
    while (closed == null && !waiting.isEmpty()) {
      final Sim head = waiting.get(0);
      if (running.size() == 6) {
        closed = "max_num_seqs";
      } else if (left == 0) {
        closed = "max_num_batched_tokens";
      } else {
        final int cached = random.nextInt(4) == 0 ? Math.min(BLOCK, head.prompt - 1) : 0;
        final int tokens = Math.min(head.known - cached, left);
        final int needed = blocksFor(cached + tokens);
        if (free < needed) {
          closed = "head_of_line";
          blocker = head.number;
          if (!"memory_insufficient".equals(head.own)) {
            head.own = "memory_insufficient";
            script.blocked(stepId, head.number, head.own, -1, needed, free);
          }
        } else {
          seat(head, cached, endNs);
          take(step, head, tokens, needed, entries);
          left -= tokens;
        }
      }
    }
    clearUnexamined(victims);
    if (closed != null
        && !waiting.isEmpty()
        && !(closed.equals(shared) && blocker == sharedBlocker)) {
      shared = closed;
      sharedBlocker = blocker;
      script.closed(stepId, closed, blocker);
    }
  }

  private void clearUnexamined(List<Sim> victims) {
    for (Sim request : waiting) {
      final boolean examined =
          "memory_insufficient".equals(request.own) && waiting.get(0) == request;
      if (request.own != null && !examined && !victims.contains(request)) {
        request.own = null;
        script.unblocked(stepId, request.number);
      }
    }
  }

  private void seat(Sim head, int cached, long endNs) {
    waiting.remove(0);
    running.add(head);
    if (head.preemptedOnce) {
      script.resumed(stepId, head.number, cached, random.nextInt(2) * 16);
    } else {
      script.admitted(stepId, head.number, cached);
    }
    book(head, endNs, "");
    final long waitedNs = endNs - head.sinceNs;
    head.expected.waitedNs += waitedNs;
    head.expected.longestNs = Math.max(head.expected.longestNs, waitedNs);
    head.sinceNs = endNs;
    head.running = true;
    head.own = null;
    head.computed = cached;
    head.preemptedOnce = false;
  }

  private void take(StepScript step, Sim request, int tokens, int newBlocks, List<Entry> entries) {
    free -= newBlocks;
    request.blocks += newBlocks;
    final int end = request.computed + tokens;
    final boolean samples = end == request.known;
    step.entry(request.number, tokens, request.computed, samples, request.blocks, newBlocks);
    request.expected.computed += tokens;
    for (int token = request.computed; token < end; token++) {
      request.expected.recomputed += token < request.highWater ? 1 : 0;
    }
    request.computed = end;
    request.highWater = Math.max(request.highWater, end);
    if (samples) {
      request.known++; // a placeholder until its output is there
    }
    entries.add(new Entry(request, samples));
  }

  private void complete() {
    final InFlight done = inFlight.removeFirst();
    final long submitNs = Math.max(done.plannedNs, nowNs);
    final long outputNs = submitNs + 1 + random.nextInt(100);
    nowNs = outputNs;
    final int[] produced = new int[done.entries.size()];
    for (int i = 0; i < produced.length; i++) {
      final Entry entry = done.entries.get(i);
      final Sim request = entry.request;
      if (entry.samples && !request.ended) {
        produced[i] = 1;
        final Expected expectation = request.expected;
        expectation.lastTokenNs = outputNs;
        if (++expectation.outputs == 1) {
          expectation.firstTokenNs = outputNs;
          script.firstToken(done.step.plan().stepId(), request.number, outputNs);
        }
        if (expectation.outputs == request.maxOutputs) {
          finish(request, done.step.plan().stepId(), "length", outputNs);
        }
      }
    }
    script.completed(done.step.done(submitNs, outputNs, tick(), produced));
  }

  private void putBack(Sim victim, String reason, long atNs) {
    running.remove(victim);
    waiting.add(0, victim);
    free += victim.blocks;
    victim.blocks = 0;
    victim.computed = 0;
    victim.expected.ranNs += atNs - victim.sinceNs;
    victim.sinceNs = atNs;
    victim.running = false;
    victim.preemptedOnce = true;
    victim.own = reason;
    victim.bookedReason = reason;
    victim.bookedSinceNs = atNs;
    victim.expected.preemptions++;
  }

  private void finish(Sim request, long step, String reason, long atNs) {
    if (request.running) {
      running.remove(request);
      request.expected.ranNs += atNs - request.sinceNs;
    } else {
      waiting.remove(request);
      book(request, atNs, "");
      final long waitedNs = atNs - request.sinceNs;
      request.expected.waitedNs += waitedNs;
      request.expected.longestNs = Math.max(request.expected.longestNs, waitedNs);
    }
    free += request.blocks;
    script.finished(step, request.number, reason, request.blocks, atNs);
    request.blocks = 0;
    request.ended = true;
    request.expected.completionNs = atNs;
  }

  private static void book(Sim request, long atNs, @Nullable String next) {
    request.expected.waitedFor.merge(request.bookedReason, atNs - request.bookedSinceNs, Long::sum);
    request.bookedReason = next == null ? "unknown" : next;
    request.bookedSinceNs = atNs;
  }

  private static int blocksFor(int tokens) {
    return (tokens + BLOCK - 1) / BLOCK;
  }
}
