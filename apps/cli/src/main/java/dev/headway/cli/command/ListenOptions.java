package dev.headway.cli.command;

import dev.headway.http.ApiKeys;
import dev.headway.http.ConnectionLimits;
import dev.headway.http.Cors;
import dev.headway.http.ServerTls;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/**
 * Where a server listens, which names it answers, and what a connection may take: for the HTTP
 * options of a command to extend.
 */
public abstract class ListenOptions {

  private static final int MIB = 1 << 20;

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description = "Where to listen; others reach it only if this says so (${DEFAULT-VALUE}).")
  private String host = "127.0.0.1";

  @InRange(from = 0, to = 65_535)
  @Option(
      names = "--port",
      paramLabel = "N",
      description = "0 takes any that is free (${DEFAULT-VALUE}).")
  private int port;

  @Option(
      names = "--allow-anonymous",
      description = "Serve every client that can reach the port, without --api-key.")
  private boolean allowAnonymous;

  @Option(
      names = "--allowed-host",
      paramLabel = "NAME",
      description =
          "Answer requests under this name in the Host header; repeat it. Addresses and localhost"
              + " are always answered (any name, or none but these on the loopback address).")
  private List<String> allowedHosts = new ArrayList<>();

  @InRange(from = 1, to = 1 << 20)
  @Option(
      names = "--max-connections",
      paramLabel = "N",
      description = "Connections of clients open at once (${DEFAULT-VALUE}).")
  private int maxConnections;

  @InRange(from = 1)
  @Option(
      names = "--max-connections-per-address",
      paramLabel = "N",
      description = "Of these from one address (half of them).")
  private @Nullable Integer maxConnectionsPerAddress;

  @InRange(from = 1, to = 3_600)
  @Option(
      names = "--head-timeout",
      paramLabel = "SECONDS",
      description =
          "How long the head of a request may take, and a pause in its body (${DEFAULT-VALUE}).")
  private int headTimeoutSeconds = 10;

  @InRange(from = 1, to = 3_600)
  @Option(
      names = "--body-timeout",
      paramLabel = "SECONDS",
      description = "How long the body of a request may take (${DEFAULT-VALUE}).")
  private int bodyTimeoutSeconds;

  @InRange(from = 1, to = 3_600)
  @Option(
      names = "--write-timeout",
      paramLabel = "SECONDS",
      description = "A client that takes nothing for so long is cut off (${DEFAULT-VALUE}).")
  private int writeTimeoutSeconds = 30;

  @InRange(from = 1, to = 1_023)
  @Option(
      names = "--max-body-mib",
      paramLabel = "N",
      description = "Longest body of a request (${DEFAULT-VALUE}).")
  private int maxBodyMib;

  @ArgGroup(validate = false)
  private CorsOptions cors = new CorsOptions();

  @ArgGroup(validate = false)
  private TlsOptions tls = new TlsOptions();

  private final ConnectionLimits usual;

  /**
   * Sets what differs between servers.
   *
   * @param usual limits where no option says otherwise
   */
  protected ListenOptions(
      int port, int bodyTimeoutSeconds, int maxBodyMib, ConnectionLimits usual) {
    this.port = port;
    this.bodyTimeoutSeconds = bodyTimeoutSeconds;
    this.maxBodyMib = maxBodyMib;
    this.usual = usual;
    maxConnections = usual.maxConnections();
  }

  /** The host as it was given. */
  public final String host() {
    return host;
  }

  /** Names to answer. */
  protected final List<String> allowedHosts() {
    return allowedHosts;
  }

  /**
   * Pages of other origins that may ask.
   *
   * @throws IllegalArgumentException naming the option that is wrong
   */
  protected final Cors cors() {
    return cors.cors();
  }

  /**
   * What encrypts connections; null for none.
   *
   * @throws IllegalArgumentException naming the option that is wrong
   */
  public final @Nullable ServerTls tls() {
    return tls.tls();
  }

  /**
   * Where to listen.
   *
   * @param keys what clients must have one of
   * @throws IllegalArgumentException naming the option that is wrong
   */
  protected final InetSocketAddress listenAt(ApiKeys keys) {
    final InetSocketAddress address = new InetSocketAddress(host, port);
    if (address.isUnresolved()) {
      throw new IllegalArgumentException(
          "--host must be an address of this machine: --host=" + host);
    }
    KeyRules.requireKeyForOthers(address.getAddress(), keys, allowAnonymous);
    return address;
  }

  /**
   * What a connection may take.
   *
   * @throws IllegalArgumentException naming the option that is out of range
   */
  protected final ConnectionLimits connections() {
    final int ofAddress =
        maxConnectionsPerAddress == null
            ? Math.max(1, maxConnections / 2)
            : maxConnectionsPerAddress;
    Ranges.require("--max-connections-per-address", ofAddress, 1, maxConnections);
    return usual
        .withConnections(maxConnections, ofAddress)
        .withReadTimeouts(
            Duration.ofSeconds(headTimeoutSeconds), Duration.ofSeconds(bodyTimeoutSeconds))
        .withWriteTimeout(Duration.ofSeconds(writeTimeoutSeconds));
  }

  /** Longest body of a request. */
  protected final int maxBodyBytes() {
    return maxBodyMib * MIB;
  }

  /**
   * Memory for the bodies of all requests.
   *
   * @param mib value of {@code --max-body-memory-mib}
   * @throws IllegalArgumentException if it does not hold two of the longest
   */
  protected final long bodyMemoryBytes(int mib) {
    Ranges.require("--max-body-memory-mib", mib, 2 * maxBodyMib, 1 << 20);
    return (long) mib * MIB;
  }

  /**
   * Where a client of this machine finds a server that listens at {@code address}.
   *
   * @param tls what encrypts its connections; null for none
   */
  public static String url(InetSocketAddress address, @Nullable ServerTls tls) {
    final InetAddress at = address.getAddress();
    final String host =
        at.isAnyLocalAddress()
            ? "127.0.0.1"
            : at instanceof Inet6Address ? "[" + at.getHostAddress() + "]" : at.getHostAddress();
    return (tls == null ? "http://" : "https://") + host + ":" + address.getPort();
  }
}
