package dev.headway.api.policy;

/**
 * Makes policies by name. Found by {@link java.util.ServiceLoader}; a provider on the path does
 * nothing until its name is given to the engine's builder.
 */
public interface PolicyProvider {

  /** The name to ask for: lower case with hyphens, for example {@code longest-prefix-match}. */
  String name();

  /** What the policy does, in one sentence, and its options with their defaults; for listings. */
  String description();

  /**
   * Makes the policies for one engine.
   *
   * @throws IllegalArgumentException naming the option, its value and the constraint
   */
  Policies create(PolicyContext context);
}
