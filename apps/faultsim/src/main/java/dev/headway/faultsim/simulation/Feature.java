package dev.headway.faultsim.simulation;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Something that a scenario may contain. Each seed turns a random part of them on: a bug that needs
 * two features alone is not hidden by the fifty others (swarm testing; Groce and others, 2012).
 */
public enum Feature {
  /** Prompts are computed whole. */
  CHUNKED_PREFILL_OFF(Kind.SETTING),
  /** A cap on the tokens of a request in a step. */
  LONG_PREFILL_THRESHOLD(Kind.SETTING),
  /** That cap does not apply to the only request. */
  LONE_PREFILL_UNCAPPED(Kind.SETTING),
  /** A second budget, of scheduled tokens. */
  SCHEDULED_TOKENS_LIMIT(Kind.SETTING),
  /** Steps that hold little more than a token for each request. */
  SMALL_STEPS(Kind.SETTING),
  /** Fewer active requests than seats. */
  ACTIVE_SEQS_LIMIT(Kind.SETTING),
  /** A bound on the prompts that are computed in parts. */
  PARTIAL_PREFILLS(Kind.SETTING),
  /** Requests run by priority. */
  PRIORITY(Kind.SETTING),
  /** Waiting requests displace running ones. */
  DISPLACEMENT(Kind.SETTING),
  /** No prefix cache. */
  PREFIX_CACHE_OFF(Kind.SETTING),
  /** Prefixes that match in smaller units than blocks. */
  MATCH_UNIT(Kind.SETTING),
  /** More is retained in windows and states than boundaries. */
  RETENTION(Kind.SETTING),
  /** Blocks are kept in host memory. */
  HOST_TIER(Kind.SETTING),
  /** Requests are admitted with room for their next chunk only. */
  NEXT_CHUNK_GATE(Kind.SETTING),
  /** Blocks that admissions leave free. */
  WATERMARK(Kind.SETTING),
  /** A bound on what waits. */
  QUEUE_LIMITS(Kind.SETTING),
  /** A full queue evicts the worst of those that wait, where there are priorities. */
  EVICTIONS(Kind.SETTING),
  /** A short submission queue. */
  SHORT_INTAKE(Kind.SETTING),
  /** A bound on the adapters of a step. */
  LORA_LIMIT(Kind.SETTING),
  /** An adapter that waits for too long lets others run dry. */
  LORA_DRAIN(Kind.SETTING),
  /** Prompts are computed in every Nth step only. */
  PREFILL_INTERVAL(Kind.SETTING),
  /** Draft tokens. */
  SPECULATION(Kind.SETTING),
  /** Drafts proposed at once, which takes slots. */
  PARALLEL_DRAFTING(Kind.SETTING),
  /** Fewer drafts for larger batches. */
  DRAFTS_PER_BATCH_SIZE(Kind.SETTING),
  /** Steps are planned ahead of outputs. */
  ASYNC(Kind.SETTING),
  /** Several stages of the executor. */
  PIPELINE(Kind.SETTING),
  /** The second generation of the model runner. */
  MODEL_RUNNER_V2(Kind.SETTING),
  /** Prompts have images, and the executor has an encoder. */
  ITEMS(Kind.SETTING),
  /** KV comes from outside the engine, or goes there. */
  KV_CONNECTOR(Kind.SETTING),
  /** A bound on the tokens in flight. */
  IN_FLIGHT_LIMIT(Kind.SETTING),
  /** Room for few requests. */
  SMALL_CACHE(Kind.SETTING),
  /** Contexts of hundreds of tokens. */
  LONG_CONTEXT(Kind.SETTING),
  /** A group of layers with a window. */
  SLIDING_WINDOW(Kind.SETTING),
  /** A group of layers with local chunks. */
  CHUNKED_LOCAL(Kind.SETTING),
  /** A group of layers with recurrent states. */
  RECURRENT(Kind.SETTING),
  /** No group that keeps the whole context. */
  NO_FULL_ATTENTION(Kind.SETTING),
  /** Groups with blocks of different sizes. */
  MIXED_BLOCK_SIZES(Kind.SETTING),
  /** The engine ends when its executor fails. */
  STOP_ON_FAILURE(Kind.SETTING),

