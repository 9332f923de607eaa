package dev.headway.probes.dashboard.page;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A request for a page and its answer, for a server with endpoints of its own to implement. The
 * thread of the request only.
 */
public interface PageExchange {

  /** Method of the request, in capitals. */
  String method();

  /** Path of the request. */
  String path();

  /** Sets a header of the answer, before it is sent. */
  void header(String name, String value);

  /**
   * Answers without a body.
   *
   * @throws IOException if the client has gone
   */
  void sendNothing(int status) throws IOException;

  /**
   * Answers with a body.
   *
   * @throws IOException if the client has gone
   */
  void send(int status, byte[] body) throws IOException;

  /**
   * Begins an answer of unknown length.
   *
   * @return its body; what is flushed is sent
   * @throws IOException if the client has gone
   */
  OutputStream stream(int status) throws IOException;
}
