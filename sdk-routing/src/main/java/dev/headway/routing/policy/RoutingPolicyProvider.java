package dev.headway.routing.policy;

/**
 * Makes a routing policy by name. Found by {@link java.util.ServiceLoader}; names are unique over
 * all providers.
 */
public interface RoutingPolicyProvider {

  /** The name to ask for: lower case with hyphens, for example {@code power-of-two}. */
  String name();

  /** What the policy does, in one sentence, and its options with their defaults; for listings. */
  String description();

  /**
   * Makes the policy for one router.
   *
   * @throws IllegalArgumentException naming the option, its value and the constraint, or what the
   *     context lacks
   */
  RoutingPolicy create(RoutingContext context);
}