  /** An order, by name. */
  NAMED_ORDER(Kind.POLICY),
  /** A choice of victims, by name. */
  NAMED_VICTIM(Kind.POLICY),
  /** A capacity policy, by name. */
  NAMED_CAPACITY(Kind.POLICY),
  /** A chunking policy, by name. */
  NAMED_CHUNKING(Kind.POLICY),
  /** A budget of tokens, by name. */
  NAMED_BUDGET(Kind.POLICY),
  /** The worst policies that a user could write, and all answers possible. */
  USER_POLICIES(Kind.POLICY),
  /** A gate that sets requests aside for a time. */
  GATE_HOLDS(Kind.POLICY),
  /** Policies that answer what is impossible. */
  NONSENSE_POLICIES(Kind.POLICY),
  /** Policies that throw. */
  THROWING_POLICIES(Kind.POLICY),

  /** Prompts that share beginnings. */
  SHARED_PREFIXES(Kind.REQUEST),
  /** Requests with salts. */
  SALTS(Kind.REQUEST),
  /** Requests that skip the prefix cache. */
  SKIPPED_REUSE(Kind.REQUEST),
  /** Requests with adapters. */
  ADAPTERS(Kind.REQUEST),
  /** Requests that end at tokens. */
  STOP_TOKENS(Kind.REQUEST),
  /** Requests that must not end early. */
  MIN_TOKENS(Kind.REQUEST),
  /** Requests that end when they repeat. */
  REPETITION(Kind.REQUEST),
  /** Requests that time out. */
  DEADLINES(Kind.REQUEST),
  /** Requests that may wait or run only for so long. */
  PHASE_TIMEOUTS(Kind.REQUEST),
  /** Requests with targets for their first token. */
  TTFT_TARGETS(Kind.REQUEST),
  /** Requests of several tenants. */
  TENANTS(Kind.REQUEST),
  /** Requests with log-probabilities. */
  LOGPROBS(Kind.REQUEST),
  /** Requests that something outside holds back. */
  HOLDS(Kind.REQUEST),
  /** Requests that go on with further input. */
  SESSIONS(Kind.REQUEST),
  /** Blocks are kept by priority, for a time, or pinned. */
  KV_RETENTION(Kind.REQUEST),
  /** Requests that cannot be served. */
  UNSERVABLE(Kind.REQUEST),
  /** Requests with ids of others. */
  DUPLICATE_IDS(Kind.REQUEST),
  /** Requests with long outputs. */
  LONG_OUTPUTS(Kind.REQUEST),

  /** Many requests at once, then none. */
  BURSTS(Kind.OPERATION),
  /** Requests are cancelled. */
  CANCELS(Kind.OPERATION),
  /** Requests are stopped as complete. */
  STOPS(Kind.OPERATION),
  /** The prefix cache is reset. */
  RESETS(Kind.OPERATION),
  /** Scheduling is paused. */
  PAUSES(Kind.OPERATION),
  /** Time passes between two steps: a second, an hour, a year. */
  CLOCK_JUMPS(Kind.OPERATION),
  /** Limits change while the engine runs. */
  LIMIT_CHANGES(Kind.OPERATION),
  /** The clock begins near the end of its range. */
  LATE_CLOCK(Kind.OPERATION),
  /** Journeys are reported. */
  JOURNEYS(Kind.OPERATION),
  /** The run is recorded by a journal, which is read at the end. */
  JOURNAL(Kind.OPERATION),
  /** A file call of the journal fails, once or from then on. */
  FAILING_DISK(Kind.OPERATION),
  /** The engine is drained at the end. */
  DRAIN(Kind.OPERATION),
  /** The engine is closed with requests alive. */
  CLOSE_EARLY(Kind.OPERATION),

