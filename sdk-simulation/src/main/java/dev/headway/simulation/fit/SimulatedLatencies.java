package dev.headway.simulation.fit;

import dev.headway.api.step.LatencyModel;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.simulation.calibrate.LatencyMetric;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.run.RunMeter;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.Workloads;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Latencies of the requests of a run in one simulation, in ns by {@link LatencyMetric}; NaN for a
 * request that was refused, and for the time per token of a single token.
 */
final class SimulatedLatencies {

  private static final int METRICS = LatencyMetric.values().length;

  private final double[][] ns;

  private SimulatedLatencies(int requests) {
    ns = new double[METRICS][requests];
    for (double[] metric : ns) {
      Arrays.fill(metric, Double.NaN);
    }
  }

  /** Simulates a run to its end. */
  static SimulatedLatencies of(MeasuredRun run, LatencyModel latency) {
    final SimulatedLatencies result = new SimulatedLatencies(run.size());
    final Map<String, Integer> indices = new HashMap<>();
    for (int i = 0; i < run.size(); i++) {
      indices.putIfAbsent(run.load().get(i).requestId(), i);
    }
    final RunMeter meter =
        new RunMeter(
            new RunMeter.RequestEnds() {
              @Override
              public void finished(RequestTimeline request, FinishedRecord end) {
                final Integer index = indices.get(request.queued().requestId());
                if (index != null && end.outputTokens() > 0) {
                  result.put(index, request.ttftNs(), request.endToEndNs(), end.outputTokens());
                }
              }

              @Override
              public void rejected(RejectedRecord rejection) {}
            });
    final EngineSettings settings = run.simulatedEngine().withLatency(latency);
    try (Workload workload = Workloads.of(run.label(), run.load())) {
      settings.run(run.label(), workload, meter.probe());
    }
    return result;
  }

  private void put(int index, long ttftNs, long endToEndNs, long tokens) {
    ns[index(LatencyMetric.TTFT)][index] = (double) ttftNs;
    ns[index(LatencyMetric.E2E)][index] = (double) endToEndNs;
    if (tokens > 1) {
      ns[index(LatencyMetric.TPOT)][index] = (double) (endToEndNs - ttftNs) / (tokens - 1);
    }
  }

  @SuppressWarnings("EnumOrdinal") // an index within this process
  private static int index(LatencyMetric metric) {
    return metric.ordinal();
  }

  double ns(LatencyMetric metric, int request) {
    return ns[index(metric)][request];
  }
}
