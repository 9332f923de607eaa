package dev.headway.server;

import dev.headway.http.ApiKeys;
import dev.headway.http.ConnectionLimits;
import dev.headway.http.Cors;
import dev.headway.http.ServerTls;
import dev.headway.serving.EngineTimes;
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
 * @param answers what answers have beside their tokens
 * @param worker what is announced to routers
 * @param structure what answers may be constrained by
 * @param pages for people, beside the API
 * @param tls what encrypts connections; null for none
 */
public record ServerOptions(
    InetSocketAddress address,
    Access access,
    ConnectionLimits connections,
    RequestLimits limits,
    AnswerOptions answers,
    WorkerInfo worker,
    StructureOptions structure,
    ServerPages pages,
    @Nullable ServerTls tls) {

  /** On the loopback address, without a key, with the limits that their classes name. */
  public static ServerOptions loopback(int port) {
    return new ServerOptions(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
        Access.OPEN,
        ConnectionLimits.DEFAULT,
        RequestLimits.ofHeap(Runtime.getRuntime().maxMemory()),
        AnswerOptions.PLAIN,
        WorkerInfo.UNKNOWN,
        StructureOptions.DEFAULT,
        ServerPages.NONE,
        null);
  }

  public ServerOptions withAddress(InetSocketAddress other) {
    return new ServerOptions(
        other, access, connections, limits, answers, worker, structure, pages, tls);
  }

  public ServerOptions withAccess(Access other) {
    return new ServerOptions(
        address, other, connections, limits, answers, worker, structure, pages, tls);
  }

  public ServerOptions withConnections(ConnectionLimits other) {
    return new ServerOptions(
        address, access, other, limits, answers, worker, structure, pages, tls);
  }

  public ServerOptions withLimits(RequestLimits other) {
    return new ServerOptions(
        address, access, connections, other, answers, worker, structure, pages, tls);
  }

  public ServerOptions withAnswers(AnswerOptions other) {
    return new ServerOptions(
        address, access, connections, limits, other, worker, structure, pages, tls);
  }

  public ServerOptions withWorker(WorkerInfo other) {
    return new ServerOptions(
        address, access, connections, limits, answers, other, structure, pages, tls);
  }

  public ServerOptions withPages(ServerPages other) {
    return new ServerOptions(
        address, access, connections, limits, answers, worker, structure, other, tls);
  }

  public ServerOptions withStructure(StructureOptions other) {
    return new ServerOptions(
        address, access, connections, limits, answers, worker, other, pages, tls);
  }

  /** Returns these with encrypted connections, or null for plain ones. */
  public ServerOptions withTls(@Nullable ServerTls other) {
    return new ServerOptions(
        address, access, connections, limits, answers, worker, structure, pages, other);
  }

  // ---- the usual changes in one word

  public ServerOptions withEngineTimes(@Nullable EngineTimes times, boolean metricsToo) {
    return withAnswers(
        new AnswerOptions(times, metricsToo, answers.keepAlive(), answers.streamInterval()));
  }

  public ServerOptions withKeepAlive(Duration interval) {
    return withAnswers(
        new AnswerOptions(
            answers.engineTimes(),
            answers.perRequestMetrics(),
            interval,
            answers.streamInterval()));
  }

  /** Returns these with so many tokens in a part of a stream, where a request does not say. */
  public ServerOptions withStreamInterval(int tokens) {
    return withAnswers(
        new AnswerOptions(
            answers.engineTimes(), answers.perRequestMetrics(), answers.keepAlive(), tokens));
  }

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
