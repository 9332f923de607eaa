package dev.headway.cli.serve;

import com.sun.net.httpserver.HttpExchange;
import dev.headway.probes.dashboard.page.DashboardPages;
import dev.headway.server.ServerPages;
import java.io.IOException;

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
  public void handle(HttpExchange exchange) throws IOException {
    pages.handle(exchange);
  }
}
