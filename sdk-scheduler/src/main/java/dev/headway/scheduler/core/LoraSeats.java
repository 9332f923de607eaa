package dev.headway.scheduler.core;

import dev.headway.scheduler.queue.AdapterSeats;
import dev.headway.scheduler.state.RequestState;

/**
 * The LoRA adapters of a step: those of the running requests that were scheduled and of the
 * requests admitted so far.
 */
final class LoraSeats implements AdapterSeats {

  private static final int UNLIMITED = 0;

  private final int maxLoras;
  private final int[] adapters;
  private int taken;

  LoraSeats(int maxLoras, int maxNumSeqs) {
    this.maxLoras = maxLoras;
    adapters = new int[maxNumSeqs]; // running requests keep their adapters even beyond the limit
  }

  /** Begins the admissions of a step with what is planned already. */
  void begin(PlanBuffer plan) {
    if (maxLoras == UNLIMITED) {
      return;
    }
    taken = 0;
    for (int entry = 0; entry < plan.size(); entry++) {
      take(plan.state(entry));
    }
  }

  /** Whether the request needs a seat and there is none. */
  boolean lacksSeat(RequestState request) {
    return areTaken() && request.hasAdapter() && !holds(request.adapterId());
  }

  /** The request's adapter is part of the step. */
  void take(RequestState request) {
    if (maxLoras != UNLIMITED && request.hasAdapter() && !holds(request.adapterId())) {
      adapters[taken++] = request.adapterId();
    }
  }

  @Override
  public boolean areTaken() {
    return maxLoras != UNLIMITED && taken >= maxLoras;
  }

  @Override
  public int count() {
    return taken;
  }

  @Override
  public int adapterId(int index) {
    return adapters[index];
  }

  private boolean holds(int adapterId) {
    for (int i = 0; i < taken; i++) {
      if (adapters[i] == adapterId) {
        return true;
      }
    }
    return false;
  }
}
