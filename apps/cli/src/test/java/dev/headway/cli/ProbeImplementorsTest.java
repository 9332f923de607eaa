package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import dev.headway.api.probe.Probe;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Who may implement {@link Probe}. What happened to a request is derived once, by the model behind
 * {@code RunProbe}: a reader of events is a {@code RunListener}, and has the figures of the report
 * and of the CSV files. A probe of its own derives them anew, and wrongly one day.
 */
class ProbeImplementorsTest {

  /** Each with the reason. */
  private static final Map<String, String> ALLOWED =
      Map.ofEntries(
          Map.entry("dev.headway.scheduler.probes.ProbeDispatcher", "the one probe of the engine"),
          Map.entry(
              "dev.headway.scheduler.core.ContinuousBatchingScheduler$Builder$1", "does nothing"),
          Map.entry("dev.headway.events.record.EventRecorder", "writes events and derives nothing"),
          Map.entry("dev.headway.events.inprocess.RunProbe", "feeds the model"),
          Map.entry("dev.headway.routing.kvevents.KvEventsProbe", "passes KV blocks on"),
          Map.entry("dev.headway.probes.chronicle.ChronicleProbeProvider$Silent", "does nothing"),
          Map.entry("dev.headway.report.profile.ProfileProbeProvider$Silent", "does nothing"),
          Map.entry(
              "dev.headway.serving.EngineTimes",
              "instants and the first reason of watched requests only, in time for their answers"),
          Map.entry("dev.headway.simulation.fleet.FleetInstance$Blocks", "passes KV blocks on"));

  @Test
  void shouldBeFew() {
    final TreeSet<String> probes =
        ModuleDependencyTest.CLASSES.stream()
            .filter(each -> each.isAssignableTo(Probe.class) && !each.isInterface())
            .filter(each -> !each.getPackageName().startsWith("dev.headway.testkit"))
            .filter(each -> !extendsAnAllowed(each))
            .map(JavaClass::getName)
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(probes)
        .as("a reader of events must be a RunListener, or have a reason here")
        .containsExactlyInAnyOrderElementsOf(ALLOWED.keySet());
  }

  /** The recorder's and the model's own kinds. */
  private static boolean extendsAnAllowed(JavaClass each) {
    return each.getRawSuperclass().map(parent -> parent.isAssignableTo(Probe.class)).orElse(false);
  }
}
