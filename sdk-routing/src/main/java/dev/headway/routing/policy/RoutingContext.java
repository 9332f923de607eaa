package dev.headway.routing.policy;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Input to {@link RoutingPolicyProvider#create}.
 *
 * @param options the options given for this policy, by name; copied
 * @param seed of everything drawn at random
 * @param prefixIndex what workers have cached, from their events; null if there is none
 * @param latency predicts times to the first token; null if there is none
 */
public record RoutingContext(
    Map<String, String> options,
    long seed,
    @Nullable WorkerPrefixes prefixIndex,
    @Nullable LatencyPredictor latency) {

  /** Copies the options. */
  public RoutingContext {
    options = Map.copyOf(options);
  }

  /** Without options, index and predictor. */
  public static RoutingContext ofSeed(long seed) {
    return new RoutingContext(Map.of(), seed, null, null);
  }

  /** The same with other options. */
  public RoutingContext withOptions(Map<String, String> value) {
    return new RoutingContext(value, seed, prefixIndex, latency);
  }
}
