package dev.headway.simulation.plan;

import dev.headway.api.step.LatencyModel;
import dev.headway.simulation.fleet.FleetRun;
import dev.headway.simulation.fleet.FleetSettings;
import dev.headway.simulation.plan.PlannedMachine.RateInterval;
import dev.headway.simulation.plan.PlannedMachine.Stage;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.sweep.CapacitySearch;
import dev.headway.simulation.sweep.CapacitySearch.Bracket;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Finds the largest rate of every candidate, and the cheapest that sustains the wanted one.
 *
 * <p>First a sample: an instance of each kind alone, with the first requests of the load, as many
 * as it takes to fill it, to warm its prefix cache and to show a queue that grows. Its rate times
 * the number of instances is taken for all that have such instances, whatever their router. Then in
 * full, with the whole load:
 *
 * <ul>
 *   <li>those on the frontier of cost and sampled rate, and those within {@value #NEAR_FRONTIER} of
 *       it;
 *   <li>from the cheapest on, all of one cost at a time, those whose sampled rate is not below the
 *       wanted one by more than {@value #MARGIN} of it, until one keeps to the limits;
 *   <li>if none does, the {@value #NEAREST} with the largest sampled rates.
 * </ul>
 *
 * <p>No rate is looked for above what step times alone allow in a steady state: a load that is
 * short would show no queue there.
 *
 * <p>Which candidates are run does not depend on threads. The caller's thread waits.
 */
public final class MachinePlan {

  /** A search ends when the rate that is met and the one that is not differ by no more. */
  public static final double TOLERANCE = 0.05;

  /** By how much a sampled rate may be below the wanted one, and the candidate is still run. */
  public static final double MARGIN = 0.4;

  private static final double NEAR_FRONTIER = 0.05;
  private static final int NEAREST = 4;
  private static final double SAMPLE_TOLERANCE = 0.1;
  private static final double RANGE = 64;

  /** By how much less of its prompts a sample may find cached than the whole load. */
  private static final double COLD = 0.03;

  private static final int FEWEST_OF_SAMPLE = 150;
  private static final int MOST_OF_SAMPLE = 1_500;
  private static final double NS_PER_S = 1e9;

  private final PlanLoad load;
  private final LatencyLimits limits;
  private final double wanted;
  private final int threads;
  private final LongConsumer progress;
  private final Map<Integer, PlannedMachine> found = new TreeMap<>();
  private long done;

  /**
   * Prepares a plan.
   *
   * @param load the whole load
   * @param wanted requests per second that are to be sustained, > 0
   * @param threads how many candidates are simulated at once, >= 1
   * @param progress called with the number of candidates sampled and simulated so far; the caller's
   *     thread
   */
  public MachinePlan(
      PlanLoad load, LatencyLimits limits, double wanted, int threads, LongConsumer progress) {
    if (!(wanted > 0 && wanted < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("wanted must be finite and > 0: wanted=" + wanted);
    }
    this.load = load;
    this.limits = limits;
    this.wanted = wanted;
    this.threads = threads;
    this.progress = progress;
  }

  /** What a sample of one instance says. */
  private record Sample(double rate, double notMetAt, @Nullable RateRun missed, int runs) {}

  /**
   * Finds all.
   *
   * @return in the order of the candidates
   * @throws InterruptedException if the caller's thread is interrupted
   * @throws dev.headway.simulation.run.SimulationException if a run cannot progress
   */
  public List<PlannedMachine> run(List<PlanCandidate> candidates) throws InterruptedException {
    sample(candidates);
    full(frontier());
    boolean isMet = false;
    for (List<PlanCandidate> group : byCost()) {
      full(group.stream().filter(this::mayMeet).toList());
      isMet = group.stream().anyMatch(this::meets);
      if (isMet) {
        break;
      }
    }
    if (!isMet) {
      full(nearest());
    }
    return List.copyOf(found.values());
  }

  /** The same with all in full, which shows whether the sample left out what it should not. */
  public List<PlannedMachine> runAll(List<PlanCandidate> candidates) throws InterruptedException {
    sample(candidates);
    full(candidates);
    return List.copyOf(found.values());
  }

  private void sample(List<PlanCandidate> candidates) throws InterruptedException {
    final Map<String, PlanCandidate> kinds = new LinkedHashMap<>();
    candidates.forEach(each -> kinds.putIfAbsent(each.instance(), each));
    final List<Sample> samples = forEach(List.copyOf(kinds.values()), this::sampleOf);
    final Map<String, Sample> byKind = new LinkedHashMap<>();
    kinds.keySet().forEach(kind -> byKind.put(kind, samples.get(byKind.size())));
    for (PlanCandidate each : candidates) {
      final Sample sample = byKind.get(each.instance());
      if (sample == null) {
        throw new IllegalStateException("a kind was not sampled: " + each.instance());
      }
      final double rate = sample.rate * each.instances();
      found.put(
          each.number(),
          new PlannedMachine(
              each,
              Stage.SAMPLE,
              rate,
              rate,
              sample.notMetAt * each.instances(),
              sample.missed,
              null,
              null,
              sample.runs));
    }
  }

  private Sample sampleOf(PlanCandidate kind) {
    final EngineSettings engine = kind.engine().get();
    final RateEstimate estimate = RateEstimate.of(engine, load, limits);
    final double needed =
        estimate.rate() * (2 * estimate.e2eNs() + 4.0 * limits.ttftNs()) / NS_PER_S;
    final double warm =
        engine.config().prefixCache().isEnabled() ? load.requestsUntilWarm(COLD) : 0;
    final PlanLoad part =
        load.first(
            (int) Math.clamp(Math.ceil(Math.max(needed, warm)), FEWEST_OF_SAMPLE, MOST_OF_SAMPLE));
    final Search search =
        search(
            upTo(estimate.bound(), SAMPLE_TOLERANCE).beginNear(estimate.rate()),
            rate -> run(new FleetSettings(engine, 1, "round-robin", 0), part, rate));
    return new Sample(search.met(), search.notMetAt(), search.missed, search.runs);
  }

  private static CapacitySearch upTo(double bound, double tolerance) {
    return new CapacitySearch("rate", bound / RANGE, bound, tolerance);
  }

  /** What came of a search. */
  private static final class Search {
    private double met;
    private @Nullable RateRun missed;
    private int runs;

    double met() {
      return met;
    }

    double notMetAt() {
      return missed == null ? Double.NaN : missed.rate();
    }

    private void tried(RateRun run, boolean isMet) {
      runs++;
      if (isMet) {
        met = Math.max(met, run.rate());
      } else if (missed == null || run.rate() < missed.rate()) {
        missed = run;
      }
    }
  }

  private Search search(Bracket bracket, Function<Double, RateRun> runAt, RateRun... known) {
    final Search search = new Search();
    for (RateRun each : known) {
      bracket.tried(each.rate(), limits.areMet(each));
      search.tried(each, limits.areMet(each));
    }
    for (double rate = bracket.next(); !Double.isNaN(rate); rate = bracket.next()) {
      final RateRun run = runAt.apply(rate);
      bracket.tried(rate, limits.areMet(run));
      search.tried(run, limits.areMet(run));
    }
    return search;
  }

  private RateRun run(FleetSettings settings, PlanLoad part, double rate) {
    return RateRun.of(
        rate, new FleetRun(settings, List.of()).run(part.at(rate), arrived -> {}), limits);
  }

  private void full(List<PlanCandidate> candidates) throws InterruptedException {
    final List<PlanCandidate> open =
        candidates.stream().filter(each -> planned(each).stage() == Stage.SAMPLE).toList();
    forEach(open, this::fullOf).forEach(each -> found.put(each.candidate().number(), each));
  }

  private PlannedMachine fullOf(PlanCandidate candidate) {
    final PlannedMachine sampled = planned(candidate);
    final EngineSettings engine = candidate.engine().get();
    final RateRun atWanted = runAt(candidate, engine, wanted, steps -> steps);
    final Search search =
        fullSearch(candidate, engine, sampled.sampleRate(), steps -> steps, atWanted);
    final RateInterval interval =
        BandedStepTime.isKnown(engine.latency()) ? interval(candidate, engine, search.met()) : null;
    return new PlannedMachine(
        candidate,
        Stage.FULL,
        sampled.sampleRate(),
        search.met(),
        search.notMetAt(),
        search.missed,
        atWanted,
        interval,
        sampled.runs() + search.runs);
  }

  private RateInterval interval(PlanCandidate candidate, EngineSettings engine, double guess) {
    final RateRun slow = runAt(candidate, engine, wanted, BandedStepTime::slow);
    final Search slowest = fullSearch(candidate, engine, guess, BandedStepTime::slow, slow);
    final Search fastest = fullSearch(candidate, engine, guess, BandedStepTime::fast);
    return new RateInterval(slowest.met(), fastest.met(), slow);
  }

  private Search fullSearch(
      PlanCandidate candidate,
      EngineSettings engine,
      double guess,
      UnaryOperator<LatencyModel> steps,
      RateRun... known) {
    final double bound =
        RateEstimate.of(engine.withLatency(steps.apply(engine.latency())), load, limits).bound()
            * candidate.instances();
    return search(
        upTo(bound, TOLERANCE).beginNear(guess),
        rate -> runAt(candidate, engine, rate, steps),
        known);
  }

  private RateRun runAt(
      PlanCandidate candidate,
      EngineSettings engine,
      double rate,
      UnaryOperator<LatencyModel> steps) {
    return run(
        new FleetSettings(
            engine.withLatency(steps.apply(engine.latency())),
            candidate.instances(),
            candidate.router(),
            FleetSettings.DEFAULT_SIGNAL_DELAY_NS),
        load,
        rate);
  }

  private PlannedMachine planned(PlanCandidate candidate) {
    final PlannedMachine planned = found.get(candidate.number());
    if (planned == null) {
      throw new IllegalStateException("a candidate was not sampled: " + candidate.number());
    }
    return planned;
  }

  private boolean mayMeet(PlanCandidate candidate) {
    return planned(candidate).sampleRate() >= (1 - MARGIN) * wanted;
  }

  private boolean meets(PlanCandidate candidate) {
    final RateRun run = planned(candidate).atWanted();
    return run != null && limits.areMet(run);
  }

  /** Candidates that no cheaper or equally cheap one beats by more than a little. */
  private List<PlanCandidate> frontier() {
    final List<PlanCandidate> frontier = new ArrayList<>();
    double most = 0;
    for (List<PlanCandidate> group : byCost()) {
      for (PlanCandidate each : group) {
        most = Math.max(most, planned(each).sampleRate());
      }
      for (PlanCandidate each : group) {
        final double rate = planned(each).sampleRate();
        if (rate > 0 && rate >= most * (1 - NEAR_FRONTIER)) {
          frontier.add(each);
        }
      }
    }
    return frontier;
  }

  private List<List<PlanCandidate>> byCost() {
    final Map<Double, List<PlanCandidate>> groups = new TreeMap<>();
    found
        .values()
        .forEach(
            each ->
                groups
                    .computeIfAbsent(each.candidate().costPerHour(), cost -> new ArrayList<>())
                    .add(each.candidate()));
    return List.copyOf(groups.values());
  }

  private List<PlanCandidate> nearest() {
    return found.values().stream()
        .sorted(
            Comparator.comparingDouble((PlannedMachine each) -> -each.sampleRate())
                .thenComparingDouble(each -> each.candidate().costPerHour())
                .thenComparingInt(each -> each.candidate().number()))
        .limit(NEAREST)
        .map(PlannedMachine::candidate)
        .toList();
  }

  private <T> List<T> forEach(List<PlanCandidate> candidates, Function<PlanCandidate, T> work)
      throws InterruptedException {
    return ParallelWork.each(candidates, work, threads, () -> progress.accept(++done));
  }
}
