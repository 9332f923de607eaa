package dev.headway.loadgen.client;

import java.util.Map;

/** Where requests go. Any thread. */
public interface Target extends AutoCloseable {

  /** What results call it, for example a URL. */
  String name();

  /**
   * Sends a request. Never blocks; the exchange is notified on a thread of the target's, of its end
   * exactly once.
   */
  void send(Call call, Exchange exchange);

  /**
   * Asks the target to forget the prompts it has cached.
   *
   * @return whether it said that it did
   */
  boolean resetCache();

  /**
   * What the target has counted since it was started, such as preemptions and tokens found in its
   * cache. May block for seconds.
   *
   * @return counts by name, ascending; empty if it does not say
   */
  Map<String, Double> counters();

  /** Ends what is under way, as aborted; the target can be used further. */
  void abort();

  /** Ends what is under way, as aborted, and lets go of connections and threads. */
  @Override
  void close();
}
