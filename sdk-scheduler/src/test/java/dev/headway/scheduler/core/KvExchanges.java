package dev.headway.scheduler.core;

import dev.headway.api.request.RequestView;
import dev.headway.scheduler.state.RemoteKv;
import dev.headway.scheduler.state.RequestState;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

/** Lets tests of other packages look into a scheduler's dealings with its KV connector. */
public final class KvExchanges {

  private final ContinuousBatchingScheduler scheduler;
  private final KvExchange exchange;

  private KvExchanges(ContinuousBatchingScheduler scheduler) {
    this.scheduler = scheduler;
    exchange = Objects.requireNonNull(scheduler.inspect().exchange(), "a connector");
  }

  /** The dealings of a scheduler that has a connector. */
  public static KvExchanges of(ContinuousBatchingScheduler scheduler) {
    return new KvExchanges(scheduler);
  }

  /** Ended requests whose blocks are kept, sorted. */
  public List<String> kept() {
    final List<String> ids = new ArrayList<>();
    exchange.kept.forEach(request -> ids.add(request.id()));
    return ids.stream().sorted().toList();
  }

  /** Requests whose load has ended and was not noticed since, sorted. */
  public List<String> received() {
    return live(remote -> remote.load == RemoteKv.Load.RECEIVED);
  }

  /** Requests whose load is out or ended and has failed, sorted. */
  public List<String> failed() {
    return live(remote -> remote.load != RemoteKv.Load.NONE && remote.loadFailed);
  }

  /** Requests that are loaded or in the middle of their prompt, sorted. */
  public List<String> prefilling() {
    return live(remote -> remote.isPrefilling);
  }

  /** Blocks that they need. */
  public int reservedBlocks() {
    return exchange.prefills.blocks();
  }

  /** The same, counted anew. */
  public int reservedBlocksCounted() {
    int blocks = 0;
    for (RequestState request : all()) {
      if (request.remote != null && request.remote.isPrefilling) {
        blocks += exchange.kv().missingBlocks(request.kv(), request.knownTokens);
      }
    }
    return blocks;
  }

  /** Whether a request waits for a load. */
  public static boolean isLoading(RequestView request) {
    final RemoteKv remote = ((RequestState) request).remote;
    return remote != null && remote.load != RemoteKv.Load.NONE;
  }

  private List<String> live(Predicate<RemoteKv> wanted) {
    return all().stream()
        .filter(request -> request.remote != null && wanted.test(request.remote))
        .map(RequestState::id)
        .sorted()
        .toList();
  }

  private List<RequestState> all() {
    final List<RequestView> live = new ArrayList<>();
    scheduler.inspect().forEachRunning(live::add);
    scheduler.inspect().forEachWaiting(live::add);
    scheduler.inspect().forEachPassedOver(live::add);
    return live.stream().map(RequestState.class::cast).distinct().toList();
  }
}
