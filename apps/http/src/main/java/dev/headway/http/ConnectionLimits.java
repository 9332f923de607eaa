package dev.headway.http;

import java.time.Duration;

/**
 * What clients may take before a request of theirs is known. Immutable.
 *
 * @param maxConnections open at once, >= 1
 * @param maxPerAddress of these from one address (of IPv6 one network of 64 bits), >= 1
 * @param headTimeout from the first byte of a request, or from connecting, to the end of its head;
 *     and the longest pause inside a body
 * @param bodyTimeout from the end of the head to the end of the body
 * @param idleTimeout between two requests of a connection
 * @param writeTimeout without a byte taken of an answer
 */
public record ConnectionLimits(
    int maxConnections,
    int maxPerAddress,
    Duration headTimeout,
    Duration bodyTimeout,
    Duration idleTimeout,
    Duration writeTimeout) {

  /** Most bytes of a request line. */
  static final int MAX_LINE_BYTES = 8 << 10;

  /** Most bytes of all headers. */
  static final int MAX_HEAD_BYTES = 16 << 10;

  static final int MAX_HEADERS = 100;

  /**
   * 4,096 connections, half of them for one address; 10 s for a head, 30 s for a body, between
   * requests, and without a byte taken.
   */
  public static final ConnectionLimits DEFAULT =
      new ConnectionLimits(
          4_096,
          2_048,
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          Duration.ofSeconds(30),
          Duration.ofSeconds(30));

  /** Returns these with another bound on connections. */
  public ConnectionLimits withConnections(int most, int mostPerAddress) {
    return new ConnectionLimits(
        most, mostPerAddress, headTimeout, bodyTimeout, idleTimeout, writeTimeout);
  }

  /** Returns these with other times for requests to arrive in. */
  public ConnectionLimits withReadTimeouts(Duration head, Duration body) {
    return new ConnectionLimits(
        maxConnections, maxPerAddress, head, body, idleTimeout, writeTimeout);
  }

  /** Returns these with another time for clients to take bytes in. */
  public ConnectionLimits withWriteTimeout(Duration timeout) {
    return new ConnectionLimits(
        maxConnections, maxPerAddress, headTimeout, bodyTimeout, idleTimeout, timeout);
  }
}
