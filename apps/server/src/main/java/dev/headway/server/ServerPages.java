package dev.headway.server;

import dev.headway.http.server.ServerExchange;
import java.io.IOException;

/** Pages for people beside the API, for example a dashboard. Any thread. */
public interface ServerPages {

  /** No pages. */
  ServerPages NONE =
      new ServerPages() {
        @Override
        public boolean serves(String path) {
          return false;
        }

        @Override
        public boolean needsKey(String path) {
          return true;
        }

        @Override
        public void handle(ServerExchange exchange) throws IOException {
          throw new IOException("there are no pages");
        }
      };

  /** Whether a path is one of them; they go before the API. */
  boolean serves(String path);

  /** Whether a client must send the server's key for it, if the server has one. */
  boolean needsKey(String path);

  /**
   * Answers a request for one of them, for as long as it takes: a server that drains does not wait
   * for it. Does not close the exchange.
   *
   * @throws IOException if the client has gone
   */
  void handle(ServerExchange exchange) throws IOException;
}
