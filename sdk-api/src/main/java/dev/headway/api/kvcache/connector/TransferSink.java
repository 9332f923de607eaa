package dev.headway.api.kvcache.connector;

import dev.headway.api.step.TransferReport;

/**
 * Where a connector reports transfers that have ended between steps. Any thread; the engine takes
 * the reports over before its next step, and goes on if it rests.
 */
@FunctionalInterface
public interface TransferSink {

  /**
   * Takes a report over; copies what it needs of it.
   *
   * @param report may be used again after the call
   */
  void report(TransferReport report);
}
