package dev.headway.simulation.compare;

import dev.headway.toolbox.stats.Jain;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How evenly the engine served the tenants with unmet demand. Time is cut into windows; in each,
 * the tenants that had a request waiting after every step are compared by the service they
 * received, prompt tokens plus twice the outputs, by {@link Jain}'s index. The figure is the mean
 * over the windows in which a tenant waited; a single waiting tenant gives 1.
 *
 * <p>Totals would not do: in the end every tenant gets all that was asked for.
 */
final class TenantFairness {

  private final long windowNs;
  private final Map<String, Account> accounts = new HashMap<>();
  private long window;
  private double sum;
  private long windows;

  /**
   * Makes an empty one.
   *
   * @param windowNs length of a window, >= 1
   */
  TenantFairness(long windowNs) {
    this.windowNs = windowNs;
  }

  /** One tenant. */
  static final class Account {
    private int waiting;
    private boolean alwaysWaiting;
    private double service;

    void waits() {
      waiting++;
    }

    void stopsWaiting() {
      waiting--;
    }

    void receives(double tokens) {
      service += tokens;
    }
  }

  /** The account of a tenant. */
  Account of(String tenant) {
    return accounts.computeIfAbsent(tenant, name -> new Account());
  }

  int tenants() {
    return accounts.size();
  }

  /** A step has ended; its tokens were reported before. */
  void stepEnded(long endNs) {
    for (Account account : accounts.values()) {
      account.alwaysWaiting &= account.waiting > 0;
    }
    if (endNs / windowNs != window) {
      window = endNs / windowNs;
      close();
    }
  }

  /** The index; NaN if no tenant waited that long. The last window is not whole and is left out. */
  double index() {
    return windows == 0 ? Double.NaN : sum / windows;
  }

  private void close() {
    final List<Double> shares = new ArrayList<>();
    for (Account account : accounts.values()) {
      if (account.alwaysWaiting) {
        shares.add(account.service);
      }
      account.alwaysWaiting = account.waiting > 0;
      account.service = 0;
    }
    final double[] sorted = shares.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(sorted); // sums do not depend on the order of a hash table
    final double index = Jain.index(sorted);
    if (!Double.isNaN(index)) {
      sum += index;
      windows++;
    }
  }
}
