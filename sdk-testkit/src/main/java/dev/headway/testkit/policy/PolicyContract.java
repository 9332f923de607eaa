package dev.headway.testkit.policy;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What the scheduler relies on, checked against policies in a small simulated world: on any policy
 * that answers are possible, the same for the same events, indifferent to candidates that come
 * later, and free of allocation; and what a policy promises beyond that, on request.
 *
 * <p>Deterministic: what is found names the seed. Takes about a second. Not thread-safe.
 */
public final class PolicyContract {

  /** The settings of the world: 8 seats, 128 tokens a step. */
  public static final SchedulerConfig CONFIG =
      SchedulerConfig.builder(
              SchedulerLimits.builder()
                  .maxNumSeqs(8)
                  .maxNumBatchedTokens(128)
                  .maxModelLen(1024)
                  .build())
          .build();

  /** Its KV cache: 64 blocks of 16 tokens, too few for 8 long requests. */
  public static final KvCacheShape KV_CACHE =
      KvCacheShape.builder().blockSize(16).blocks(65).build();

  private final Supplier<Policies> policies;
  private final List<Check> everyCase = new ArrayList<>();
  private long seed = 1;
  private int cases = 20;

  private PolicyContract(Supplier<Policies> policies) {
    this.policies = policies;
    everyCase.add(new CourseChecks.Determinism());
    everyCase.add(new TailCheck());
  }

  /**
   * Starts a check.
   *
   * @param policies makes fresh, equal policies each time it is asked, for {@link #CONFIG} and
   *     {@link #KV_CACHE} if they depend on such
   */
  public static PolicyContract of(Supplier<Policies> policies) {
    return new PolicyContract(policies);
  }

  /** Returns the context in which a provider makes policies for this world. */
  public static PolicyContext context(Map<String, String> options) {
    return new PolicyContext(CONFIG, KV_CACHE, options);
  }

  /** The first seed; 1 unless set. */
  public PolicyContract seed(long seed) {
    this.seed = seed;
    return this;
  }

  /** How many seeds are tried; 20 unless set. */
  public PolicyContract cases(int cases) {
    this.cases = cases;
    return this;
  }

  /**
   * Also checks that no request starves: a long and a short request are admitted within 10 s of
   * virtual time, however many newer ones of some 24 tokens keep arriving. A step takes 1 ms and 10
   * us per token, so that is about 4,000 steps; an order that ages must overcome 300 tokens in that
   * time.
   */
  public PolicyContract starvationFree() {
    return starvationFree(Duration.ofSeconds(10));
  }

  /** As the other, for an order that needs another time to prefer what is old. */
  public PolicyContract starvationFree(Duration within) {
    everyCase.add(new CourseChecks.NoStarvation(within));
    return this;
  }

  /** Also checks that no request is preempted for blocks. */
  public PolicyContract neverPreempts() {
    everyCase.add(new CourseChecks.NoPreemptions());
    return this;
  }

  /** Also checks that chunks of running prompts differ by at most {@code unit} tokens. */
  public PolicyContract evenChunks(int unit) {
    everyCase.add(new CourseChecks.EvenChunks(unit));
    return this;
  }

  /**
   * Also checks that tenants that always wait get the same service, up to what cannot be split.
   *
   * @param wp cost of a prompt token
   * @param wq cost of an output
   */
  public PolicyContract fairBetweenTenants(double wp, double wq) {
    everyCase.add(new CourseChecks.ServiceGap(wp, wq));
    return this;
  }

  /** Runs the checks. */
  public ContractReport check() {
    final Findings findings = new Findings();
    final List<String> names = new ArrayList<>();
    for (Check check : everyCase) {
      names.add(check.name());
      for (int i = 0; i < cases; i++) {
        check.run(policies, seed + i, findings);
      }
    }
    final Check allocation = new AllocationCheck();
    names.add(allocation.name());
    allocation.run(policies, seed, findings);
    return new ContractReport(names, findings.all());
  }
}
