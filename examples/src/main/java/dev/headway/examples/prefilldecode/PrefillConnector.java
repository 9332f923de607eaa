package dev.headway.examples.prefilldecode;

import dev.headway.api.executor.KvBlockAccess;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.kvcache.connector.BlockRelease;
import dev.headway.api.kvcache.connector.ExternalTokens;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.kvcache.connector.KvRole;
import dev.headway.api.kvcache.connector.TransferSink;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.TransferReport;
import dev.headway.api.time.NanoClock;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connector of the engine that computes prompts: keeps the blocks of a request that has ended
 * until another engine has read them, or its lease is over.
 */
public final class PrefillConnector implements KvConnector {

  private final int blockSize;
  private final long leaseNs;
  private final NanoClock clock;
  private final Map<String, Offer> offers = new ConcurrentHashMap<>();
  private final BlockServer server;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory());
  private @Nullable TransferSink sink;
  private @Nullable Future<?> leases;

  /**
   * Opens a port of the loopback interface.
   *
   * @param blocks of the engine's executor
   * @param blockSize tokens of a block
   * @param lease how long blocks are kept for a reader
   * @param clock the engine's
   * @throws IOException if there is no port
   */
  public PrefillConnector(KvBlockAccess blocks, int blockSize, Duration lease, NanoClock clock)
      throws IOException {
    this.blockSize = blockSize;
    this.leaseNs = lease.toNanos();
    this.clock = clock;
    server = new BlockServer(blocks, offers, this::free);
  }

  /** Where blocks are read. */
  public InetSocketAddress address() {
    return server.address();
  }

  @Override
  public KvRole role() {
    return KvRole.PRODUCER;
  }

  @Override
  public void start(TransferSink given) {
    sink = given;
    server.start();
    final long everyNs = Math.max(1, leaseNs / 4);
    leases = timer.scheduleWithFixedDelay(this::endLeases, everyNs, everyNs, TimeUnit.NANOSECONDS);
  }

  @Override
  public void lookup(RequestView request, int localTokens, ExternalTokens answer) {}

  @Override
  public void admitted(RequestView request, KvSequence blocks, int externalTokens) {}

  // @start region="keep"
  @Override
  public BlockRelease requestFinished(
      RequestView request, KvSequence blocks, int computedTokens, FinishReason reason) {
    final boolean complete = reason == FinishReason.LENGTH || reason == FinishReason.STOP;
    final int tokens = computedTokens - request.inFlightTokens(); // steps that are out may fail
    if (!complete || tokens <= 0 || !TransferParams.isToBeKept(request.request())) {
      return BlockRelease.NOW;
    }
    final int[] kept = new int[(tokens + blockSize - 1) / blockSize];
    blocks.copyBlockIds(0, 0, kept, 0, kept.length);
    final Offer offer = new Offer(request.number(), kept, clock.nanoTime() + leaseNs);
    return offers.putIfAbsent(request.id(), offer) == null
        ? BlockRelease.WHEN_SENT
        : BlockRelease.NOW; // an earlier request of this id is still waiting for its reader
  }

  // @end

  /** Withdraws offers whose lease is over. */
  void endLeases() {
    final long nowNs = clock.nanoTime();
    offers.forEach(
        (id, offer) -> {
          if (offer.isExpired(nowNs) && offer.withdraw()) {
            free(id, offer);
          }
        });
  }

  /** No one reads these blocks any more. */
  private void free(String id, Offer offer) {
    if (offers.remove(id, offer) && sink != null) {
      final TransferReport report = new TransferReport();
      report.sent(offer.requestNumber());
      sink.report(report);
    }
  }

  @Override
  public void close() {
    if (leases != null) {
      leases.cancel(false);
    }
    timer.shutdownNow();
    offers.forEach(
        (id, offer) -> {
          if (offer.withdraw()) {
            free(id, offer);
          }
        });
    server.close();
  }
}
