package dev.headway.server;

import dev.headway.http.ApiKeys;
import dev.headway.http.ConnectionLimits;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Options of a server. Immutable.
 *
 * @param address where it listens; port 0 takes any that is free
 * @param access which clients may call it
 * @param connections what clients may take before a request of theirs is known
 * @param limits what a request may ask for
 * @param engineTimes the probe of the engine that knows when requests were where, or null for none:
 *     answers say nothing of it then
 * @param perRequestMetrics whether answers have vLLM's per-request metrics, which need that probe
 * @param worker what is announced to routers
 * @param pages for people, beside the API
 * @param keepAlive after how long without a token a stream gets a comment; zero for never, since
 *     benchmark clients of vLLM and SGLang lose tokens, or fail, at a comment
 */
public record ServerOptions(
    InetSocketAddress address,
    Access access,
    ConnectionLimits connections,
    RequestLimits limits,
    @Nullable EngineTimes engineTimes,
    boolean perRequestMetrics,
    WorkerInfo worker,
    ServerPages pages,
    Duration keepAlive) {

  /** On the loopback address, without a key, with the limits that their classes name. */
  public static ServerOptions loopback(int port) {
    return new ServerOptions(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
        Access.OPEN,
        ConnectionLimits.DEFAULT,
        RequestLimits.ofHeap(Runtime.getRuntime().maxMemory()),
        null,
        false,
        WorkerInfo.UNKNOWN,
        ServerPages.NONE,
        Duration.ZERO);
  }

  public ServerOptions withAddress(InetSocketAddress other) {
    return new ServerOptions(
        other,
        access,
        connections,
        limits,
        engineTimes,
        perRequestMetrics,
        worker,
        pages,
        keepAlive);
  }

  public ServerOptions withAccess(Access other) {
    return new ServerOptions(
        address,
        other,
        connections,
        limits,
        engineTimes,
        perRequestMetrics,
        worker,
        pages,
        keepAlive);
  }

  public ServerOptions withConnections(ConnectionLimits other) {
    return new ServerOptions(
        address, access, other, limits, engineTimes, perRequestMetrics, worker, pages, keepAlive);
  }

  public ServerOptions withLimits(RequestLimits other) {
    return new ServerOptions(
        address,
        access,
        connections,
        other,
        engineTimes,
        perRequestMetrics,
        worker,
        pages,
        keepAlive);
  }

  public ServerOptions withEngineTimes(@Nullable EngineTimes times, boolean metricsToo) {
    return new ServerOptions(
        address, access, connections, limits, times, metricsToo, worker, pages, keepAlive);
  }

  public ServerOptions withWorker(WorkerInfo info) {
    return new ServerOptions(
        address,
        access,
        connections,
        limits,
        engineTimes,
        perRequestMetrics,
        info,
        pages,
        keepAlive);
  }

  public ServerOptions withPages(ServerPages other) {
    return new ServerOptions(
        address,
        access,
        connections,
        limits,
        engineTimes,
        perRequestMetrics,
        worker,
        other,
        keepAlive);
  }

  public ServerOptions withKeepAlive(Duration interval) {
    return new ServerOptions(
        address,
        access,
        connections,
        limits,
        engineTimes,
        perRequestMetrics,
        worker,
        pages,
        interval);
  }

  // ---- the usual changes in one word

  /** Returns these with one key, or null for none. */
  public ServerOptions withApiKey(@Nullable String key) {
    return withAccess(access.withKeys(key == null ? ApiKeys.NONE : ApiKeys.of(key)));
  }

  public ServerOptions withCors(Cors cors) {
    return withAccess(access.withCors(cors));
  }

  public ServerOptions withLimits(int bodyBytes, int unreadTokens, Duration writeTimeout) {
    return withLimits(limits.withBodyBytes(bodyBytes).withUnreadTokens(unreadTokens))
        .withConnections(connections.withWriteTimeout(writeTimeout));
  }
}
