package dev.headway.examples.custompolicy;

import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicyProvider;
import java.util.Set;

/** Makes a {@link SparePreempted} for an engine that asks for {@code spare-preempted}. */
public final class SparePreemptedProvider implements PolicyProvider {

  private static final String LIMIT = "limit";

  /** Called by {@link java.util.ServiceLoader}. */
  public SparePreemptedProvider() {}

  @Override
  public String name() {
    return "spare-preempted";
  }

  @Override
  public String description() {
    return "Victim: another request than the needy one, the one preempted least often. Options:"
        + " limit=4 (preemptions from which all count the same).";
  }

  @Override
  public Policies create(PolicyContext context) {
    if (!Set.of(LIMIT).containsAll(context.options().keySet())) {
      throw new IllegalArgumentException(
          "spare-preempted has one option, limit: options=" + context.options());
    }
    final int limit = Integer.parseInt(context.options().getOrDefault(LIMIT, "4"));
    return Policies.builder().victim(new SparePreempted(limit)).build();
  }
}
