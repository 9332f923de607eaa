package dev.headway.probes.otel.span;

import dev.headway.api.internal.SplitMix64;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which requests and steps are exported. A request is if its id is listed, if {@code mix64(hash(id)
 * ^ seed) < journeyRate * 2^64}, or if one of the tail rules holds when it ends. The same journal
 * gives the same choice every time, and so does the live run it comes from.
 *
 * @param journeyRate share of requests, in [0, 1]
 * @param stepRate share of steps with a summary, in [0, 1]
 * @param richRate share of those with a snapshot of each running request, in [0, 1]
 * @param seed another seed, another choice
 * @param firstSteps steps at the beginning of a run that have a summary whatever the rate, >= 0
 * @param requestIds requests that are always exported
 * @param tail rules that export a request for what happened to it
 * @param parent what the caller's sampled bit means
 */
public record Sampling(
    double journeyRate,
    double stepRate,
    double richRate,
    long seed,
    int firstSteps,
    Set<String> requestIds,
    Set<TailRule> tail,
    ParentRule parent) {

  private static final long STEP_SALT = 0x53544550L;
  private static final long RICH_SALT = 0x52494348L;

  /** Validates the components. */
  public Sampling {
    requireRate("journeyRate", journeyRate);
    requireRate("stepRate", stepRate);
    requireRate("richRate", richRate);
    if (firstSteps < 0) {
      throw new IllegalArgumentException("firstSteps must be >= 0: firstSteps=" + firstSteps);
    }
    requestIds = Set.copyOf(requestIds);
    tail = Set.copyOf(tail);
  }

  /** vLLM's rates and all tail rules: every request, 1 % of steps, 0.1 % of those in detail. */
  public static Sampling defaults() {
    return new Sampling(
        1,
        0.01,
        0.001,
        0,
        0,
        Set.of(),
        EnumSet.allOf(TailRule.class),
        ParentRule.IGNORE_SAMPLED_BIT);
  }

  /** Everything. */
  public static Sampling everything() {
    return defaults().withRates(1, 1, 1);
  }

  /** Returns this with other rates. */
  public Sampling withRates(double journeys, double steps, double rich) {
    return new Sampling(journeys, steps, rich, seed, firstSteps, requestIds, tail, parent);
  }

  /** Returns this with another seed. */
  public Sampling withSeed(long newSeed) {
    return new Sampling(
        journeyRate, stepRate, richRate, newSeed, firstSteps, requestIds, tail, parent);
  }

  /** Returns this with the first steps of a run always exported. */
  public Sampling withFirstSteps(int steps) {
    return new Sampling(journeyRate, stepRate, richRate, seed, steps, requestIds, tail, parent);
  }

  /** Returns this with some requests always exported. */
  public Sampling withRequestIds(Set<String> ids) {
    return new Sampling(journeyRate, stepRate, richRate, seed, firstSteps, ids, tail, parent);
  }

  /** Returns this with these tail rules. */
  public Sampling withTail(Set<TailRule> rules) {
    return new Sampling(
        journeyRate, stepRate, richRate, seed, firstSteps, requestIds, rules, parent);
  }

  /** Returns this with another meaning of the caller's sampled bit. */
  public Sampling withParent(ParentRule rule) {
    return new Sampling(journeyRate, stepRate, richRate, seed, firstSteps, requestIds, tail, rule);
  }

  /** Whether a request is exported whatever happens to it. */
  boolean choosesJourney(String requestId, @Nullable TraceParent caller) {
    if (requestIds.contains(requestId)) {
      return true;
    }
    if (parent == ParentRule.HONOUR_SAMPLED_BIT && caller != null) {
      return caller.isSampled();
    }
    return Hashes.isBelow(SplitMix64.mix(Hashes.of(requestId) ^ seed), journeyRate);
  }

  boolean choosesStep(long stepId) {
    return stepId <= firstSteps
        || Hashes.isBelow(SplitMix64.mix(SplitMix64.mix(stepId ^ STEP_SALT) ^ seed), stepRate);
  }

  /** Asked of chosen steps only, so that the rates multiply. */
  boolean choosesDetail(long stepId) {
    return Hashes.isBelow(SplitMix64.mix(SplitMix64.mix(stepId ^ RICH_SALT) ^ seed), richRate);
  }

  private static void requireRate(String name, double rate) {
    if (!(rate >= 0 && rate <= 1)) {
      throw new IllegalArgumentException(name + " must be in [0, 1]: " + name + "=" + rate);
    }
  }
}
