package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.http.RawClient;
import dev.headway.http.ServerTls;
import dev.headway.http.TlsFiles;
import dev.headway.serving.TextExecutor;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Encrypted connections. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TlsTest {

  private static final String TEXT = "text of an answer ".repeat(40);

  @TempDir static Path folder;

  private static TlsFiles files;

  private Served served;
  private HttpClient client;

  @BeforeAll
  static void makeFiles() throws Exception {
    files = TlsFiles.in(folder);
  }

  @BeforeEach
  void serve() throws Exception {
    final ServerTls tls = ServerTls.of(files.certificate(), files.key());
    final Served.Setup setup = new Served.Setup();
    setup.options = usual -> usual.withTls(tls).withLimits(usual.limits().withBodyBytes(4_096));
    served = setup.start(new TextExecutor(TEXT, 200));
    client = HttpClient.newBuilder().sslContext(files.trusting()).build();
  }

  @AfterEach
  void close() {
    client.shutdownNow();
    served.close();
  }

  private int port() {
    return served.server.address().getPort();
  }

  private HttpRequest request(String path, String body) {
    return HttpRequest.newBuilder(URI.create("https://localhost:" + port() + path))
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(body))
        .build();
  }

  @Test
  void shouldAnswerWholeAndInParts() throws Exception {
    final String body = "{\"prompt\":\"x\",\"max_tokens\":900";

    final HttpResponse<String> whole =
        client.send(request("/v1/completions", body + "}"), BodyHandlers.ofString());
    final HttpResponse<Stream<String>> stream =
        client.send(request("/v1/completions", body + ",\"stream\":true}"), BodyHandlers.ofLines());

    assertThat(whole.statusCode()).isEqualTo(200);
    assertThat(whole.sslSession().orElseThrow().getProtocol()).isEqualTo("TLSv1.3");
    assertThat(Served.json(whole.body()).path("choices").path(0).path("text").asString())
        .isEqualTo(TEXT);
    final StringBuilder text = new StringBuilder();
    Served.events(stream)
        .forEach(event -> text.append(event.path("choices").path(0).path("text").asString()));
    assertThat(text.toString()).isEqualTo(TEXT);
  }

  @Test
  void shouldRefuseABodyThatIsStillBeingSent() throws Exception {
    try (SSLSocket socket =
        (SSLSocket) files.trusting().getSocketFactory().createSocket("localhost", port())) {
      socket
          .getOutputStream()
          .write(
              ("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\n"
                      + "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
                  .getBytes(StandardCharsets.US_ASCII));

      final String answer =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

      assertThat(answer).startsWith("HTTP/1.1 413 ").contains("maxBodyBytes=4096").endsWith("}}");
    }
  }

  @Test
  void shouldCutOffWhatIsNotEncryptedAndGoOn() throws Exception {
    try (RawClient plain = RawClient.connect(port())) {
      plain.send(RawClient.post("/v1/completions", "{}"));
      assertThat(plain.readAll()).doesNotContain("HTTP/1.1 ");
    }
    Watch.until("it has gone", () -> served.server.connections() == 0);
    assertThat(
            client
                .send(
                    HttpRequest.newBuilder(URI.create("https://localhost:" + port() + "/health"))
                        .build(),
                    BodyHandlers.ofString())
                .statusCode())
        .isEqualTo(200);
  }

  @Test
  void shouldEndTheRequestOfAClientThatGoes() throws Exception {
    try (SSLSocket socket =
        (SSLSocket) files.trusting().getSocketFactory().createSocket("localhost", port())) {
      final String request =
          RawClient.post(
              "/v1/completions", "{\"prompt\":\"x\",\"max_tokens\":900,\"stream\":true}");
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      assertThat(socket.getInputStream().read()).isEqualTo('H');
    }

    Watch.until(
        "its request has ended",
        () -> served.engine.stats().running() == 0 && served.server.underWay() == 0);
  }

  @Test
  void shouldSayWhichFileIsNoCertificateOrKey() throws IOException {
    final Path nothing = folder.resolve("nothing.pem");
    final Path other = Files.writeString(folder.resolve("other.pem"), "-----BEGIN RSA PRIVATE KEY");

    assertThatThrownBy(() -> ServerTls.of(nothing, files.key()))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> ServerTls.of(files.key(), files.key()))
        .hasMessageStartingWith(
            "the certificate must be one in PEM, and of this day: file=" + files.key() + ": ");
    for (Path wrong : List.of(nothing, other, files.certificate())) {
      assertThatThrownBy(() -> ServerTls.of(files.certificate(), wrong))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("the key must be that of the certificate, in PEM as PKCS#8")
          .hasMessageContaining("key=" + wrong + ": ");
    }
  }
}
