package dev.headway.loadgen.result;

import dev.headway.loadgen.arrival.Ramp;
import dev.headway.loadgen.metrics.Latency;
import dev.headway.loadgen.metrics.ServiceLevel;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a run was asked to do, as results say it.
 *
 * @param backend as {@code vllm bench serve} calls the protocol
 * @param label a name for the run, or null
 * @param target where the requests went
 * @param model the model's name
 * @param dataset what the requests were
 * @param requests how many there were to send
 * @param arrival what decided when they were sent, in words
 * @param requestRate requests per second asked for; infinite for all at once, NaN where the load
 *     has its own times
 * @param burstiness shape of the gaps; 1 where it does not apply
 * @param maxConcurrency most requests under way, or null
 * @param ramp a rate that grew, or null
 * @param seed of the load
 * @param levels what good requests keep to
 * @param latencies what the results are about
 * @param percents percentiles of them
 * @param metadata further keys of the result
 */
public record RunFacts(
    String backend,
    @Nullable String label,
    String target,
    String model,
    String dataset,
    int requests,
    String arrival,
    double requestRate,
    double burstiness,
    @Nullable Integer maxConcurrency,
    @Nullable Ramp ramp,
    long seed,
    List<ServiceLevel> levels,
    List<Latency> latencies,
    List<Double> percents,
    Map<String, String> metadata) {

  /** Copies the collections. */
  public RunFacts {
    levels = List.copyOf(levels);
    latencies = List.copyOf(latencies);
    percents = List.copyOf(percents);
    metadata = Map.copyOf(metadata);
  }

  /** Whether requests could wait in the client although they were due. */
  public boolean hasClientQueue() {
    return maxConcurrency != null && !Double.isInfinite(requestRate);
  }
}
