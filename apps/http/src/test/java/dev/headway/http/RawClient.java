package dev.headway.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/** A client that sends bytes as a test has them, and reads whatever comes. */
public final class RawClient implements AutoCloseable {

  public final Socket socket;

  private RawClient(Socket socket) {
    this.socket = socket;
  }

  /** Connects to a port of this machine. */
  public static RawClient connect(int port) throws IOException {
    final Socket socket = new Socket();
    socket.connect(new InetSocketAddress("127.0.0.1", port));
    return new RawClient(socket);
  }

  /** Sends bytes, in one write. */
  public RawClient send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Sends bytes, in one write. */
  public RawClient send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    return this;
  }

  /** All until the server ends the connection. */
  public String readAll() throws IOException {
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
  }

  /** Until a text has come. */
  public String readUntil(String text) throws IOException {
    final StringBuilder read = new StringBuilder();
    while (read.indexOf(text) < 0) {
      final int next = socket.getInputStream().read();
      if (next < 0) {
        throw new AssertionError("the answer must have '" + text + "': " + read);
      }
      read.append((char) next);
    }
    return read.toString();
  }

  /** Whether the server has ended the connection, or reset it since it had bytes left to read. */
  public boolean isCut() {
    try {
      socket.setSoTimeout(1);
      return socket.getInputStream().read() == -1;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  /** A request with a body of JSON. */
  public static String post(String path, String body) {
    return "POST "
        + path
        + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }
}