  /** Steps that take a thousand times as long. */
  LATE_ANSWERS(Kind.FAULT),
  /** Steps that are not answered in time, and answered later. */
  SILENCE(Kind.FAULT),
  /** Waits that are interrupted. */
  INTERRUPTS(Kind.FAULT),
  /** Steps that the executor does not take. */
  REFUSED_STEPS(Kind.FAULT),
  /** Steps that fail, by exceptions and errors. */
  FAILED_STEPS(Kind.FAULT),
  /** Requests that fail in a step. */
  FAILED_ENTRIES(Kind.FAULT),
  /** Answers to other steps. */
  WRONG_STEPS(Kind.FAULT),
  /** Answers without tokens that are due. */
  MISSING_TOKENS(Kind.FAULT),
  /** Answers with tokens that are not due. */
  EXCESS_TOKENS(Kind.FAULT),
  /** Tokens that are in no vocabulary. */
  FOREIGN_TOKENS(Kind.FAULT),
  /** Loads of which a part does not come. */
  FAILED_LOADS(Kind.FAULT),
  /** Loads that do not end. */
  LOST_LOADS(Kind.FAULT),
  /** Listeners that throw. */
  THROWING_LISTENERS(Kind.FAULT),
  /** Listeners that submit and cancel. */
  BUSY_LISTENERS(Kind.FAULT),
  /** Probes that throw. */
  THROWING_PROBES(Kind.FAULT),
  /** Probes that take their time. */
  SLOW_PROBES(Kind.FAULT),
  /** Probes whose mapped files fault. */
  MAPPED_FAULTS(Kind.FAULT);

  /** What a feature is about. */
  public enum Kind {
    /** The configuration. */
    SETTING,
    /** The policies. */
    POLICY,
    /** What is asked for. */
    REQUEST,
    /** What callers do beside it. */
    OPERATION,
    /** What goes wrong. */
    FAULT
  }

  private static final Feature[] ALL = values();

  /** Features that are hard to hit together by chance, and have hidden something together. */
  private static final List<Set<Feature>> THEMES =
      List.of(
          EnumSet.of(SPECULATION, RECURRENT, MATCH_UNIT, SHARED_PREFIXES),
          EnumSet.of(SPECULATION, PIPELINE, SMALL_CACHE, NEXT_CHUNK_GATE, FAILED_ENTRIES),
          EnumSet.of(HOST_TIER, PIPELINE, SMALL_CACHE, SHARED_PREFIXES, FAILED_STEPS),
          EnumSet.of(ASYNC, PIPELINE, RECURRENT, SMALL_CACHE, LONG_OUTPUTS));

  private final Kind kind;

  Feature(Kind kind) {
    this.kind = kind;
  }

  /** What it is about. */
  public Kind kind() {
    return kind;
  }

  /** The part of them that a seed turns on: few, half, nearly all, or a theme and few others. */
  static Set<Feature> drawnBy(long seed) {
    final Dice dice = new Dice().start(seed, "density", 0);
    final int density = dice.pick(new Integer[] {10, 25, 50, 50, 75});
    final int faultPercent = dice.pick(new Integer[] {0, 0, 10, 30, 60});
    final Set<Feature> drawn = EnumSet.noneOf(Feature.class);
    final boolean hasTheme = dice.start(seed, "theme", 0).oneIn(4);
    if (hasTheme) {
      drawn.addAll(THEMES.get(dice.below(THEMES.size())));
    }
    final int percent = hasTheme ? 10 : density;
    for (Feature feature : ALL) {
      final int chance = feature.kind == Kind.FAULT ? faultPercent : percent;
      if (dice.start(seed, feature.name(), 0).below(100) < chance) {
        drawn.add(feature);
      }
    }
    return drawn;
  }
}
