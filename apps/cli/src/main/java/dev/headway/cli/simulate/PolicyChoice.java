package dev.headway.cli.simulate;

import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicySpec;
import dev.headway.scheduler.policy.PolicyLoader;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What {@code --policy} asks for: policies joined by {@code +}. {@code fcfs} and {@code priority}
 * are the scheduler's own orders, {@code engine(option=value,...)} sets options of the engine, all
 * else are policies found by name.
 *
 * @param text as it was written
 * @param queuePolicy the scheduler's own order
 * @param policies options by policy name
 * @param engineOptions of the command line, by name without dashes
 */
public record PolicyChoice(
    String text,
    QueuePolicy queuePolicy,
    Map<String, Map<String, String>> policies,
    Map<String, String> engineOptions) {

  private static final String FCFS = "fcfs";
  private static final String PRIORITY = "priority";
  private static final String ENGINE = "engine";

  /**
   * Reads a choice; a blank text leaves everything as configured.
   *
   * @throws IllegalArgumentException if the text makes no sense
   */
  public static PolicyChoice parse(String text) {
    final Map<String, Map<String, String>> policies = new LinkedHashMap<>(PolicySpec.parse(text));
    final Map<String, String> engine = policies.remove(ENGINE);
    final boolean byPriority = policies.containsKey(PRIORITY);
    if (byPriority && policies.containsKey(FCFS)) {
      throw new IllegalArgumentException("--policy must name one order: --policy=" + text);
    }
    return new PolicyChoice(
        text,
        byPriority ? QueuePolicy.PRIORITY : QueuePolicy.FCFS,
        withoutOwnOrder(text, policies),
        engine == null ? Map.of() : engine);
  }

  private static Map<String, Map<String, String>> withoutOwnOrder(
      String text, Map<String, Map<String, String>> policies) {
    final Map<String, Map<String, String>> others = new LinkedHashMap<>(policies);
    for (String own : new String[] {FCFS, PRIORITY}) {
      final Map<String, String> options = others.remove(own);
      if (options != null && !options.isEmpty()) {
        throw new IllegalArgumentException(own + " has no options: --policy=" + text);
      }
    }
    return others;
  }

  /** The same choice without options of the engine, for commands that set them otherwise. */
  public PolicyChoice requireNoEngineOptions() {
    if (!engineOptions.isEmpty()) {
      throw new IllegalArgumentException(
          "--policy engine(...) is for headway compare: --policy=" + text);
    }
    return this;
  }

  /**
   * Makes the policies once, to see whether they can be.
   *
   * @throws IllegalArgumentException if there is no such policy or option, or two policies make the
   *     same decision
   */
  void requireKnown(SchedulerConfig config, KvCacheShape kvCache) {
    try {
      loader().create(policies, new PolicyContext(config, kvCache, Map.of()));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("--policy " + text + ": " + e.getMessage(), e);
    }
  }

  /** What can be asked for by name, with what it does. */
  public static Map<String, String> descriptions() {
    return loader().descriptions();
  }

  private static PolicyLoader loader() {
    return new PolicyLoader(PolicyChoice.class.getClassLoader());
  }
}
