package dev.headway.api.policy;

/**
 * Makes policies by name. Found by {@link java.util.ServiceLoader}; a provider on the path does
 * nothing until its name is given to the engine's builder.
 *
 * <p>There is no order among policies, as there is among probes: each decision has one policy.
 */
public interface PolicyProvider {

  /** The name to ask for: lower case with hyphens, for example {@code longest-prefix-match}. */
  String name();

  /** What the policy does, in one sentence, and its options with their defaults; for listings. */
  String description();

  /**
   * Makes the policies for one engine. A provider that throws fails the build of that engine.
   *
   * @throws IllegalArgumentException naming the option, its value and the constraint
   * @throws Exception whatever else keeps the policy from working, for example an unreadable model
   */
  Policies create(PolicyContext context) throws Exception;
}
