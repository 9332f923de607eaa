package dev.headway.probes.dashboard.page;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;

/** An exchange of the JDK's server; left open. */
record JdkExchange(HttpExchange exchange) implements PageExchange {

  @Override
  public String method() {
    return exchange.getRequestMethod();
  }

  @Override
  public String path() {
    return exchange.getRequestURI().getPath();
  }

  @Override
  public void header(String name, String value) {
    exchange.getResponseHeaders().set(name, value);
  }

  @Override
  public void sendNothing(int status) throws IOException {
    exchange.sendResponseHeaders(status, -1);
  }

  @Override
  public void send(int status, byte[] body) throws IOException {
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  @Override
  public OutputStream stream(int status) throws IOException {
    exchange.sendResponseHeaders(status, 0);
    return exchange.getResponseBody();
  }
}
