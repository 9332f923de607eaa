package dev.headway.faultsim.simulation;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.policy.Policies;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What a seed has drawn for an engine.
 *
 * @param features what is turned on
 * @param config the settings
 * @param kvCache the memory
 * @param policyNames policies by name
 * @param policies policies of a user
 * @param policyText what they are, for messages
 * @param submissionQueueCapacity most requests in the submission queue
 * @param stopsOnFailure whether a failing executor ends the engine
 */
record Drawn(
    Set<Feature> features,
    SchedulerConfig config,
    KvCacheShape kvCache,
    Map<String, Map<String, String>> policyNames,
    Policies policies,
    String policyText,
    int submissionQueueCapacity,
    boolean stopsOnFailure) {

  /** Tokens of the vocabulary. */
  static final int VOCABULARY = 50;

  static final long EXECUTOR_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);

  boolean has(Feature feature) {
    return features.contains(feature);
  }

  @Override
  public String toString() {
    return config
        + ", "
        + kvCache
        + ", policies="
        + policyText
        + ", submissionQueueCapacity="
        + submissionQueueCapacity
        + (stopsOnFailure ? ", stops on failure" : "");
  }
}
