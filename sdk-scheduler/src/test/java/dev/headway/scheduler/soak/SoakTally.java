package dev.headway.scheduler.soak;

import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.engine.RequestOutcome.Rejected;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What the submitters of one engine have seen. Any thread. */
final class SoakTally {

  final AtomicLong submitted = new AtomicLong();
  final AtomicLong ended = new AtomicLong();
  final LongAdder tokens = new LongAdder();

  /** What must not have happened; the first few are kept. */
  private final ConcurrentLinkedQueue<String> violations = new ConcurrentLinkedQueue<>();

  private final AtomicLong violationCount = new AtomicLong();
  private final ConcurrentMap<String, LongAdder> events = new ConcurrentHashMap<>();

  void end(RequestOutcome outcome) {
    switch (outcome) {
      case Finished finished -> count(finished.reason().name());
      case Rejected rejected -> count(rejected.reason().name());
    }
    ended.incrementAndGet();
  }

  void count(String event) {
    events.computeIfAbsent(event, name -> new LongAdder()).increment();
  }

  void violation(String what) {
    if (violationCount.incrementAndGet() <= 20) {
      violations.add(what);
    }
  }

  /** Requests submitted that have not ended. */
  long undone() {
    return submitted.get() - ended.get();
  }

  void addTo(Map<String, Long> totals) {
    new TreeMap<>(events).forEach((name, count) -> totals.merge(name, count.sum(), Long::sum));
  }

  void requireNone(String when) {
    if (violationCount.get() > 0) {
      throw new AssertionError(when + ": violations=" + violationCount + ", first=" + violations);
    }
  }
}
