package dev.headway.clients;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Real servers, started once for all tests of a JVM: two that answer with a trained model of
 * 260,000 weights, and one that is soon full, each behind a router too.
 */
public final class Servers implements AutoCloseable {

  /** What the server that is soon full wants from its clients. */
  public static final String KEY = "a-key-of-the-tests";

  private static final Path STORIES =
      Path.of(
          "..", "..", "sdk-executor-host", "src", "test", "resources", "models", "stories260K-hf");
  private static final Path TEMPLATE = Path.of("src", "test", "resources", "short.jinja");

  private static final String[] MODEL = {
    "serve",
    "--model=" + STORIES,
    "--executor=reference",
    "--tool-call-parser=hermes",
    "--allow-forced-tokens",
    "--chat-template=" + TEMPLATE,
  };

  /** One request at a time, a second one waits for a second, and a third is too many. */
  private static final String[] SOON_FULL = {
    "serve",
    "--executor=simulated",
    "--served-model-name=made-up",
    "--latency=5000000,0,0,0",
    "--max-num-seqs=1",
    "--max-num-queued-reqs=2",
    "--queue-timeout=1",
    "--request-timeout=2",
    "--api-key=" + KEY,
  };

  private final List<Program> programs = new ArrayList<>();
  private final URI server;
  private final URI router;
  private final URI fullServer;
  private final URI fullRouter;

  private Servers() {
    try {
      final Program one = start(MODEL);
      final Program another = start(MODEL);
      final Program full = start(SOON_FULL);
      server = one.address();
      fullServer = full.address();
      final Program both = start("route", "--workers=" + server + "," + another.address());
      final Program last =
          start("route", "--workers=" + fullServer, "--api-key=" + KEY, "--attempts=1");
      router = both.address();
      fullRouter = last.address();
      awaitHealthy(router);
      awaitHealthy(fullRouter);
    } catch (IOException | RuntimeException e) {
      close();
      throw new IllegalStateException("servers must start", e);
    }
  }

  private Program start(String... words) throws IOException {
    final Program program = Program.start(words);
    programs.add(program);
    return program;
  }

  /** Where clients find the model. */
  public String models(Way way) {
    return (way == Way.SERVE ? server : router) + "/v1";
  }

  /** Where clients find the server that is soon full. */
  public String soonFull(Way way) {
    return (way == Way.SERVE ? fullServer : fullRouter) + "/v1";
  }

  /** Waits until the server that is soon full has so many requests, waiting or running. */
  public void awaitRequests(int count) {
    await(fullServer.resolve("/v1/loads"), "\"num_total_reqs\":" + count + ",");
  }

  private static void awaitHealthy(URI router) {
    await(router.resolve("/v1/models"), "\"data\"");
  }

  private static void await(URI uri, String text) {
    final HttpRequest request =
        HttpRequest.newBuilder(uri).header("Authorization", "Bearer " + KEY).build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      for (int tries = 0; tries < 2_000; tries++) {
        if (http.send(request, BodyHandlers.ofString()).body().replace(" ", "").contains(text)) {
          return;
        }
        Program.pause();
      }
    } catch (IOException e) {
      throw new IllegalStateException("the server must answer: " + uri, e);
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted while asking " + uri, e);
    }
    throw new IllegalStateException("the answer must get there: uri=" + uri + ", text=" + text);
  }

  @Override
  public void close() {
    for (Program program : programs) {
      try {
        program.close();
      } catch (IOException e) {
        throw new IllegalStateException("a server must end", e);
      }
    }
  }

  /** Hands them to tests. */
  public static final class Started implements ParameterResolver {

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == Servers.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return OfThisJvm.SERVERS;
    }
  }

  /** They end with it: a test plan may be of one class only. */
  private static final class OfThisJvm {

    private static final Servers SERVERS = new Servers();

    static {
      Runtime.getRuntime().addShutdownHook(new Thread(SERVERS::close));
    }
  }
}
