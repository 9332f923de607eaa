package dev.headway.simulation.workload;

import java.util.OptionalLong;

/**
 * A workload around another one, which it owns: passes everything on but the requests; kinds
 * override what else they change. As its source, one thread at a time.
 */
public abstract class ForwardingWorkload implements Workload {

  private final Workload source;

  /** Takes ownership of {@code source}: closing this closes it. */
  protected ForwardingWorkload(Workload source) {
    this.source = source;
  }

  /** The workload around which this is. */
  protected final Workload source() {
    return source;
  }

  @Override
  public String name() {
    return source.name();
  }

  @Override
  public OptionalLong sizeHint() {
    return source.sizeHint();
  }

  @Override
  public Adjustments adjustments() {
    return source.adjustments();
  }

  @Override
  public void close() {
    source.close();
  }
}
