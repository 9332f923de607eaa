package dev.headway.loadgen.result;

import dev.headway.loadgen.metrics.BenchMetrics;
import dev.headway.loadgen.metrics.Intervals;
import dev.headway.loadgen.metrics.Latency;
import dev.headway.loadgen.run.RunResult;
import dev.headway.toolbox.stats.SortedSample;

/**
 * A run with its figures.
 *
 * @param facts what was asked for
 * @param run what happened
 * @param metrics figures of the requests that were answered
 * @param intervals how sure the most important of them are
 * @param chain every request with all its instants
 * @param stages where their time went
 */
public record RunReport(
    RunFacts facts,
    RunResult run,
    BenchMetrics metrics,
    Intervals intervals,
    ChainCsv chain,
    StageDigest stages) {

  /** Takes the figures of a run. */
  public static RunReport of(RunFacts facts, RunResult run) {
    final var samples = run.samples();
    final ChainCsv chain = ChainCsv.of(run);
    return new RunReport(
        facts,
        run,
        BenchMetrics.of(samples, run.failed(), run.durationSeconds(), facts.levels()),
        Intervals.of(samples, run.failed(), run.durationSeconds(), facts.levels(), facts.seed()),
        chain,
        StageDigest.of(chain));
  }

  /** Answered requests whose tokens are the parts with text, since the server counted none. */
  public long countedByChunks() {
    return run.measured().stream().filter(r -> r.isOk() && !r.exchange().isCounted()).count();
  }

  /** End-to-end latencies of the probe. */
  public SortedSample probeLatency() {
    return SortedSample.of(Latency.E2EL.seconds(run.probeSamples()));
  }
}
