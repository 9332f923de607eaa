package dev.headway.kvcache;

import dev.headway.api.kvcache.KvBlockWork;
import dev.headway.api.request.RequestView;
import java.util.ArrayList;
import java.util.List;

/**
 * The loads from host memory that the step being planned needs, in the order in which they were
 * asked for. One thread; allocates only to grow.
 */
final class PendingLoads {

  private final List<RequestView> requests = new ArrayList<>();
  private final IntList hosts = new IntList();
  private final IntList devices = new IntList();

  void add(RequestView request, int host, int device) {
    requests.add(request);
    hosts.add(host);
    devices.add(device);
  }

  /** Gives the load to {@code device} up, if there is one. O(loads); the order stays. */
  void cancel(int device) {
    for (int i = devices.size() - 1; i >= 0; i--) {
      if (devices.get(i) == device) {
        requests.remove(i);
        hosts.removeAt(i);
        devices.removeAt(i);
        return;
      }
    }
  }

  /** Hands all over and begins anew. */
  void handOver(KvBlockWork work) {
    for (int i = 0; i < devices.size(); i++) {
      work.load(requests.get(i), hosts.get(i), devices.get(i));
    }
    requests.clear();
    hosts.clear();
    devices.clear();
  }
}
