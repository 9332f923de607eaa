package dev.headway.router.proxy;

import dev.headway.http.ApiKeys;
import dev.headway.http.BodyBudget;
import dev.headway.http.BrowserRules;
import dev.headway.http.ConnectionLimits;
import dev.headway.http.ConnectionTable;
import dev.headway.http.Cors;
import dev.headway.http.ServerTls;
import dev.headway.http.server.Arrivals;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What clients may do. Immutable.
 *
 * @param connections what they may take before a request of theirs is known
 * @param maxBodyBytes longest body of a request
 * @param bodyMemoryBytes memory for the bodies of all requests that are being read, or may have to
 *     be sent to another worker; one address gets half of it
 * @param keys one of which a request must carry
 * @param hosts names that requests may call the router by, beside addresses and {@code localhost};
 *     empty for any, unless it listens on the loopback address
 * @param cors pages of other origins that may ask; answers of workers keep what workers say of it
 *     where there are none
 * @param tls what encrypts their connections; null for none
 */
public record ClientRules(
    ConnectionLimits connections,
    int maxBodyBytes,
    long bodyMemoryBytes,
    ApiKeys keys,
    List<String> hosts,
    Cors cors,
    @Nullable ServerTls tls) {

  private static final int HEAP_SHARE = 4;
  private static final int USUAL_BODY_BYTES = 64 << 20;
  private static final int USUAL_CONNECTIONS = 16_384; // most wait for a stream, at no cost
  private static final Duration USUAL_BODY_TIMEOUT = Duration.ofSeconds(60);

  /** Checks, and copies. */
  public ClientRules {
    BodyBudget.requireRoom(maxBodyBytes, bodyMemoryBytes);
    hosts = List.copyOf(hosts);
  }

  /**
   * No key; 16,384 connections, half of them for one address, 10 s for a head and 60 s for a body
   * of 64 MiB; a quarter of the heap for all bodies, at least two of the longest.
   */
  public static ClientRules ofHeap(long heapBytes) {
    final ConnectionLimits usual = ConnectionLimits.DEFAULT;
    return new ClientRules(
        usual
            .withConnections(USUAL_CONNECTIONS, USUAL_CONNECTIONS / 2)
            .withReadTimeouts(usual.headTimeout(), USUAL_BODY_TIMEOUT),
        USUAL_BODY_BYTES,
        Math.max(heapBytes / HEAP_SHARE, 2L * USUAL_BODY_BYTES),
        ApiKeys.NONE,
        List.of(),
        Cors.NONE,
        null);
  }

  /** What clients have in common at a router that listens on an address; no client has come yet. */
  public Arrivals arrivals(InetAddress address) {
    return new Arrivals(
        connections,
        new ConnectionTable(connections),
        maxBodyBytes,
        new BodyBudget(bodyMemoryBytes),
        new BrowserRules(address, hosts),
        cors);
  }

  /** Returns these with other connections. */
  public ClientRules withConnections(ConnectionLimits limits) {
    return new ClientRules(limits, maxBodyBytes, bodyMemoryBytes, keys, hosts, cors, tls);
  }

  /** Returns these with other bodies; their memory holds two of them at least. */
  public ClientRules withBodyBytes(int bytes) {
    return withBodies(bytes, Math.max(bodyMemoryBytes, 2L * bytes));
  }

  /**
   * Returns these with other bodies.
   *
   * @throws IllegalArgumentException unless the memory holds two of the longest
   */
  public ClientRules withBodies(int bytes, long memoryBytes) {
    return new ClientRules(connections, bytes, memoryBytes, keys, hosts, cors, tls);
  }

  /** Returns these with other keys. */
  public ClientRules withKeys(ApiKeys others) {
    return new ClientRules(connections, maxBodyBytes, bodyMemoryBytes, others, hosts, cors, tls);
  }

  /** Returns these with other pages. */
  public ClientRules withCors(Cors other) {
    return new ClientRules(connections, maxBodyBytes, bodyMemoryBytes, keys, hosts, other, tls);
  }

  /** Returns these with encrypted connections, or null for plain ones. */
  public ClientRules withTls(@Nullable ServerTls other) {
    return new ClientRules(connections, maxBodyBytes, bodyMemoryBytes, keys, hosts, cors, other);
  }

  /** Returns these with other names of the router. */
  public ClientRules withHosts(List<String> names) {
    return new ClientRules(connections, maxBodyBytes, bodyMemoryBytes, keys, names, cors, tls);
  }
}
