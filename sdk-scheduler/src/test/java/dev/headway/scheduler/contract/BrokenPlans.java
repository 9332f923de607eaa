package dev.headway.scheduler.contract;

import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.PlannedBlocks;
import dev.headway.api.step.StepPlan;
import dev.headway.api.support.SimpleEndedRequests;
import dev.headway.scheduler.contract.BrokenScheduler.Fault;
import java.util.IdentityHashMap;
import java.util.Map;

/** Plans with a fault, the same ones in the events. */
final class BrokenPlans {

  private final Fault fault;
  private final IdentityHashMap<StepPlan, StepPlan> soundOf = new IdentityHashMap<>();

  BrokenPlans(Fault fault) {
    this.fault = fault;
  }

  Probe notifying(Probe probe) {
    return Faults.wrap(
        Probe.class,
        probe,
        (method, arguments) -> {
          if (method.getName().equals("onPlanned")) {
            arguments[0] = broken((PlannedEvent) arguments[0]);
          }
          return Faults.GO_ON;
        });
  }

  private PlannedEvent broken(PlannedEvent event) {
    final StepPlan plan = broken(event.plan());
    return Faults.wrap(
        PlannedEvent.class,
        event,
        (method, arguments) -> method.getName().equals("plan") ? plan : Faults.GO_ON);
  }

  private StepPlan broken(StepPlan plan) {
    for (Map.Entry<StepPlan, StepPlan> known : soundOf.entrySet()) {
      if (known.getValue() == plan) {
        return known.getKey();
      }
    }
    final StepPlan broken = Faults.wrap(StepPlan.class, plan, (m, a) -> of(plan, m.getName(), a));
    soundOf.put(broken, plan);
    return broken;
  }

  private Object of(StepPlan plan, String call, Object[] arguments) {
    if (call.equals("blocks") && fault == Fault.ANNOUNCES_TOO_FEW_BLOCKS) {
      final PlannedBlocks blocks = plan.blocks();
      return Faults.wrap(
          PlannedBlocks.class,
          blocks,
          (method, of) ->
              method.getName().equals("newFrom")
                  ? blocks.count((int) of[0], (int) of[1])
                  : Faults.GO_ON);
    }
    if (call.equals("kind") && fault == Fault.CALLS_RESUMED_NEW) {
      final EntryKind kind = plan.kind((int) arguments[0]);
      return kind == EntryKind.RESUMED ? EntryKind.NEW : kind;
    }
    if (call.equals("preempted") && fault == Fault.ANNOUNCES_NO_PREEMPTION) {
      return new SimpleEndedRequests();
    }
    return Faults.GO_ON;
  }

  StepPlan returned(StepPlan sound) {
    return fault == Fault.PLANS_ANOTHER_THAN_IT_TELLS ? sound : broken(sound);
  }

  StepPlan sound(StepPlan plan) {
    return soundOf.getOrDefault(plan, plan);
  }
}
