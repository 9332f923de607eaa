package dev.headway.cli.serve;

import dev.headway.http.server.ServerExchange;
import dev.headway.probes.dashboard.page.DashboardPages;
import dev.headway.probes.dashboard.page.PageExchange;
import dev.headway.server.ServerPages;
import java.io.IOException;
import java.io.OutputStream;

/** The dashboard on the server's own port. The page needs no key; its figures do. */
record DashboardRoutes(DashboardPages pages) implements ServerPages {

  @Override
  public boolean serves(String path) {
    return DashboardPages.serves(path);
  }

  @Override
  public boolean needsKey(String path) {
    return !DashboardPages.hasNoFigures(path);
  }

  @Override
  public void handle(ServerExchange exchange) throws IOException {
    pages.handle(new Page(exchange));
  }

  private record Page(ServerExchange exchange) implements PageExchange {

    @Override
    public String method() {
      return exchange.method();
    }

    @Override
    public String path() {
      return exchange.uri().getPath();
    }

    @Override
    public void header(String name, String value) {
      exchange.setHeader(name, value);
    }

    @Override
    public void sendNothing(int status) throws IOException {
      exchange.sendNothing(status);
    }

    @Override
    public void send(int status, byte[] body) throws IOException {
      exchange.send(status, body);
    }

    @Override
    public OutputStream stream(int status) throws IOException {
      return exchange.stream(status);
    }
  }
}
