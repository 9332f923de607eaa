package dev.headway.testkit.connector;

import dev.headway.api.kvcache.connector.TransferSink;
import dev.headway.api.step.TransferReport;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Notes what a connector reports. Any thread. */
final class TransferLog implements TransferSink {

  private final Map<Long, Integer> received = new HashMap<>();
  private final Map<Long, Integer> sent = new HashMap<>();
  private final Set<Integer> invalid = new HashSet<>();
  private final Set<Integer> lateInvalid = new HashSet<>();
  private final Map<Long, Set<Integer>> loads = new HashMap<>();

  /** The load of a request into these blocks is out. */
  synchronized void loading(long request, Set<Integer> blocks) {
    loads.put(request, blocks);
  }

  @Override
  public synchronized void report(TransferReport report) {
    for (int i = 0; i < report.invalidCount(); i++) {
      final int block = report.invalidAt(i);
      invalid.add(block);
      if (loads.values().stream().noneMatch(blocks -> blocks.contains(block))) {
        lateInvalid.add(block);
      }
    }
    for (int i = 0; i < report.receivedCount(); i++) {
      received.merge(report.receivedAt(i), 1, Integer::sum);
      loads.remove(report.receivedAt(i));
    }
    for (int i = 0; i < report.sentCount(); i++) {
      sent.merge(report.sentAt(i), 1, Integer::sum);
    }
    notifyAll();
  }

  /** How often the load of a request was reported. */
  synchronized int received(long request) {
    return received.getOrDefault(request, 0);
  }

  /** How often the blocks of a request were reported sent. */
  synchronized int sent(long request) {
    return sent.getOrDefault(request, 0);
  }

  /** Reports altogether. */
  synchronized int reports() {
    return received.values().stream().mapToInt(Integer::intValue).sum()
        + sent.values().stream().mapToInt(Integer::intValue).sum()
        + invalid.size();
  }

  synchronized boolean isInvalid(int block) {
    return invalid.contains(block);
  }

  synchronized boolean anyInvalid() {
    return !invalid.isEmpty();
  }

  /** Blocks reported as failed that no load was out for. */
  synchronized Set<Integer> lateInvalid() {
    return Set.copyOf(lateInvalid);
  }

  /** Waits for a load's end; returns whether it came. */
  synchronized boolean awaitReceived(long request, long timeoutMs) throws InterruptedException {
    return await(received, request, timeoutMs);
  }

  /** Waits until blocks are sent; returns whether they are. */
  synchronized boolean awaitSent(long request, long timeoutMs) throws InterruptedException {
    return await(sent, request, timeoutMs);
  }

  private boolean await(Map<Long, Integer> ends, long request, long timeoutMs)
      throws InterruptedException {
    final long endMs = System.nanoTime() / 1_000_000 + timeoutMs;
    long leftMs = timeoutMs;
    while (!ends.containsKey(request) && leftMs > 0) {
      wait(leftMs);
      leftMs = endMs - System.nanoTime() / 1_000_000;
    }
    return ends.containsKey(request);
  }
}
