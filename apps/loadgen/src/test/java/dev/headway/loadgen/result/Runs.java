package dev.headway.loadgen.result;

import dev.headway.loadgen.client.Exchange;
import dev.headway.loadgen.client.Exchange.Status;
import dev.headway.loadgen.dataset.BenchRequest;
import dev.headway.loadgen.metrics.Latency;
import dev.headway.loadgen.metrics.ServiceLevel;
import dev.headway.loadgen.run.RunRecord;
import dev.headway.loadgen.run.RunResult;
import dev.headway.routing.timing.TimingStage;
import dev.headway.simulation.workload.WorkloadRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A run of three answered requests and one that failed, with round figures. */
public final class Runs {

  static final long ORIGIN_NS = 1_000_000_000_000L;
  private static final long MS = 1_000_000;

  private Runs() {}

  /** Answered, each token 20 ms after the last, the first 100 ms after sending. */
  static RunRecord ok(int index, String tenant) {
    final Exchange exchange = new Exchange(true, done -> {});
    final long arrivedNs = ORIGIN_NS + index * 100 * MS;
    sent(exchange, arrivedNs);
    for (int token = 0; token < 4; token++) {
      exchange.chunk(arrivedNs + 10 * MS + (100 + 20L * token) * MS, "x");
    }
    exchange.usage(10, 2, 4);
    exchange.finishReason("length");
    exchange.done(arrivedNs + 180 * MS);
    return record(index, tenant, exchange);
  }

  static RunRecord failed(int index) {
    final Exchange exchange = new Exchange(true, done -> {});
    sent(exchange, ORIGIN_NS + index * 100 * MS);
    exchange.failed(Status.ERROR, ORIGIN_NS + (index * 100 + 50) * MS, "HTTP 503: full");
    return record(index, null, exchange);
  }

  private static void sent(Exchange exchange, long arrivedNs) {
    exchange.at().set(TimingStage.INTENDED, arrivedNs - 1_000).set(TimingStage.ARRIVED, arrivedNs);
    exchange.sent(arrivedNs + 10 * MS);
  }

  private static RunRecord record(int index, @Nullable String tenant, Exchange exchange) {
    return new RunRecord(
        index,
        "bench-" + index,
        new BenchRequest(
            new WorkloadRequest("r" + index, index * 100 * MS, 10, 4, new int[0], 0, tenant, 0),
            null),
        false,
        exchange.at().ns(TimingStage.ARRIVED) + 10 * MS,
        exchange);
  }

  static RunReport report(List<RunRecord> records, RunFacts facts) {
    return RunReport.of(
        facts,
        new RunResult(
            Instant.parse("2026-11-23T10:00:00Z"),
            ORIGIN_NS,
            1_000 * MS,
            records,
            List.of(),
            records.size(),
            10,
            Map.of("preemptions_total", 3.0),
            RunResult.End.COMPLETE));
  }

  /** The usual run. */
  public static RunReport report() {
    final List<RunRecord> records = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      records.add(ok(i, "tenant-" + i % 2));
    }
    records.add(failed(3));
    return report(records, facts(4));
  }

  static RunFacts facts(int requests) {
    return new RunFacts(
        "openai",
        null,
        "http://127.0.0.1:8000/v1/completions",
        "meta/llama",
        "random",
        requests,
        "Poisson, 10 requests/s",
        10,
        1,
        8,
        null,
        0,
        ServiceLevel.parse(List.of("ttft:100")),
        List.of(Latency.values()),
        List.of(50.0, 99.0, 99.9),
        Map.of("gpu_type", "none"));
  }
}
