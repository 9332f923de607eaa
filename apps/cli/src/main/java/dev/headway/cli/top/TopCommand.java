package dev.headway.cli.top;

import dev.headway.cli.command.CommandMessages;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code headway top}: what a running server does, in a terminal. */
@Command(
    name = "top",
    mixinStandardHelpOptions = true,
    header = "Shows in a terminal what a running server is doing.",
    description = {
      "",
      "Reads the dashboard of headway serve, or of the probe dashboard, and draws it anew whenever"
          + " it changes, until the server or Ctrl-C ends it: requests running and waiting, what"
          + " those wait for, KV cache, tokens per second, latencies of the last minute, and the"
          + " longest waits with their causes.",
      ""
    },
    exitCodeList = {
      "0:The server ended, or --once has been printed.",
      "1:There is no such server, or it has no dashboard.",
      "2:The command line is wrong."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headway top",
      "  headway top http://gpu-7:8000 --api-key secret",
      "  headway top --once | grep waiting"
    })
public final class TopCommand implements Callable<Integer> {

  private static final String CLEAR = "\u001b[H\u001b[2J";
  private static final String DATA = "data: ";
  private static final Duration CONNECT = Duration.ofSeconds(5);

  @Mixin private CommandMessages messages = new CommandMessages();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "URL",
      defaultValue = "http://localhost:8000",
      description = "Where the server is (${DEFAULT-VALUE}).")
  private URI url;

  @Option(names = "--api-key", paramLabel = "KEY", description = "The server's key, if it has one.")
  private @Nullable String apiKey;

  @Option(names = "--once", description = "Print what it does now and end.")
  private boolean once;

  @Override
  public Integer call() throws InterruptedException {
    if (!"http".equals(url.getScheme()) && !"https".equals(url.getScheme())) {
      throw messages.wrong("URL must begin with http:// or https://: URL=" + url);
    }
    try (HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT).build()) {
      if (once) {
        messages.print(text(open(client, "dashboard/snapshot")));
        return 0;
      }
      follow(open(client, "dashboard/events"));
      return 0;
    } catch (ConnectException e) {
      return messages.failed(
          new IOException("no server answers at " + url + "; is it running, on that port?", e));
    } catch (IOException e) {
      return messages.failed(e);
    }
  }

  private InputStream open(HttpClient client, String path)
      throws IOException, InterruptedException {
    final String base = url.toString();
    final HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base.endsWith("/") ? base + path : base + "/" + path));
    if (apiKey != null) {
      request.header("Authorization", "Bearer " + apiKey);
    }
    final HttpResponse<InputStream> answer =
        client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    return switch (answer.statusCode()) {
      case 200 -> answer.body();
      case 401 -> throw new IOException("the server wants its key: --api-key KEY");
      case 404 ->
          throw new IOException(
              "there is no dashboard at "
                  + url
                  + ": it must be a headway serve without --no-dashboard, or the probe dashboard");
      default -> throw new IOException(url + " answered " + answer.statusCode());
    };
  }

  private void follow(InputStream events) throws IOException {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(events, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(DATA)) {
          messages.print(CLEAR + new TopText(new JsonMapper().readTree(line.substring(6))).write());
        }
      }
    }
  }

  private static String text(InputStream snapshot) throws IOException {
    try (snapshot) {
      final JsonNode json = new JsonMapper().readTree(snapshot);
      return json.has("step") ? new TopText(json).write() : "nothing is known yet\n";
    }
  }
}
