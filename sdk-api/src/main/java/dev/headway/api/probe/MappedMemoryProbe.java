package dev.headway.api.probe;

/**
 * A probe that writes to mapped files. A full disk under a mapping surfaces as an {@link
 * InternalError} at some later point of compiled code, even after the probe has returned. Call
 * {@link #surfaceFaults} after each write, so that the error is thrown where it can be handled; as
 * a fallback, the engine detaches the probes of this type when such an error reaches it, and goes
 * on.
 */
public interface MappedMemoryProbe extends Probe {

  /**
   * Makes a pending fault of a mapped write surface here.
   *
   * @throws InternalError if a write to mapped memory by this thread has failed
   */
  static void surfaceFaults() {
    Thread.holdsLock(MappedMemoryProbe.class); // enters the virtual machine, which throws it
  }
}
