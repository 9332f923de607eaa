package dev.headway.simulation.run;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.request.Request;
import java.util.Iterator;
import java.util.function.Function;

/**
 * A closed loop in virtual time: so many clients, each of which sends a request as soon as its last
 * one has ended, until there are no more.
 *
 * <p>Keeps no request. One thread.
 */
public final class ClosedLoop {

  private final Engine engine;
  private final Iterator<Request> requests;
  private final Function<Request, TokenListener> listeners;
  private int free;

  /**
   * Makes a loop.
   *
   * @param engine in virtual time
   * @param clients requests that are alive at once, >= 1
   * @param requests what is sent, in this order
   * @param listeners the listener of each request, asked for when it is sent
   */
  public ClosedLoop(
      Engine engine,
      int clients,
      Iterator<Request> requests,
      Function<Request, TokenListener> listeners) {
    if (clients < 1) {
      throw new IllegalArgumentException("clients must be >= 1: clients=" + clients);
    }
    this.engine = engine;
    this.free = clients;
    this.requests = requests;
    this.listeners = listeners;
  }

  /**
   * Runs until every request has ended.
   *
   * @throws SimulationException if requests are alive and nothing can ever progress
   */
  public void run() {
    while (true) {
      while (free > 0 && requests.hasNext()) {
        free--;
        send(requests.next());
      }
      if (!engine.step()) {
        final long deadlineNs = engine.nextDeadlineNs();
        if (deadlineNs == ABSENT) {
          requireAllEnded();
          return;
        }
        engine.clock().sleepUntil(deadlineNs);
      }
    }
  }

  private void send(Request request) {
    engine
        .submit(request, listeners.apply(request))
        .outcome()
        .whenComplete((outcome, failure) -> free++);
  }

  private void requireAllEnded() {
    final long alive = engine.stats().waiting() + engine.stats().running();
    if (alive > 0) {
      throw new SimulationException(
          "the loop makes no progress: no step can run: alive="
              + alive
              + ", stats="
              + engine.stats());
    }
  }
}
