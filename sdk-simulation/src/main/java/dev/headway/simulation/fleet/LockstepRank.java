package dev.headway.simulation.fleet;

import dev.headway.api.internal.Threads;
import dev.headway.api.step.LatencyModel;
import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.run.SimulationException;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * An instance whose steps wait, once planned, for what they take: its engine runs on a thread of
 * its own, which takes turns with the caller's. All methods but {@link #stepNs} are for one thread,
 * the caller's.
 */
final class LockstepRank implements LatencyModel, AutoCloseable {

  private final Semaphore toRun = new Semaphore(0);
  private final Semaphore toCaller = new Semaphore(0);
  private final LatencyModel alone;
  private final FleetInstance instance;
  private final Thread thread;
  private @Nullable StepFeatures planned;
  private @Nullable RuntimeException failure;
  private boolean worked;
  private boolean isOver;
  private long stepNs;

  /** Makes the instance of a number, and starts its thread. */
  LockstepRank(int number, EngineSettings settings, String name, FleetEvents events) {
    alone = settings.latency();
    instance = new FleetInstance(number, settings.withLatency(this), name, events);
    thread = Thread.ofPlatform().daemon().name("rank-" + number).start(this::drive);
  }

  /** The instance; for the caller's turns. */
  FleetInstance instance() {
    return instance;
  }

  /** Plans the next step; null if there is nothing to do. */
  @Nullable StepFeatures plan() {
    do {
      takeTurn();
    } while (planned == null && worked);
    return planned;
  }

  /** Whether a step waits for what it takes. */
  boolean isPlanned() {
    return planned != null;
  }

  /** Runs the planned step. */
  void run(long ns) {
    stepNs = ns;
    planned = null;
    takeTurn();
  }

  private void takeTurn() {
    toRun.release();
    toCaller.acquireUninterruptibly();
    if (failure != null) {
      throw failure;
    }
  }

  private void drive() {
    try {
      toRun.acquire();
      while (!isOver) {
        worked = instance.step();
        toCaller.release();
        toRun.acquire();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    } catch (RuntimeException e) {
      failure = e;
      toCaller.release();
    }
  }

  /** Waits for the other ranks; on the thread of the engine. */
  @Override
  public long stepNs(StepFeatures step) {
    planned = step;
    toCaller.release();
    try {
      toRun.acquire();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SimulationException("the run was ended");
    }
    return stepNs;
  }

  @Override
  public void close() {
    isOver = true;
    thread.interrupt();
    Threads.awaitEnd(thread);
    instance.close();
  }

  @Override
  public String toString() {
    return Objects.toString(alone);
  }
}
