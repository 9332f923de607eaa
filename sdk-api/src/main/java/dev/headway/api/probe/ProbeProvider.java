package dev.headway.api.probe;

import org.jspecify.annotations.Nullable;

/**
 * Makes a probe by name. Found by {@link java.util.ServiceLoader}; a provider on the path does
 * nothing until its name is given to the engine's builder, or the builder is set to look into the
 * environment and its switch is on there.
 *
 * <p>Names are unique: two providers of one name, or a name without a provider, fail the build of
 * the engine with a list of the providers found.
 */
public interface ProbeProvider {

  /** The name to ask for: lower case, for example {@code chronicle}. */
  String name();

  /** What the probe does, in one sentence; for listings. */
  String description();

  /** Probes with a smaller order are notified first; equal orders go by name. */
  default int order() {
    return 0;
  }

  /**
   * What the environment of the process asks of this probe; null, as usual, for nothing. Asked only
   * by engines that are set to look there, and only if the program did not ask for this probe.
   *
   * @throws IllegalArgumentException naming a switch, its value and what is allowed
   */
  default @Nullable ProbeRequest requested(ProbeEnvironment environment) {
    return null;
  }

  /**
   * Makes a probe for one engine. A provider that throws fails the build of that engine.
   *
   * @throws IllegalArgumentException naming the option, its value and the constraint
   * @throws Exception whatever keeps the probe from working, for example an unwritable directory
   */
  Probe create(ProbeContext context) throws Exception;
}
