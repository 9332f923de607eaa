package dev.headway.routing.policy;

import java.util.Iterator;
import java.util.List;

/** The workers among which a decision is made, in the order in which they were added. Immutable. */
public final class WorkerSet implements Iterable<Worker> {

  private final List<? extends Worker> workers;

  /** Makes a set of distinct workers, which are copied. */
  public WorkerSet(List<? extends Worker> workers) {
    this.workers = List.copyOf(workers);
  }

  /** How many there are. */
  public int size() {
    return workers.size();
  }

  /** Whether there is none. */
  public boolean isEmpty() {
    return workers.isEmpty();
  }

  /** The worker at a place in [0, {@link #size}). */
  public Worker get(int candidate) {
    return workers.get(candidate);
  }

  /** The place of a worker, -1 if it is not among them. */
  public int indexOf(Worker worker) {
    return workers.indexOf(worker);
  }

  @Override
  public Iterator<Worker> iterator() {
    return List.<Worker>copyOf(workers).iterator();
  }

  @Override
  public String toString() {
    return workers.toString();
  }
}
