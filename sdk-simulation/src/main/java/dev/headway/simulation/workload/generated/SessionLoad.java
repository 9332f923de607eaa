package dev.headway.simulation.workload.generated;

import static dev.headway.simulation.workload.WorkloadRequest.MAX_TOKENS;

import dev.headway.simulation.workload.RandomStream;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import dev.headway.simulation.workload.arrival.ArrivalTimes;
import dev.headway.simulation.workload.length.LengthDistribution;
import java.util.Arrays;
import java.util.Comparator;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Sessions of several turns whose prompts grow, as agents and chats send them: each prompt is the
 * one before, its answer, and some tokens more. All begin with the same system prompt.
 *
 * <p>An arrival starts a session; its next turn comes an exponential time after the turn before, in
 * which the answer and the user's thinking both find room: turns do not wait for answers, so that
 * the load is the same whatever serves it. A session ends after its turns, or before the turn that
 * would exceed the longest prompt. An answer comes back as text that only the engine knows, hence
 * as tokens that nothing has cached.
 *
 * <p>Memory is that of the sessions under way. Equal options give equal requests on every machine.
 */
final class SessionLoad implements Workload {
  static final String NAME = "sessions";

  /** As in vLLM's default cache. */
  private static final int BLOCK_TOKENS = 16;

  private static final double NANOS_PER_SECOND = 1e9;

  private static final Comparator<Session> NEXT_FIRST =
      Comparator.<Session>comparingLong(session -> session.nextNs)
          .thenComparingInt(session -> session.number);

  private final LengthDistribution turns;
  private final LengthDistribution input;
  private final LengthDistribution output;
  private final double thinkSeconds;
  private final int maxInputTokens;
  private final int[] systemIds;
  private final int tenants;
  private final int requests;
  private final ArrivalTimes starts;
  private final RandomStream turnRandom;
  private final RandomStream inputRandom;
  private final RandomStream outputRandom;
  private final RandomStream thinkRandom;
  private final RandomStream tenantRandom;

  private final PriorityQueue<Session> open = new PriorityQueue<>(NEXT_FIRST);
  private long nextStartNs;
  private int started;
  private int made;
  private int nextBlockId;

  private SessionLoad(Options options, long seed) {
    turns = LengthForms.parse("turns", options.text("turns", "20"));
    input = LengthForms.parse("input", options.text("input", "exponential:200"));
    output = LengthForms.parse("output", options.text("output", "exponential:150"));
    thinkSeconds = options.number("think", 10);
    if (!(thinkSeconds >= 0 && thinkSeconds < 1e9)) {
      throw options.wrong("think must be in [0, 1e9) seconds", "think", "" + thinkSeconds, null);
    }
    final int system = Options.inRange("system", options.integer("system", 1_024), 0, MAX_TOKENS);
    maxInputTokens =
        Options.inRange("max-input", options.integer("max-input", 32_768), system + 1, MAX_TOKENS);
    systemIds = new int[system / BLOCK_TOKENS];
    Arrays.setAll(systemIds, i -> i);
    nextBlockId = systemIds.length;
    tenants = Options.inRange("tenants", options.integer("tenants", 0), 0, MAX_TOKENS);
    requests = Options.inRange("requests", options.integer("requests", 2_000), 0, MAX_TOKENS);
    starts = ArrivalForms.read(options, "0.2", false, requests).start(seed);
    turnRandom = RandomStream.of(seed, "turns");
    inputRandom = RandomStream.of(seed, "input");
    outputRandom = RandomStream.of(seed, "output");
    thinkRandom = RandomStream.of(seed, "think");
    tenantRandom = RandomStream.of(seed, "tenant");
    nextStartNs = drawStart();
  }

  /** Reads the options. */
  static Workload make(Options options) {
    return new SessionLoad(options, options.whole("seed", 1));
  }

  @Override
  public String name() {
    return NAME;
  }

  /** Unknown: sessions may end before there are as many requests as were asked for. */
  @Override
  public OptionalLong sizeHint() {
    return OptionalLong.empty();
  }

  @Override
  public @Nullable WorkloadRequest next() {
    while (made < requests) {
      startBefore(open.isEmpty() ? Long.MAX_VALUE : open.element().nextNs);
      final Session session = open.poll();
      if (session == null) {
        return null; // no more will start
      }
      final WorkloadRequest turn = session.turn();
      if (turn != null) {
        made++;
        return turn;
      }
    }
    return null;
  }

  /** Opens what starts by the next turn; of sessions that wait for their start there is one. */
  private void startBefore(long nextTurnNs) {
    if (nextStartNs <= nextTurnNs && nextStartNs != Long.MAX_VALUE) {
      open.add(new Session(started++, nextStartNs));
      nextStartNs = drawStart();
    }
  }

  private long drawStart() {
    final double seconds = starts.next();
    return seconds == Double.POSITIVE_INFINITY
        ? Long.MAX_VALUE
        : (long) StrictMath.rint(seconds * NANOS_PER_SECOND);
  }

  @Override
  public void close() {
    made = requests;
    open.clear();
  }

  /** One conversation. */
  private final class Session {
    private final int number;
    private final int allTurns;
    private final @Nullable String tenant;
    private int turn;
    private long nextNs;
    private int[] blockIds = systemIds;
    private long contextTokens = (long) systemIds.length * BLOCK_TOKENS;

    Session(int number, long startNs) {
      this.number = number;
      this.allTurns = turns.draw(turnRandom);
      this.tenant = tenants == 0 ? null : "tenant-" + tenantRandom.nextInt(tenants);
      this.nextNs = startNs;
    }

    /** The next turn, behind which the session is open for another one; null if none fits. */
    @Nullable WorkloadRequest turn() {
      final int own = input.draw(inputRandom);
      final int answer = output.draw(outputRandom);
      if (contextTokens + own > maxInputTokens) {
        return null;
      }
      final int prompt = (int) contextTokens + own;
      grow(prompt);
      final WorkloadRequest request =
          new WorkloadRequest(
              NAME + "-" + number + "-" + turn,
              nextNs,
              prompt,
              answer,
              blockIds,
              BLOCK_TOKENS,
              tenant,
              0);
      contextTokens = (long) prompt + answer;
      nextNs += (long) (thinkSeconds * NANOS_PER_SECOND * thinkRandom.nextExponential());
      if (++turn < allTurns) {
        open.add(this);
      }
      return request;
    }

    private void grow(int promptTokens) {
      final int known = blockIds.length;
      blockIds = Arrays.copyOf(blockIds, Math.ceilDiv(promptTokens, BLOCK_TOKENS));
      for (int i = known; i < blockIds.length; i++) {
        blockIds[i] = nextBlockId;
        nextBlockId = Math.incrementExact(nextBlockId);
      }
    }
  }
}
