package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.http.Cors;
import dev.headway.serving.TextExecutor;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a browser is told about pages of other origins. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CorsTest {

  private static final String COMPLETIONS = "/v1/completions";
  private static final String PAGE = "http://localhost:3000";
  private static final String ALLOWED = "Access-Control-Allow-Origin";
  private static final String BODY = "{\"prompt\":\"x\",\"max_tokens\":2}";

  private Served served;

  @AfterEach
  void close() {
    served.close();
  }

  private void serve(String... origins) {
    serve(Cors.of(List.of(origins)));
  }

  private void serve(Cors cors) {
    final Served.Setup setup = new Served.Setup();
    setup.options = usual -> usual.withApiKey("secret").withCors(cors);
    served = setup.start(new TextExecutor("text", 200));
  }

  private HttpResponse<String> preflight(String origin) {
    return served.send(
        "OPTIONS",
        COMPLETIONS,
        "Origin",
        origin,
        "Access-Control-Request-Method",
        "POST",
        "Access-Control-Request-Headers",
        "authorization,content-type,x-stainless-lang");
  }

  private HttpResponse<String> ask(String origin) {
    return served.post(COMPLETIONS, BODY, "Origin", origin, "Authorization", "Bearer secret");
  }

  @Test
  void shouldSayNothingUnlessTold() {
    serve();

    assertThat(preflight(PAGE).statusCode()).isEqualTo(401);
    assertThat(preflight(PAGE).headers().firstValue(ALLOWED)).isEmpty();
    assertThat(ask(PAGE).statusCode()).isEqualTo(200);
    assertThat(ask(PAGE).headers().firstValue(ALLOWED)).isEmpty();
  }

  @Test
  void shouldLetAPageAskAndRead() {
    serve(PAGE, "https://other");

    final HttpResponse<String> preflight = preflight(PAGE);
    final HttpResponse<String> answer = ask(PAGE);

    assertThat(preflight.statusCode()).isEqualTo(204); // without the key, which browsers leave out
    assertThat(preflight.headers().firstValue(ALLOWED)).hasValue(PAGE);
    assertThat(preflight.headers().firstValue("Access-Control-Allow-Methods"))
        .hasValue("GET, POST");
    assertThat(preflight.headers().firstValue("Access-Control-Allow-Headers"))
        .hasValue("authorization,content-type,x-stainless-lang");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue(ALLOWED)).hasValue(PAGE);
    assertThat(answer.headers().firstValue("Vary")).hasValue("Origin");
  }

  @Test
  void shouldLetAPageReadErrorsAndStreams() {
    serve(PAGE);

    final HttpResponse<String> refused = served.post(COMPLETIONS, BODY, "Origin", PAGE);
    final var stream =
        served.stream(
            COMPLETIONS,
            BODY.replace("}", ",\"stream\":true}"),
            "Origin",
            PAGE,
            "Authorization",
            "Bearer secret");

    assertThat(refused.statusCode()).isEqualTo(401);
    assertThat(refused.headers().firstValue(ALLOWED)).hasValue(PAGE);
    assertThat(stream.headers().firstValue(ALLOWED)).hasValue(PAGE);
    assertThat(Served.events(stream)).isNotEmpty();
  }

  @Test
  void shouldAllowMethodsHeadersAndCredentialsAsToldAndNoOthers() {
    serve(new Cors(List.of(PAGE), List.of("GET"), List.of("X-A", "X-B"), Cors.Credentials.ALLOWED));

    final HttpResponse<String> preflight = preflight(PAGE);

    assertThat(preflight.headers().firstValue("Access-Control-Allow-Methods")).hasValue("GET");
    assertThat(preflight.headers().firstValue("Access-Control-Allow-Headers")).hasValue("X-A, X-B");
    assertThat(ask(PAGE).headers().firstValue("Access-Control-Allow-Credentials")).hasValue("true");
    assertThat(ask("http://evil").headers().firstValue("Access-Control-Allow-Credentials"))
        .isEmpty();
  }

  @Test
  void shouldAllowTheMethodThatIsAskedForWhereAnyIs() {
    serve(new Cors(List.of(PAGE), List.of("*"), List.of("*"), Cors.Credentials.ALLOWED));

    assertThat(preflight(PAGE).headers().firstValue("Access-Control-Allow-Methods"))
        .hasValue("POST");
    assertThat(preflight(PAGE).headers().firstValue("Access-Control-Allow-Headers"))
        .hasValue("authorization,content-type,x-stainless-lang");
  }

  @Test
  void shouldHaveNoCredentialsForAnyPage() {
    serve();
    final List<String> any = List.of("*");

    assertThatThrownBy(() -> new Cors(any, any, any, Cors.Credentials.ALLOWED))
        .hasMessage(
            "origins must be named where credentials are allowed, or any page acts for its"
                + " reader: origins=[*]");
  }

  @Test
  void shouldNotLetOtherPagesRead() {
    serve(PAGE);

    assertThat(preflight("http://evil").headers().firstValue(ALLOWED)).isEmpty();
    assertThat(ask("http://evil").headers().firstValue(ALLOWED)).isEmpty();
    assertThat(ask("null").headers().firstValue(ALLOWED)).isEmpty();
    assertThat(served.get("/health").headers().firstValue(ALLOWED)).isEmpty();
    assertThat(served.send("OPTIONS", "/health", "Origin", PAGE).statusCode()).isEqualTo(405);
  }

  @Test
  void shouldLetAnyPageReadWhenToldSo() {
    serve("*");

    assertThat(preflight("null").headers().firstValue(ALLOWED)).hasValue("*");
    assertThat(ask("http://any").headers().firstValue(ALLOWED)).hasValue("*");
    assertThat(ask("http://any").headers().firstValue("Vary")).isEmpty();
  }
}
