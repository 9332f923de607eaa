package dev.headway.faultsim.simulation;

import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.BlockedEvent;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.FirstTokenEvent;
import dev.headway.api.probe.MappedMemoryProbe;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.PreemptedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.probe.RejectedEvent;
import dev.headway.api.probe.StepCompletedEvent;

/** A probe that goes wrong at a random event, or takes its time at random ones. */
class FaultyProbe implements Probe {

  private final World world;
  private final Feature fault;
  private final Dice dice;
  private int eventsLeft;

  FaultyProbe(World world, Feature fault, long seed) {
    this.world = world;
    this.fault = fault;
    dice = new Dice().start(seed, "probe of " + fault, 0);
    eventsLeft = dice.below(dice.oneIn(4) ? 20 : 5_000);
  }

  /** One that writes to mapped memory. */
  static final class Mapped extends FaultyProbe implements MappedMemoryProbe {
    Mapped(World world, long seed) {
      super(world, Feature.MAPPED_FAULTS, seed);
    }
  }

  private void event() {
    if (fault == Feature.SLOW_PROBES) {
      if (world.injectsFaults() && dice.oneIn(50)) {
        world.faultHappened(fault);
        world.passTime(dice.below(50_000_000));
      }
    } else if (--eventsLeft == 0 && world.injectsFaults()) {
      world.faultHappened(fault);
      world.probeThrew();
      if (fault == Feature.MAPPED_FAULTS) {
        throw new InternalError("a fault occurred in an unsafe memory access operation");
      }
      throw Fault.of("probe", dice);
    }
  }

  @Override
  public void onQueued(QueuedEvent event) {
    event();
  }

  @Override
  public void onRejected(RejectedEvent event) {
    event();
  }

  @Override
  public void onAdmitted(AdmittedEvent event) {
    event();
  }

  @Override
  public void onBlocked(BlockedEvent event) {
    event();
  }

  @Override
  public void onPreempted(PreemptedEvent event) {
    event();
  }

  @Override
  public void onPlanned(PlannedEvent event) {
    event();
  }

  @Override
  public void onFirstToken(FirstTokenEvent event) {
    event();
  }

  @Override
  public void onFinished(FinishedEvent event) {
    event();
  }

  @Override
  public void onStepCompleted(StepCompletedEvent event) {
    event();
  }

  @Override
  public void onIdle(long nowNs) {
    event();
  }
}
