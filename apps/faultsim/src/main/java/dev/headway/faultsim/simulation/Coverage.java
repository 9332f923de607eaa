package dev.headway.faultsim.simulation;

import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RejectReason;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.WaitReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What simulations have reached: without it, what a generator never draws looks as if it held. Not
 * thread-safe but for {@link #beats}; {@link #add} collects.
 */
public final class Coverage {

  private static final Feature[] FEATURES = Feature.values();
  private static final WaitReason[] WAITS = WaitReason.values();
  private static final FinishReason[] ENDS = FinishReason.values();
  private static final RejectReason[] REJECTIONS = RejectReason.values();
  private static final PreemptionCause[] PREEMPTIONS = PreemptionCause.values();

  /** Stages of a request, for the transitions between them. */
  enum Stage {
    SUBMITTED,
    QUEUED,
    BLOCKED,
    UNBLOCKED,
    ADMITTED,
    FIRST_TOKEN,
    PREEMPTED,
    RESUMED,
    FINISHED
  }

  private static final Stage[] STAGES = Stage.values();

  final long[] waits = new long[WAITS.length];
  final long[] ends = new long[ENDS.length];
  final long[] rejections = new long[REJECTIONS.length];
  final long[] preemptions = new long[PREEMPTIONS.length];
  final long[] faults = new long[FEATURES.length];
  final long[] transitions = new long[STAGES.length * STAGES.length];
  private final AtomicLong beats = new AtomicLong();
  private final long[] pairs = new long[FEATURES.length * FEATURES.length];
  long scenarios;
  long refusedSettings;
  long steps;
  long emptySteps;
  long requests;
  long tokens;
  long turns;
  long cachedTokens;
  long hostTokens;
  long acceptedDrafts;
  long policyFaults;
  long probesDetached;

  /** Makes counts of nothing. */
  public Coverage() {}

  @SuppressWarnings("EnumOrdinal") // an index within this process
  void scenario(Set<Feature> on) {
    scenarios++;
    for (Feature one : on) {
      for (Feature other : on) {
        pairs[one.ordinal() * FEATURES.length + other.ordinal()]++;
      }
    }
  }

  @SuppressWarnings("EnumOrdinal")
  void waited(WaitReason reason) {
    waits[reason.ordinal()]++;
  }

  @SuppressWarnings("EnumOrdinal")
  void preempted(PreemptionCause cause) {
    preemptions[cause.ordinal()]++;
  }

  @SuppressWarnings("EnumOrdinal")
  void fault(Feature fault) {
    faults[fault.ordinal()]++;
  }

  @SuppressWarnings("EnumOrdinal")
  void ended(RequestOutcome outcome) {
    switch (outcome) {
      case RequestOutcome.Rejected rejected -> rejections[rejected.reason().ordinal()]++;
      case RequestOutcome.Finished finished -> ends[finished.reason().ordinal()]++;
    }
  }

  @SuppressWarnings("EnumOrdinal")
  void moved(TrackedRequest request, Stage to) {
    transitions[request.stage * STAGES.length + to.ordinal()]++;
    request.stage = to.ordinal();
  }

  /** Adds what others have reached. */
  public void add(Coverage other) {
    addTo(waits, other.waits);
    addTo(ends, other.ends);
    addTo(rejections, other.rejections);
    addTo(preemptions, other.preemptions);
    addTo(faults, other.faults);
    addTo(transitions, other.transitions);
    addTo(pairs, other.pairs);
    scenarios += other.scenarios;
    refusedSettings += other.refusedSettings;
    steps += other.steps;
    emptySteps += other.emptySteps;
    requests += other.requests;
    tokens += other.tokens;
    turns += other.turns;
    cachedTokens += other.cachedTokens;
    hostTokens += other.hostTokens;
    acceptedDrafts += other.acceptedDrafts;
    policyFaults += other.policyFaults;
    probesDetached += other.probesDetached;
  }

  private static void addTo(long[] sums, long[] more) {
    for (int i = 0; i < sums.length; i++) {
      sums[i] += more[i];
    }
  }

  /** A step begins. */
  void beat() {
    beats.lazySet(beats.getPlain() + 1);
  }

  /** Steps begun so far. Any thread. */
  public long beats() {
    return beats.get();
  }

  /** Steps run. */
  public long steps() {
    return steps;
  }

  /** Scenarios run. */
  public long scenarios() {
    return scenarios;
  }

  /** Requests submitted. */
  public long requests() {
    return requests;
  }

  /** Pairs of features that no scenario had together. */
  @SuppressWarnings("EnumOrdinal")
  public List<String> missingPairs() {
    final List<String> missing = new ArrayList<>();
    for (Feature one : FEATURES) {
      for (Feature other : FEATURES) {
        if (one.compareTo(other) <= 0
            && pairs[one.ordinal() * FEATURES.length + other.ordinal()] == 0) {
          missing.add(one == other ? one.name() : one + "+" + other);
        }
      }
    }
    return missing;
  }

  /** Wait reasons that no request had, beside those that no probe is ever notified of. */
  public List<WaitReason> missingWaits() {
    final List<WaitReason> missing = missing(WAITS, waits);
    missing.remove(WaitReason.INITIAL_WAITING);
    missing.remove(WaitReason.RECOMPUTATION);
    return missing;
  }

  /** Ways to end that no request had. */
  public List<FinishReason> missingEnds() {
    return missing(ENDS, ends);
  }

  /** Refusals that no request had. */
  public List<RejectReason> missingRejections() {
    return missing(REJECTIONS, rejections);
  }

  /** Causes of preemptions that none had. */
  public List<PreemptionCause> missingPreemptions() {
    return missing(PREEMPTIONS, preemptions);
  }

  /** Faults that never happened. */
  public List<Feature> missingFaults() {
    final List<Feature> missing = missing(FEATURES, faults);
    missing.removeIf(feature -> feature.kind() != Feature.Kind.FAULT);
    return missing;
  }

  private static <T> List<T> missing(T[] values, long[] counts) {
    final List<T> missing = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      if (counts[i] == 0) {
        missing.add(values[i]);
      }
    }
    return missing;
  }

  /** The counts in lines, what is missing last. */
  @Override
  public String toString() {
    final StringBuilder text = new StringBuilder();
    line(text, "scenarios", scenarios + ", settings refused: " + refusedSettings);
    line(text, "steps", steps + ", empty: " + emptySteps);
    line(
        text,
        "requests",
        requests
            + ", tokens: "
            + tokens
            + ", turns: "
            + turns
            + ", found in the cache: "
            + cachedTokens
            + ", in host memory: "
            + hostTokens
            + ", accepted drafts: "
            + acceptedDrafts);
    line(text, "ends", counts(ENDS, ends));
    line(text, "refusals", counts(REJECTIONS, rejections));
    line(text, "preemptions", counts(PREEMPTIONS, preemptions));
    line(text, "waits", counts(WAITS, waits));
    line(
        text,
        "faults",
        counts(FEATURES, faults)
            + ", of policies: "
            + policyFaults
            + ", probes detached: "
            + probesDetached);
    line(text, "transitions", transitionCounts());
    final List<String> pairsLeft = missingPairs();
    line(
        text,
        "not reached",
        "pairs of features: "
            + pairsLeft.size()
            + " of "
            + FEATURES.length * (FEATURES.length + 1) / 2
            + (pairsLeft.size() <= 12 ? " " + pairsLeft : "")
            + ", ends: "
            + missingEnds()
            + ", refusals: "
            + missingRejections()
            + ", preemptions: "
            + missingPreemptions()
            + ", waits: "
            + missingWaits()
            + ", faults: "
            + missingFaults());
    return text.toString();
  }

  private static void line(StringBuilder text, String name, String value) {
    text.append(String.format("%-12s %s%n", name, value));
  }

  private String transitionCounts() {
    final StringBuilder text = new StringBuilder();
    for (int i = 0; i < transitions.length; i++) {
      if (transitions[i] > 0) {
        text.append(text.isEmpty() ? "" : ", ")
            .append(STAGES[i / STAGES.length])
            .append(">")
            .append(STAGES[i % STAGES.length])
            .append(" ")
            .append(transitions[i]);
      }
    }
    return text.toString();
  }

  private static <T> String counts(T[] values, long[] counts) {
    final StringBuilder text = new StringBuilder();
    for (int i = 0; i < values.length; i++) {
      if (counts[i] > 0) {
        text.append(text.isEmpty() ? "" : ", ").append(values[i]).append(" ").append(counts[i]);
      }
    }
    return text.toString();
  }
}
