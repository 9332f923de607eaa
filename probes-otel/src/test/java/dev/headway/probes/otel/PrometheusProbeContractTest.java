package dev.headway.probes.otel;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.RunInfo;
import dev.headway.probes.otel.live.PrometheusProbeProvider;
import dev.headway.testkit.FakeRun;
import dev.headway.testkit.probe.ProbeContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/** The metrics keep the contract. */
class PrometheusProbeContractTest extends ProbeContract {

  @Override
  protected Probe create() {
    final RunInfo run = FakeRun.builder(65).headwayVersion("0").executor("fake").build();
    try {
      return new PrometheusProbeProvider().create(new ProbeContext(run, Map.of("port", "0")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
