package dev.headway.scheduler.core;

import dev.headway.api.request.RequestView;
import dev.headway.scheduler.encoder.EncoderCache;
import dev.headway.scheduler.queue.RunningList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a scheduler holds at present, for tests and diagnosis. Engine thread only; allocates, and
 * costs as much as is visited.
 */
public final class SchedulerInspection {

  private final SchedulerState state;

  SchedulerInspection(SchedulerState state) {
    this.state = state;
  }

  /** Visits the running requests in the order of their admission. */
  public void forEachRunning(Consumer<? super RequestView> visitor) {
    final RunningList running = state.running;
    for (int i = 0; i < running.size(); i++) {
      visitor.accept(running.get(i));
    }
  }

  /** Visits the waiting requests in the order of their admission. */
  public void forEachWaiting(Consumer<? super RequestView> visitor) {
    state.waiting.forEachInOrder(visitor::accept);
  }

  /** Visits the waiting requests that were passed over. */
  public void forEachPassedOver(Consumer<? super RequestView> visitor) {
    state.waiting.forEachPassedOver(visitor::accept);
  }

  /** Visits the sessions that wait for input and have a seat. */
  public void forEachIdleSession(Consumer<? super RequestView> visitor) {
    if (state.sessions != null) {
      state.sessions.forEachIdle(visitor::accept);
    }
  }

  /** Sessions that wait for input. */
  public int sessionsWaitingForInput() {
    return state.sessions == null ? 0 : state.sessions.waitingForInput();
  }

  /**
   * Requests that scheduling can still finish: running and waiting ones but for sessions that wait
   * for input; only the running ones while admission is paused; none while all scheduling is
   * paused.
   */
  public int unfinishedCount() {
    return switch (state.pauseState) {
      case RUNNING -> state.running.size() + state.waiting.size() - sessionsWaitingForInput();
      case NO_ADMISSIONS -> state.running.size();
      case PAUSED -> 0;
    };
  }

  /** How often the draft token at {@code position} was accepted. */
  public long acceptedDraftsAt(int position) {
    return state.speculation == null ? 0 : state.speculation.acceptedAt(position);
  }

  /** Dealings with the KV connector; null without one. */
  @Nullable KvExchange exchange() {
    return state.exchange;
  }

  /** Which outputs of the encoder are kept; null without one. */
  @Nullable EncoderCache encoderCache() {
    return state.encoder == null ? null : state.encoder.cache();
  }
}
