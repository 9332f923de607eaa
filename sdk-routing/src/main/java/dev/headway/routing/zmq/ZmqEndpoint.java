package dev.headway.routing.zmq;

import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

/**
 * Addresses in ZeroMQ's notation, with vLLM's rule: one that contains {@code *} or {@code ::}, or
 * is of {@code ipc} or {@code inproc}, is bound; any other is connected to.
 */
public final class ZmqEndpoint {

  private ZmqEndpoint() {}

  /** Whether a publisher binds to the address rather than connecting to it. */
  public static boolean isBound(String endpoint) {
    return endpoint.contains("*")
        || endpoint.contains("::")
        || endpoint.startsWith("ipc://")
        || endpoint.startsWith("inproc://");
  }

  /**
   * Binds or connects a publisher's socket and returns its address, with the port that was free
   * where it was to be bound to any.
   *
   * @throws IllegalStateException if it cannot be had
   */
  public static String attach(ZMQ.Socket socket, String endpoint) {
    return isBound(endpoint) ? bind(socket, endpoint) : connect(socket, endpoint);
  }

  /**
   * Binds a socket and returns its address, with the port that was free where any would do.
   *
   * @throws IllegalStateException if it cannot be had
   */
  public static String bind(ZMQ.Socket socket, String endpoint) {
    try {
      socket.bind(endpoint);
      return socket.getLastEndpoint();
    } catch (ZMQException | IllegalArgumentException | UnsupportedOperationException e) {
      throw new IllegalStateException(
          "cannot bind a ZeroMQ socket: endpoint=" + endpoint + ", " + e.getMessage(), e);
    }
  }

  /**
   * Connects a socket and returns the address.
   *
   * @throws IllegalStateException if it cannot be used
   */
  public static String connect(ZMQ.Socket socket, String endpoint) {
    try {
      socket.connect(endpoint);
      return endpoint;
    } catch (ZMQException | IllegalArgumentException | UnsupportedOperationException e) {
      throw new IllegalStateException(
          "cannot connect a ZeroMQ socket: endpoint=" + endpoint + ", " + e.getMessage(), e);
    }
  }
}
