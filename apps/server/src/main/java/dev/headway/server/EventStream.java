package dev.headway.server;

import dev.headway.http.server.ServerExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.node.ObjectNode;

/**
 * An answer in server-sent events: {@code data:}, JSON in a line, a blank line. Every event is sent
 * at once. One thread.
 */
final class EventStream {

  private static final byte[] DATA = "data: ".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] END = "\n\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] DONE = "data: [DONE]\n\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] COMMENT = ": waiting\n\n".getBytes(StandardCharsets.US_ASCII);

  private final OutputStream out;

  /** Sends the head of the answer. */
  EventStream(ServerExchange exchange) throws IOException {
    exchange.setHeader("Content-Type", "text/event-stream; charset=utf-8");
    exchange.setHeader("Cache-Control", "no-cache");
    exchange.setHeader("X-Accel-Buffering", "no");
    this.out = exchange.stream(200);
  }

  void send(ObjectNode event) throws IOException {
    out.write(DATA);
    out.write(Json.bytes(event));
    out.write(END);
    out.flush();
  }

  /** Sends a comment, which clients skip, to see whether there still is one. */
  void comment() throws IOException {
    write(COMMENT);
  }

  /** Sends the last event and ends the answer. */
  void done() throws IOException {
    write(DONE);
    out.close();
  }

  private void write(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }
}
