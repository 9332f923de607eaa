package dev.headway.simulation.workload.generated;

import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The requests of several clients in order of arrival, numbered anew. Clients that are equal in
 * time keep their order.
 */
final class MergedLoad implements Workload {
  private record Head(int client, WorkloadRequest request) {}

  private final String name;
  private final List<Workload> clients;
  private final long mostRequests;
  private final PriorityQueue<Head> heads =
      new PriorityQueue<>(
          Comparator.<Head>comparingLong(head -> head.request.arrivalNs())
              .thenComparingInt(Head::client));
  private boolean started;
  private boolean closed;
  private long made;

  MergedLoad(String name, List<? extends Workload> clients, long mostRequests) {
    this.name = name;
    this.clients = List.copyOf(clients);
    this.mostRequests = mostRequests;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public OptionalLong sizeHint() {
    return OptionalLong.empty();
  }

  @Override
  public @Nullable WorkloadRequest next() {
    if (closed || made == mostRequests) {
      return null;
    }
    if (!started) {
      started = true;
      for (int client = 0; client < clients.size(); client++) {
        pull(client);
      }
    }
    final Head head = heads.poll();
    if (head == null) {
      return null;
    }
    pull(head.client);
    return head.request.withRequestId("request_" + made++);
  }

  private void pull(int client) {
    final WorkloadRequest request = clients.get(client).next();
    if (request != null) {
      heads.add(new Head(client, request));
    }
  }

  @Override
  public void close() {
    closed = true;
    clients.forEach(Workload::close);
  }
}
