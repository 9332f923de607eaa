package dev.headway.scheduler.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.QueuePolicy;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Runs for an hour, or {@code -Dheadway.soak.minutes}: two engines that live all the time, one in
 * virtual time and one among threads, and a new one each round that ends in the middle of its work.
 * After each round the books must balance, all blocks be free and all handles done; at the end the
 * heap must not have grown with the requests served, and everything that can happen must have.
 *
 * <p>{@code ./mvnw -B -ntp -Psoak verify -pl sdk-scheduler -am}
 */
@Tag("soak")
class SoakTest {

  private static final int ROUND = 10_000;
  private static final int SHORT_LIFE = 2_000;
  private static final double MOST_BYTES_PER_REQUEST = 1.0;
  private static final long SAMPLE_NS = TimeUnit.SECONDS.toNanos(2);
  private static final long REPORT_NS = TimeUnit.MINUTES.toNanos(1);
  private static final String[] MUST_HAPPEN = {
    "STOP",
    "LENGTH",
    "ABORTED",
    "DEADLINE",
    "EXECUTOR_FAILED",
    "KV_CACHE_EXHAUSTED",
    "LISTENER_FAILED",
    "SHUTDOWN",
    "CONTEXT_LENGTH_LIMIT",
    "TOKEN_OUT_OF_VOCABULARY",
    "DUPLICATE_ID",
    "QUEUE_FULL",
    "preemptions",
    "reset",
    "steps failed",
    "listeners failed",
    "probes detached"
  };

  private final long seed = Long.getLong("headway.soak.seed", 1L);
  private final long beginNs = System.nanoTime();
  private final HeapTrend heap = new HeapTrend();
  private final Map<String, Long> totalsOfTheDead = new TreeMap<>();
  private final SoakEngine virtual =
      SoakEngine.inVirtualTime(SoakSetup.ofLongLife(QueuePolicy.PRIORITY), seed);
  private final SoakEngine threaded =
      SoakEngine.withThreads(SoakSetup.ofLongLife(QueuePolicy.FCFS), seed + 500);
  private long rounds;

  @Test
  void shouldKeepItsBooksAndItsMemory() {
    final long endNs =
        beginNs + TimeUnit.MINUTES.toNanos(Integer.getInteger("headway.soak.minutes", 60));
    long sampleNs = beginNs;
    long reportNs = beginNs + REPORT_NS;
    int threads = 0;
    while (System.nanoTime() < endNs) {
      round();
      if (System.nanoTime() >= sampleNs) {
        heap.add(served(), liveBytes());
        sampleNs = System.nanoTime() + SAMPLE_NS;
        threads = threads == 0 ? threadCount() : threads;
      }
      if (System.nanoTime() >= reportNs) {
        report();
        reportNs += REPORT_NS;
      }
    }
    report();
    final Map<String, Long> totals = totals();
    virtual.close();
    threaded.close();

    assertThat(heap.hasLine()).as("long enough for a line").isTrue();
    assertThat(heap.line().upperBound())
        .as("bytes of heap per request served, upper bound")
        .isLessThan(MOST_BYTES_PER_REQUEST);
    assertThat(totals).containsKeys(MUST_HAPPEN);
    assertThat(totals).allSatisfy((name, count) -> assertThat(count).as(name).isPositive());
    assertThat(threadCount()).as("threads").isLessThanOrEqualTo(threads + 2);
  }

  private void round() {
    virtual.round(ROUND);
    threaded.round(ROUND);
    final long roundSeed = seed + 1_000 + rounds++;
    final SoakSetup setup = SoakSetup.random(roundSeed);
    final SoakEngine shortLived =
        rounds % 2 == 0
            ? SoakEngine.inVirtualTime(setup, roundSeed)
            : SoakEngine.withThreads(setup, roundSeed);
    try (shortLived) {
      shortLived.liveAndEnd(SHORT_LIFE, roundSeed / 2);
    }
    shortLived.addTo(totalsOfTheDead);
  }

  private long served() {
    return virtual.served() + threaded.served() + totalsOfTheDead.getOrDefault("requests", 0L);
  }

  private Map<String, Long> totals() {
    final Map<String, Long> totals = new TreeMap<>(totalsOfTheDead);
    virtual.addTo(totals);
    threaded.addTo(totals);
    return totals;
  }

  /** What is left after a collection; nobody runs meanwhile. */
  private static long liveBytes() {
    System.gc();
    System.gc(); // what the first has only unlinked
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static int threadCount() {
    return ManagementFactory.getThreadMXBean().getThreadCount();
  }

  private void report() {
    final long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beginNs);
    System.out.printf(
        "soak: %d s, %,d rounds, %,d requests, %.2f MiB live, %d threads, heap %s%n  %s%n",
        seconds,
        rounds,
        served(),
        liveBytes() / 1048576.0,
        threadCount(),
        heap.hasLine() ? heap.line() : "too few samples",
        totals());
  }
}
