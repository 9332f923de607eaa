package dev.headway.loadgen.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.loadgen.client.Exchange.Status;
import dev.headway.routing.timing.TimingStage;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerReaderTest {

  private final Exchange exchange = new Exchange(true, done -> {});
  private final AnswerReader reader = new AnswerReader(exchange);

  private void event(long atNs, String json) {
    reader.event(json.getBytes(StandardCharsets.UTF_8), atNs);
  }

  /** Else the last token would seem to come with what the server counts at the end. */
  @Test
  void shouldNotTakeUsageForAToken() {
    event(10, "{\"choices\":[{\"text\":\"a\"}]}");
    event(20, "{\"choices\":[{\"text\":\"b\",\"finish_reason\":\"length\"}]}");
    event(
        90,
        "{\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2,"
            + "\"prompt_tokens_details\":{\"cached_tokens\":1}}}");
    event(95, "[DONE]");
    exchange.done(100);

    assertThat(exchange.status()).isEqualTo(Status.OK);
    assertThat(exchange.chunksNs()).containsExactly(10, 20);
    assertThat(exchange.at().ns(TimingStage.CLIENT_LAST_TOKEN)).isEqualTo(20);
    assertThat(exchange.at().ns(TimingStage.CLIENT_DONE)).isEqualTo(100);
    assertThat(exchange.promptTokens()).isEqualTo(3);
    assertThat(exchange.cachedTokens()).isEqualTo(1);
    assertThat(exchange.outputTokens()).isEqualTo(2);
    assertThat(exchange.finishReason()).isEqualTo("length");
    assertThat(exchange.text()).isEqualTo("ab");
  }

  /** A part of a character, or a special token, has no text. */
  @Test
  void shouldCountATokenWithoutTextIfTheServerCountsIt() {
    event(10, "{\"choices\":[{\"text\":\"\"}]}");
    event(20, "{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}");
    event(30, "{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}");
    event(31, "{\"choices\":[],\"usage\":{\"completion_tokens\":3}}");
    exchange.done(40);

    assertThat(exchange.chunksNs()).as("vLLM's end of a sequence").containsExactly(10, 20, 30);
  }

  @Test
  void shouldNotTakeAnEndOfItsOwnForAToken() {
    event(10, "{\"choices\":[{\"text\":\"a\"}]}");
    event(20, "{\"choices\":[{\"text\":\"b\"}]}");
    event(25, "{\"choices\":[{\"text\":\"\",\"finish_reason\":\"length\"}]}");
    event(31, "{\"choices\":[],\"usage\":{\"completion_tokens\":2}}");
    exchange.done(40);

    assertThat(exchange.chunksNs()).containsExactly(10, 20);
    assertThat(exchange.at().ns(TimingStage.CLIENT_LAST_TOKEN)).isEqualTo(20);
  }

  @Test
  void shouldCountPartsWithTextAloneWithoutUsage() {
    event(5, "{\"choices\":[{\"text\":\"\"}]}");
    event(10, "{\"choices\":[{\"text\":\"a\"}]}");
    event(20, "{\"choices\":[{\"text\":\"b\"}]}");
    event(25, "{\"choices\":[{\"text\":\"\",\"finish_reason\":\"length\"}]}");
    exchange.done(40);

    assertThat(exchange.isCounted()).isFalse();
    assertThat(exchange.chunksNs()).containsExactly(10, 20);
    assertThat(exchange.at().ns(TimingStage.CLIENT_FIRST)).isEqualTo(10);
  }

  @Test
  void shouldNotCountARoleAlone() {
    event(10, "{\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}");
    event(20, "{\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"a\"}}]}");
    exchange.done(30);

    assertThat(exchange.chunksNs()).containsExactly(20);
  }

  /** vLLM's name for it, and the one before. */
  @ParameterizedTest
  @ValueSource(strings = {"reasoning", "reasoning_content"})
  void shouldCountReasoningThatComesWithTheRole(String name) {
    event(
        10,
        "{\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\",\""
            + name
            + "\":\"a\"}}]}");
    exchange.done(30);

    assertThat(exchange.chunksNs()).containsExactly(10);
  }

  @Test
  void shouldFailOnAnErrorInTheStream() {
    event(10, "{\"choices\":[{\"text\":\"a\"}]}");
    event(20, "{\"error\":{\"message\":\"out of blocks\",\"code\":500}}");
    exchange.done(30);

    assertThat(exchange.status()).isEqualTo(Status.ERROR);
    assertThat(exchange.error()).isEqualTo("the server says: out of blocks");
  }

  @Test
  void shouldFailWithoutAnyToken() {
    event(10, "{\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":0}}");
    exchange.done(30);

    assertThat(exchange.status()).isEqualTo(Status.ERROR);
    assertThat(exchange.error()).isEqualTo("the answer held no token");
  }

  @Test
  void shouldFailOnWhatIsNoJson() {
    event(10, "<html>");

    assertThat(exchange.error()).isEqualTo("the answer is not JSON: <html>");
  }

  @Test
  void shouldTakeTheServersInstants() {
    event(
        10,
        "{\"choices\":[],\"timing\":{\"clock\":\"c\",\"server_recv_ns\":5,\"prompt_tokens\":9,"
            + "\"output_tokens\":4}}");

    assertThat(exchange.server()).isNotNull();
    assertThat(exchange.server().at().ns(TimingStage.SERVER_RECEIVED)).isEqualTo(5);
    assertThat(exchange.outputTokens()).as("where usage is not sent").isEqualTo(4);
  }
}
