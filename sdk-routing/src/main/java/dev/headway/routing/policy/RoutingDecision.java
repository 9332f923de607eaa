package dev.headway.routing.policy;

import static dev.headway.api.Absent.ABSENT;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One decision with its reasons: who could have been chosen and who not, what each candidate
 * scored, how old the signals were, what was chosen, and what deciding took.
 *
 * <p>Filled in by a router and its policy, unchanged afterwards and then readable from any thread.
 * Places are those in {@link #workers}.
 */
public final class RoutingDecision {

  private final RoutingRequest request;
  private final String policy;
  private final WorkerSet workers;
  private final @Nullable String[] refusals;
  private final int[] loads;
  private final long[] signalAgesNs;
  private final int[] matched;
  private final List<Scores> scores = new ArrayList<>(2);
  private RoutingBranch branch = RoutingBranch.NO_HEALTHY;
  private int chosen = -1;
  private long costNs;

  /** Scores of one scorer. Immutable. */
  public static final class Scores {
    private final String scorer;
    private final double weight;
    private final double[] values;

    private Scores(String scorer, double weight, double[] values) {
      this.scorer = scorer;
      this.weight = weight;
      this.values = values;
    }

    /** Name of the scorer. */
    public String scorer() {
      return scorer;
    }

    /** Its weight. */
    public double weight() {
      return weight;
    }

    /** The score of the worker at a place; NaN if it was not scored. */
    public double value(int place) {
      return values[place];
    }
  }

  /**
   * Begins a decision, and takes down the loads before it.
   *
   * @param policy name of the policy
   * @param workers all workers of the router
   */
  public RoutingDecision(RoutingRequest request, String policy, WorkerSet workers) {
    this.request = request;
    this.policy = policy;
    this.workers = workers;
    final int size = workers.size();
    refusals = new @Nullable String[size];
    loads = new int[size];
    signalAgesNs = new long[size];
    matched = new int[size];
    for (int i = 0; i < size; i++) {
      final Worker worker = workers.get(i);
      final WorkerLoad load = worker.load();
      loads[i] = worker.inFlight();
      signalAgesNs[i] = load == null ? ABSENT : request.nowNs() - load.reportedAtNs();
    }
  }

  /** Notes that a worker cannot take the request. */
  public void refused(Worker worker, String why) {
    refusals[placeOf(worker)] = why;
  }

  /**
   * Notes what candidates scored.
   *
   * @param candidates those scored
   * @param values by place among them; copied
   */
  public void scored(String scorer, double weight, WorkerSet candidates, double[] values) {
    final double[] all = new double[workers.size()];
    Arrays.fill(all, Double.NaN);
    for (int i = 0; i < values.length; i++) {
      all[placeOf(candidates.get(i))] = values[i];
    }
    scores.add(new Scores(scorer, weight, all));
  }

  /** Notes how much of the prompt is believed to be cached at a worker, in {@link #promptUnits}. */
  public void matched(Worker worker, int units) {
    matched[placeOf(worker)] = units;
  }

  /**
   * Chooses a worker; a later choice replaces an earlier one.
   *
   * @throws IllegalArgumentException if it is not one of the router's
   */
  public void choose(Worker worker, RoutingBranch how) {
    chosen = placeOf(worker);
    branch = how;
  }

  /** Notes what deciding took. */
  public void costNs(long value) {
    costNs = value;
  }

  /** The request. */
  public RoutingRequest request() {
    return request;
  }

  /** Name of the policy. */
  public String policy() {
    return policy;
  }

  /** All workers of the router when it decided. */
  public WorkerSet workers() {
    return workers;
  }

  /** How many of them could take the request. */
  public int candidates() {
    int count = 0;
    for (String refusal : refusals) {
      count += refusal == null ? 1 : 0;
    }
    return count;
  }

  /** Why the worker at {@code place} could not take the request; null if it could. */
  public @Nullable String refusal(int place) {
    return refusals[place];
  }

  /** In-flight requests there before the decision. */
  public int load(int place) {
    return loads[place];
  }

  /** Age of what that worker last reported; {@code Absent.ABSENT} if it reported nothing. */
  public long signalAgeNs(int place) {
    return signalAgesNs[place];
  }

  /** Units of the prompt believed to be cached there. */
  public int matchedUnits(int place) {
    return matched[place];
  }

  /** Scores in the order of the policy's scorers. */
  public List<Scores> scores() {
    return List.copyOf(scores);
  }

  /** Weighted sum of the scores there; 0 without scorers, NaN if it was not scored. */
  public double total(int place) {
    double total = 0;
    for (Scores each : scores) {
      total += each.weight * each.values[place];
    }
    return total;
  }

  /** How the choice was made; {@link RoutingBranch#NO_HEALTHY} without one. */
  public RoutingBranch branch() {
    return branch;
  }

  /** Place of the chosen worker, -1 without a choice. */
  public int chosen() {
    return chosen;
  }

  /** Place of the chosen worker among {@code candidates}, -1 if it is not one of them. */
  public int chosenAmong(WorkerSet candidates) {
    return chosen < 0 ? -1 : candidates.indexOf(workers.get(chosen));
  }

  /** The chosen worker; null without a choice. */
  public @Nullable Worker chosenWorker() {
    return chosen < 0 ? null : workers.get(chosen);
  }

  /** Real time that deciding took, in nanoseconds. */
  public long costNs() {
    return costNs;
  }

  /** Least load of the candidates before the decision, 0 without candidates. */
  public int minLoad() {
    int min = Integer.MAX_VALUE;
    for (int i = 0; i < loads.length; i++) {
      min = refusals[i] == null ? Math.min(min, loads[i]) : min;
    }
    return min == Integer.MAX_VALUE ? 0 : min;
  }

  /** Greatest load of the candidates before the decision, 0 without candidates. */
  public int maxLoad() {
    int max = 0;
    for (int i = 0; i < loads.length; i++) {
      max = refusals[i] == null ? Math.max(max, loads[i]) : max;
    }
    return max;
  }

  /** Tokens or code points of the prompt, 0 if it is not known. */
  public int promptUnits() {
    return request.promptUnits();
  }

  private int placeOf(Worker worker) {
    final int place = workers.indexOf(worker);
    if (place < 0) {
      throw new IllegalArgumentException(
          "a decision must be about the router's workers: worker="
              + worker.id()
              + ", workers="
              + workers);
    }
    return place;
  }
}
