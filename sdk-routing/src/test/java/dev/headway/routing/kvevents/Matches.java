package dev.headway.routing.kvevents;

import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.Worker;
import dev.headway.routing.policy.WorkerLoad;
import dev.headway.routing.policy.WorkerPrefixes;
import dev.headway.routing.policy.WorkerSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Asks an index about one worker. */
final class Matches {

  private Matches() {}

  static int of(WorkerPrefixes index, String workerId, int... prompt) {
    return of(index, workerId, null, prompt);
  }

  static int of(WorkerPrefixes index, String workerId, @Nullable String model, int... prompt) {
    final int[] matched = new int[1];
    index.match(
        RoutingRequest.builder("r").model(model).tokens(prompt).build(),
        new WorkerSet(List.of(new Idle(workerId))),
        matched);
    return matched[0];
  }

  /** A worker with nothing but an id. */
  private record Idle(String id) implements Worker {
    @Override
    public int index() {
      return 0;
    }

    @Override
    public String url() {
      return "";
    }

    @Override
    public @Nullable String model() {
      return null;
    }

    @Override
    public int priority() {
      return 50;
    }

    @Override
    public double cost() {
      return 1;
    }

    @Override
    public int inFlight() {
      return 0;
    }

    @Override
    public long dispatched() {
      return 0;
    }

    @Override
    public @Nullable WorkerLoad load() {
      return null;
    }

    @Override
    public long unreportedTokens() {
      return 0;
    }

    @Override
    public boolean isDraining() {
      return false;
    }
  }
}
