package dev.headway.simulation.fleet;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.routing.core.RouteLease;
import dev.headway.simulation.workload.WorkloadRequest;
import org.jspecify.annotations.Nullable;

/**
 * What became of one request, as the run model of its instance has it. Written by the run, then
 * read only; durations are nanoseconds, {@code Absent.ABSENT} where there is none.
 */
public final class FleetRequest {

  private final String id;
  private final long arrivalNs;
  private final int promptTokens;
  private final int outputTokens;
  private final int instance;
  private final String branch;
  private final int predictedCachedTokens;
  private final long regretNs;
  @Nullable RouteLease lease;
  long ttftNs = ABSENT;
  long endToEndNs = ABSENT;
  int cachedTokens;
  String outcome = "unfinished";

  /** Prompt tokens to be computed by what was truly cached when it was routed. */
  final int uncachedTokens;

  FleetRequest(
      WorkloadRequest request, RouteLease lease, int instance, int uncachedTokens, long regretNs) {
    id = request.requestId();
    arrivalNs = request.arrivalNs();
    promptTokens = request.inputTokens();
    outputTokens = request.outputTokens();
    this.lease = lease;
    this.instance = instance;
    this.uncachedTokens = uncachedTokens;
    this.regretNs = regretNs;
    branch = lease.decision().branch().label();
    predictedCachedTokens = lease.decision().matchedUnits(lease.decision().chosen());
  }

  /** Its id. */
  public String id() {
    return id;
  }

  /** When it arrived at the router. */
  public long arrivalNs() {
    return arrivalNs;
  }

  /** Tokens of its prompt. */
  public int promptTokens() {
    return promptTokens;
  }

  /** Tokens it was to generate. */
  public int outputTokens() {
    return outputTokens;
  }

  /** Number of the instance that served it, from 0. */
  public int instance() {
    return instance;
  }

  /** How the router came to its choice. */
  public String branch() {
    return branch;
  }

  /** Prompt tokens that the router believed to be cached there. */
  public int predictedCachedTokens() {
    return predictedCachedTokens;
  }

  /** Prompt tokens that were cached there when it was admitted. */
  public int cachedTokens() {
    return cachedTokens;
  }

  /** Arrival to first token. */
  public long ttftNs() {
    return ttftNs;
  }

  /** Arrival to the end; absent of a request that was refused. */
  public long endToEndNs() {
    return endToEndNs;
  }

  /** How it ended: a finish reason, or why it was refused. */
  public String outcome() {
    return outcome;
  }

  /** How much sooner the best instance would have been; see {@link Hindsight}. */
  public long regretNs() {
    return regretNs;
  }
}
