package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.http.server.ServerExchange;
import dev.headway.serving.TextExecutor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pages beside the API: they go first, may be open, and take nothing from the rest. */
@Timeout(30)
class ServerPagesTest {

  /** A page that everyone may see, and one that needs the key. */
  private static final class Pages implements ServerPages {
    @Override
    public boolean serves(String path) {
      return path.equals("/") || path.equals("/figures");
    }

    @Override
    public boolean needsKey(String path) {
      return !path.equals("/");
    }

    @Override
    public void handle(ServerExchange exchange) throws IOException {
      exchange.send(200, "a page".getBytes(StandardCharsets.UTF_8));
    }
  }

  @Test
  void shouldServePagesBesideTheApi() {
    final Served.Setup setup = new Served.Setup();
    setup.options = usual -> usual.withPages(new Pages());
    try (Served given = setup.start(new TextExecutor("text", 200))) {
      assertThat(given.get("/").body()).isEqualTo("a page");
      assertThat(given.get("/figures").body()).isEqualTo("a page");
      assertThat(given.get("/v1/models").statusCode()).isEqualTo(200);
      assertThat(given.get("/other").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void shouldWantTheKeyForPagesThatNeedIt() {
    final Served.Setup setup = new Served.Setup();
    setup.options = usual -> usual.withPages(new Pages()).withApiKey("secret");
    try (Served given = setup.start(new TextExecutor("text", 200))) {
      assertThat(given.get("/").statusCode()).isEqualTo(200);
      assertThat(given.get("/figures").statusCode()).isEqualTo(401);
      assertThat(given.send("GET", "/figures", "Authorization", "Bearer secret").body())
          .isEqualTo("a page");
    }
  }
}
