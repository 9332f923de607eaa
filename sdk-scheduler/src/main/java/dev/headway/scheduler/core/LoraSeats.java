package dev.headway.scheduler.core;

import dev.headway.api.config.Compatibility;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.request.RequestStatus;
import dev.headway.scheduler.queue.AdapterSeats;
import dev.headway.scheduler.queue.AdmissionQueue;
import dev.headway.scheduler.queue.RunningList;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/**
 * The LoRA adapters of a step: those of the running requests and of the requests admitted so far. A
 * running request that is not scheduled in this step keeps its adapter: it may be scheduled in the
 * next one. vLLM counts only those that are scheduled, and so exceeds the limit there.
 */
final class LoraSeats implements AdapterSeats {

  private final int maxLoras;
  private final boolean likeVllm;
  private final RunningList running;
  private final int[] adapters;
  private final @Nullable LoraDrain drain;
  private int taken;

  LoraSeats(SchedulerConfig config, RunningList running) {
    maxLoras = config.maxLoras();
    likeVllm = config.compatibility() == Compatibility.VLLM_0_28;
    this.running = running;
    // like vLLM, running requests keep their adapters even beyond the limit
    adapters = new int[config.limits().maxNumSeqs()];
    drain = LoraDrain.of(config, running);
  }

  /** Begins the admissions of a step with what is planned already. */
  void begin(PlanBuffer plan, AdmissionQueue waiting) {
    takeThoseOfTheStep(plan);
    if (drain != null) {
      drain.begin(this, waiting, plan.beginNs());
    }
  }

  private void takeThoseOfTheStep(PlanBuffer plan) {
    taken = 0;
    if (likeVllm) {
      for (int entry = 0; entry < plan.size(); entry++) {
        take(plan.state(entry));
      }
      return;
    }
    for (int index = 0; index < running.size(); index++) {
      take(running.get(index));
    }
  }

  /** Whether the request needs a seat and there is none. */
  boolean lacksSeat(RequestState request) {
    return areTaken()
        && request.hasAdapter()
        && (!holds(request.adapterId()) || isRefused(request));
  }

  /** The request's adapter is part of the step. */
  void take(RequestState request) {
    if (request.hasAdapter() && !holds(request.adapterId())) {
      adapters[taken++] = request.adapterId();
    }
  }

  @Override
  public boolean areTaken() {
    return taken >= maxLoras;
  }

  @Override
  public int count() {
    return taken;
  }

  @Override
  public int adapterId(int index) {
    return adapters[index];
  }

  /** Preempted requests of a drained adapter are admitted again: they have to end too. */
  private boolean isRefused(RequestState request) {
    return isDrained(request.adapterId()) && request.status != RequestStatus.PREEMPTED;
  }

  @Override
  public boolean isDrained(int adapterId) {
    return drain != null && drain.drains(adapterId);
  }

  @Override
  public boolean holds(int adapterId) {
    for (int i = 0; i < taken; i++) {
      if (adapters[i] == adapterId) {
        return true;
      }
    }
    return false;
  }
}
