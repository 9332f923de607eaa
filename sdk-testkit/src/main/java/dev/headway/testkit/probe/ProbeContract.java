package dev.headway.testkit.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What the engine relies on in a {@link Probe}: extend it in a test and give the factory. Every
 * event method is called many times, with plausible figures in no consistent order.
 *
 * {@snippet :
 * class MyProbeTest extends ProbeContract {
 *   @Override
 *   protected Probe create() {
 *     return new MyProbe();
 *   }
 * }
 * }
 */
@Timeout(60)
public abstract class ProbeContract {

  private static final int VARIANTS = 60;

  private static final List<Method> EVENTS =
      Arrays.stream(Probe.class.getMethods())
          .filter(method -> method.getName().startsWith("on"))
          .filter(method -> !method.getName().equals("onRunStarted"))
          .sorted(Comparator.comparing(Method::getName))
          .toList();

  private static final Method RUN_STARTED =
      Arrays.stream(Probe.class.getMethods())
          .filter(method -> method.getName().equals("onRunStarted"))
          .findFirst()
          .orElseThrow();

  private final LentEvents events = new LentEvents();

  /** For subclasses. */
  protected ProbeContract() {}

  /** Makes the probe to be tested, a new one for each call. */
  protected abstract Probe create();

  @Test
  void shouldAskForTheSameEventsEachTime() {
    final Probe probe = create();

    final Set<ProbeInterest> asked = Set.copyOf(probe.interests());

    assertEquals(asked, Set.copyOf(probe.interests()), "interests must be constant");
    probe.close();
  }

  @Test
  void shouldTakeEveryEventItAskedFor() {
    final Probe probe = create();

    run(probe, probe.interests());

    close(probe);
  }

  @Test
  void shouldTakeEveryEvent() {
    final Probe probe = create();

    run(probe, EnumSet.allOf(ProbeInterest.class));

    close(probe);
  }

  @Test
  void shouldUseNoViewAfterTheCallItWasLentFor() {
    final Probe probe = create();
    run(probe, probe.interests());

    close(probe);

    assertEquals(List.of(), events.violations(), "views used after their call");
  }

  @Test
  void shouldCloseWithoutARun() {
    close(create());
  }

  @Test
  void shouldCloseAfterARunWithoutEvents() {
    final Probe probe = create();
    call(probe, RUN_STARTED, 0);

    close(probe);
  }

  private void run(Probe probe, Set<ProbeInterest> asked) {
    call(probe, RUN_STARTED, 0);
    for (int variant = 0; variant < VARIANTS; variant++) {
      for (Method event : EVENTS) {
        if (asked.contains(kindOf(event.getName()))) {
          call(probe, event, variant);
        }
      }
    }
  }

  private static ProbeInterest kindOf(String event) {
    return switch (event) {
      case "onBlocked", "onUnblocked", "onAdmissionsClosed" -> ProbeInterest.WAITS;
      case "onPlanned", "onStepCompleted", "onIdle", "onLimitsChanged" -> ProbeInterest.STEPS;
      case "onKvTransfer" -> ProbeInterest.KV_TRANSFERS;
      case "onCacheReset" -> ProbeInterest.CACHE_RESETS;
      case "onJourney" -> ProbeInterest.JOURNEYS;
      case "onScored" -> ProbeInterest.SCORES;
      default -> event.startsWith("onKv") ? ProbeInterest.KV_BLOCKS : ProbeInterest.REQUESTS;
    };
  }

  private void call(Probe probe, Method event, int variant) {
    try {
      events.call(probe, event, variant);
    } catch (Throwable t) {
      fail("a probe must not throw: event=" + event.getName() + ", variant=" + variant, t);
    }
  }

  private static void close(Probe probe) {
    try {
      probe.close();
    } catch (RuntimeException e) {
      fail("a probe must close without an exception", e);
    }
  }
}
