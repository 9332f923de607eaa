package dev.headway.api.probe;

/**
 * Makes a probe by name. Found by {@link java.util.ServiceLoader}; a provider on the path does
 * nothing until its name is given to the engine's builder.
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
   * Makes a probe for one engine. A provider that throws fails the build of that engine.
   *
   * @throws IllegalArgumentException naming the option, its value and the constraint
   * @throws Exception whatever keeps the probe from working, for example an unwritable directory
   */
  Probe create(ProbeContext context) throws Exception;
}
