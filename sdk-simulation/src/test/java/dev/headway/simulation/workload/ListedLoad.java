package dev.headway.simulation.workload;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Requests that are there already. */
final class ListedLoad implements Workload {
  private final Deque<WorkloadRequest> left;

  ListedLoad(List<WorkloadRequest> requests) {
    left = new ArrayDeque<>(requests);
  }

  @Override
  public String name() {
    return "listed";
  }

  @Override
  public OptionalLong sizeHint() {
    return OptionalLong.of(left.size());
  }

  @Override
  public @Nullable WorkloadRequest next() {
    return left.poll();
  }

  @Override
  public void close() {
    left.clear();
  }
}
