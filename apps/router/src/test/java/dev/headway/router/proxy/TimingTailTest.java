package dev.headway.router.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.routing.timing.RequestTiming;
import dev.headway.routing.timing.ServerTiming;
import dev.headway.routing.timing.TimingJson;
import dev.headway.routing.timing.TimingStage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The server's instants at the end of an answer, however the answer is cut into parts. */
class TimingTailTest {

  private static final int KEPT = 8_192;

  private static final ServerTiming SAID =
      new ServerTiming(
          "clock-1",
          new RequestTiming().set(TimingStage.SERVER_RECEIVED, 10).set(TimingStage.FIRST_SENT, 20),
          5,
          4,
          3,
          2,
          1,
          "kv_blocks",
          "stop");

  private static final String JSON = TimingJson.write(SAID).toString();

  /** The last event of a stream, with the figures beside the usage. */
  private static final String STREAM =
      "data: {\"choices\":[{\"text\":\"grün 🙂\"}]}\n\n"
          + "data: {\"choices\":[],\"usage\":{\"total_tokens\":8},\"timing\":"
          + JSON
          + "}\n\ndata: [DONE]\n\n";

  private final TimingTail given = new TimingTail();

  private void add(String text) {
    given.add(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
  }

  private String read() {
    final ServerTiming timing = given.timing();
    return timing == null ? "nothing" : TimingJson.write(timing).toString();
  }

  /** Also where it has to push out what came before. */
  @ParameterizedTest
  @CsvSource({"1, 0", "7, 0", "1000, 0", "1, 8192", "2, 8192", "7, 8100", "64, 20000"})
  void shouldReadAnEventThatIsSplitOverBuffers(int bytesEach, int before) {
    final ByteBuf all = Unpooled.copiedBuffer(STREAM, StandardCharsets.UTF_8);
    add("x".repeat(before));

    while (all.isReadable()) {
      given.add(all.readSlice(Math.min(bytesEach, all.readableBytes())));
    }

    assertThat(read()).isEqualTo(JSON);
  }

  @Test
  void shouldReadItBehindMoreThanItKeeps() {
    for (int i = 0; i < 100; i++) {
      add("data: {\"choices\":[{\"text\":\"" + "x".repeat(500) + "\"}]}\n\n");
    }
    add(STREAM);

    assertThat(read()).isEqualTo(JSON);
  }

  @Test
  void shouldReadItFromTheEndOfABufferLongerThanItKeeps() {
    add("x".repeat(5 * KEPT) + STREAM);

    assertThat(read()).isEqualTo(JSON);
  }

  @ParameterizedTest
  @ValueSource(ints = {KEPT - 1, KEPT, KEPT + 1, 3 * KEPT})
  void shouldKeepWhatCameBeforeABufferOfAboutItsSize(int padding) {
    add("x".repeat(padding));
    add(STREAM);
    add("\n");

    assertThat(read()).isEqualTo(JSON);
  }

  @Test
  void shouldNotFindItFurtherFromTheEndThanItKeeps() {
    add(STREAM);
    add(" ".repeat(KEPT));

    assertThat(read()).isEqualTo("nothing");
  }

  @Test
  void shouldNotMoveTheBufferThatIsPassedOn() {
    final ByteBuf part = Unpooled.copiedBuffer("skipped" + STREAM, StandardCharsets.UTF_8);
    part.skipBytes("skipped".length());
    final int readable = part.readableBytes();

    given.add(part);

    assertThat(part.readableBytes()).isEqualTo(readable);
    assertThat(read()).isEqualTo(JSON);
  }

  @Test
  void shouldTakeTheLastOneAndNotWhatAModelWrote() {
    add("{\"choices\":[{\"text\":\"\\\"timing\\\":{\\\"clock\\\":\\\"fake\\\"}\"}],\"timing\":");
    add("{\"clock\":\"earlier\"},\"timing\":" + JSON + "}");

    assertThat(read()).isEqualTo(JSON);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "data: [DONE]\n\n",
        "{\"timing\":",
        "{\"timing\":null}",
        "{\"timing\":{\"clock\":\"c\"",
        "{\"timing\":{\"server_recv_ns\":1}}",
        "{\"timing\":{\"clock\":\"c\",\"server_recv_ns\":1.5}}",
        "{\"timing\":{\"clock\":\"c\",}}",
        "{\"timing\":[]}",
        "{\"timing\":}"
      })
  void shouldReadNothingFromWhatIsNoTiming(String answer) {
    add(answer);

    assertThat(read()).isEqualTo("nothing");
  }
}
