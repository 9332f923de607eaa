package dev.headway.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A client that sends bytes as a test has them, and reads whatever comes. */
final class Raw implements AutoCloseable {

  final Socket socket;

  private Raw(Socket socket) {
    this.socket = socket;
  }

  static Raw connect(Served served) throws IOException {
    final Socket socket = new Socket();
    socket.connect(new InetSocketAddress("127.0.0.1", served.server.address().getPort()));
    return new Raw(socket);
  }

  Raw send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  Raw send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    return this;
  }

  /** All until the server ends the connection. */
  String readAll() throws IOException {
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
  }

  /** Until a text has come. */
  String readUntil(String text) throws IOException {
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

  @Override
  public void close() throws IOException {
    socket.close();
  }

  /** A request with a body of JSON. */
  static String post(String path, String body) {
    return "POST "
        + path
        + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }
}
