package dev.headway.scheduler.policy.order;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * One account per tenant: the weighted service it had, and its requests. Engine thread only; a
 * tenant that has no requests and less service than any waiting one would be lifted on its return
 * anyway, so its account is given to another when the table is full. An arrival, a charge and a
 * departure cost O(log waiting tenants).
 */
final class TenantAccounts {

  private static final int NONE = -1;

  private final Map<String, Double> weightsByName;
  private final Map<String, Integer> indexes = new HashMap<>();
  private final LeastServed waiters = new LeastServed();
  private double[] service = new double[16];
  private double[] weights = new double[16];
  private int[] waiting = new int[16];
  private int[] live = new int[16];
  private int[] free = new int[16];
  private int freeCount;
  private int used;
  private int lastLeft = NONE;

  /** Makes no accounts yet; a tenant without a weight has 1. */
  TenantAccounts(Map<String, Double> weightsByName) {
    this.weightsByName = Map.copyOf(weightsByName);
  }

  /** Returns the account of a tenant, a new one if it has none. */
  int open(String tenant) {
    final Integer known = indexes.get(tenant);
    if (known != null) {
      return known;
    }
    final int index = nextFree();
    indexes.put(tenant, index);
    weights[index] = weightsByName.getOrDefault(tenant, 1.0);
    service[index] = 0;
    return index;
  }

  private int nextFree() {
    if (freeCount == 0 && used == service.length) {
      closeIdle();
    }
    if (freeCount > 0) {
      return free[--freeCount];
    }
    if (used == service.length) {
      grow();
    }
    return used++;
  }

  private void grow() {
    final int capacity = 2 * service.length;
    service = Arrays.copyOf(service, capacity);
    weights = Arrays.copyOf(weights, capacity);
    waiting = Arrays.copyOf(waiting, capacity);
    live = Arrays.copyOf(live, capacity);
    free = Arrays.copyOf(free, capacity);
  }

  private void closeIdle() {
    final double floor = leastWaitingService();
    final Iterator<Integer> all = indexes.values().iterator();
    while (all.hasNext()) {
      final int index = all.next();
      if (live[index] == 0 && index != lastLeft && service[index] <= floor) {
        free[freeCount++] = index;
        all.remove();
      }
    }
  }

  /** A request of the tenant begins to wait; lifts the account if it was the first one. */
  void arrive(int index) {
    if (waiting[index] == 0) {
      service[index] = Math.max(service[index], leastWaitingService());
    }
    waiting[index]++;
    live[index]++;
    if (waiting[index] == 1) {
      waiters.put(index, service[index]);
    }
  }

  /** A request of the tenant has left the queue, to run or for good. */
  void leaveQueue(int index) {
    waiting[index]--;
    if (waiting[index] == 0) {
      waiters.remove(index);
      lastLeft = index;
    }
  }

  /** A request of the tenant has ended. */
  void end(int index) {
    live[index]--;
  }

  void charge(int index, double cost) {
    service[index] += cost / weights[index];
    if (waiting[index] > 0) {
      waiters.put(index, service[index]);
    }
  }

  double service(int index) {
    return service[index];
  }

  int size() {
    return indexes.size();
  }

  /** Least service among tenants that wait; if none does, of the one that left the queue last. */
  private double leastWaitingService() {
    if (!waiters.isEmpty()) {
      return waiters.least();
    }
    return lastLeft == NONE ? 0 : service[lastLeft];
  }
}
