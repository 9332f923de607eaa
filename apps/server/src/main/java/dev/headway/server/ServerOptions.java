package dev.headway.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Options of a server.
 *
 * @param address where it listens; port 0 takes any that is free
 * @param apiKey what clients must send as {@code Authorization: Bearer}, or null for no key
 * @param maxBodyBytes longest body of a request
 * @param maxUnreadTokens tokens that may wait for a client before its request is cancelled
 * @param writeTimeout how long a client may take nothing before its connection is closed
 * @param engineTimes the probe of the engine that knows when requests were where, or null for none:
 *     answers say nothing of it then
 * @param perRequestMetrics whether answers have vLLM's per-request metrics, which need that probe
 * @param worker what is announced to routers
 * @param cors pages of other origins that may read the answers
 * @param pages for people, beside the API
 */
public record ServerOptions(
    InetSocketAddress address,
    @Nullable String apiKey,
    int maxBodyBytes,
    int maxUnreadTokens,
    Duration writeTimeout,
    @Nullable EngineTimes engineTimes,
    boolean perRequestMetrics,
    WorkerInfo worker,
    Cors cors,
    ServerPages pages) {

  private static final int MAX_BODY_BYTES = 8 << 20;
  private static final int MAX_UNREAD_TOKENS = 4_096;
  private static final Duration WRITE_TIMEOUT = Duration.ofSeconds(30);

  /** On the loopback address: bodies of 8 MiB, 4,096 tokens unread, 30 s without a byte taken. */
  public static ServerOptions loopback(int port) {
    return new ServerOptions(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
        null,
        MAX_BODY_BYTES,
        MAX_UNREAD_TOKENS,
        WRITE_TIMEOUT,
        null,
        false,
        WorkerInfo.UNKNOWN,
        Cors.NONE,
        ServerPages.NONE);
  }

  public ServerOptions withAddress(InetSocketAddress other) {
    return new ServerOptions(
        other,
        apiKey,
        maxBodyBytes,
        maxUnreadTokens,
        writeTimeout,
        engineTimes,
        perRequestMetrics,
        worker,
        cors,
        pages);
  }

  public ServerOptions withApiKey(@Nullable String key) {
    return new ServerOptions(
        address,
        key,
        maxBodyBytes,
        maxUnreadTokens,
        writeTimeout,
        engineTimes,
        perRequestMetrics,
        worker,
        cors,
        pages);
  }

  public ServerOptions withLimits(int bodyBytes, int unreadTokens, Duration timeout) {
    return new ServerOptions(
        address,
        apiKey,
        bodyBytes,
        unreadTokens,
        timeout,
        engineTimes,
        perRequestMetrics,
        worker,
        cors,
        pages);
  }

  public ServerOptions withEngineTimes(@Nullable EngineTimes times, boolean metricsToo) {
    return new ServerOptions(
        address,
        apiKey,
        maxBodyBytes,
        maxUnreadTokens,
        writeTimeout,
        times,
        metricsToo,
        worker,
        cors,
        pages);
  }

  public ServerOptions withWorker(WorkerInfo info) {
    return new ServerOptions(
        address,
        apiKey,
        maxBodyBytes,
        maxUnreadTokens,
        writeTimeout,
        engineTimes,
        perRequestMetrics,
        info,
        cors,
        pages);
  }

  public ServerOptions withCors(Cors other) {
    return new ServerOptions(
        address,
        apiKey,
        maxBodyBytes,
        maxUnreadTokens,
        writeTimeout,
        engineTimes,
        perRequestMetrics,
        worker,
        other,
        pages);
  }

  public ServerOptions withPages(ServerPages other) {
    return new ServerOptions(
        address,
        apiKey,
        maxBodyBytes,
        maxUnreadTokens,
        writeTimeout,
        engineTimes,
        perRequestMetrics,
        worker,
        cors,
        other);
  }
}
