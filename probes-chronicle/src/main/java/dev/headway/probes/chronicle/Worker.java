package dev.headway.probes.chronicle;

/** Does a {@link Duty} when it is due. */
interface Worker extends AutoCloseable {

  /** Makes workers. */
  @FunctionalInterface
  interface Maker {
    /** Makes one that has not been started. */
    Worker make(String name, Duty duty);
  }

  /** Begins; once. */
  void start();

  /** Says that something may be due. Any thread; never blocks. */
  void wake();

  /** Waits until the duty has returned; it is not called again. */
  @Override
  void close();
}
