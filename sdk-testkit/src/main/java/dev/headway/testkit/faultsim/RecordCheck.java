package dev.headway.testkit.faultsim;

import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.probe.Probe;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something that records beside the engine, such as a journal, and is compared with what callers
 * have seen. Made anew for every scenario.
 */
public interface RecordCheck extends AutoCloseable {

  /** The probe that records; the last of the engine's. */
  Probe probe();

  /**
   * Compares when the engine is closed.
   *
   * @param outcomes what became of the requests that ran, in the order of their ends
   * @return what is wrong, or null
   */
  @Nullable String findDifference(List<RequestOutcome.Finished> outcomes);

  /** Removes what it has written. */
  @Override
  void close();
}
