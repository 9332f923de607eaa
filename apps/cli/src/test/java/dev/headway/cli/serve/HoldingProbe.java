package dev.headway.cli.serve;

import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeProvider;
import java.util.concurrent.CountDownLatch;

/** Holds the engine's thread for ever at the first step, whoever interrupts it. */
public final class HoldingProbe implements ProbeProvider {

  /** What it prints then. */
  static final String HELD = "the engine is held";

  @Override
  public String name() {
    return "holding";
  }

  @Override
  public String description() {
    return "Holds the engine.";
  }

  @Override
  public Probe create(ProbeContext context) {
    return new Probe() {
      @Override
      @SuppressWarnings("SystemOut")
      public void onPlanned(PlannedEvent event) {
        System.out.println(HELD);
        while (true) {
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException e) {
            // as if nothing had been
          }
        }
      }
    };
  }
}
