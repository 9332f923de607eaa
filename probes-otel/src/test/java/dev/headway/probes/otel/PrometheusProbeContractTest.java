package dev.headway.probes.otel;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.RunInfo;
import dev.headway.probes.otel.live.PrometheusProbeProvider;
import dev.headway.testkit.probe.ProbeContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/** The metrics keep the contract. */
class PrometheusProbeContractTest extends ProbeContract {

  @Override
  protected Probe create() {
    final RunInfo run =
        RunInfo.builder(
                SchedulerConfig.builder(
                        SchedulerLimits.builder()
                            .maxNumSeqs(8)
                            .maxNumBatchedTokens(64)
                            .maxModelLen(128)
                            .build())
                    .build(),
                KvCacheShape.builder().blockSize(16).blocks(65).build())
            .headwayVersion("0")
            .executor("fake")
            .virtualTime(true)
            .build();
    try {
      return new PrometheusProbeProvider().create(new ProbeContext(run, Map.of("port", "0")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
