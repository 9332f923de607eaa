package dev.headway.routing.fpm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.msgpack.core.MessagePack;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import tools.jackson.databind.json.JsonMapper;

/** Metrics as msgspec writes them for Dynamo and SGLang, and on a socket. */
class ForwardPassWireTest {

  private static final ForwardPassMetrics METRICS =
      new ForwardPassMetrics(
          0.0125,
          new ForwardPassMetrics.Scheduled(2, 768, 16_384, 1_024, 3, 3_000, 20_000 / 3.0),
          new ForwardPassMetrics.Queued(5, 2_560, 0, 1, 700, 0));

  @ParameterizedTest
  @CsvSource({"F1,", "F2, model_step_cuda"})
  void shouldWriteWhatOthersWrite(String name, String timingScope) throws IOException {
    final byte[] written = new ForwardPassEncoder("w0", 0, timingScope).encode(258, METRICS);

    assertThat(HexFormat.of().formatHex(written)).isEqualTo(golden(name));
  }

  @Test
  void shouldWriteHeartbeats() throws IOException {
    final byte[] written =
        new ForwardPassEncoder("w0", 0, null).encode(259, ForwardPassMetrics.HEARTBEAT);

    assertThat(HexFormat.of().formatHex(written)).isEqualTo(golden("F1_heartbeat"));
  }

  @Test
  void shouldNumberMessagesAndBeatWhileThereAreNone() throws IOException {
    try (ForwardPassPublisher publisher =
            ForwardPassPublisher.open("tcp://127.0.0.1:*", "node-7", 1, null);
        ZContext context = new ZContext()) {
      final ZMQ.Socket sub = context.createSocket(SocketType.SUB);
      sub.setReceiveTimeOut(20_000);
      sub.setHandshakeIvl(1_000); // JeroMQ leaves some handshakes without an end
      sub.subscribe("");
      sub.connect(publisher.endpoint());

      final Map<Value, Value> heartbeat = next(sub); // so that the subscription is known
      publisher.offer(METRICS);
      final Map<Value, Value> metrics = next(sub);

      assertThat(text(heartbeat, "wall_time")).isEqualTo("0.0");
      assertThat(text(metrics, "wall_time")).isEqualTo("0.0125");
      assertThat(text(metrics, "worker_id")).isEqualTo("\"node-7\"");
      assertThat(text(metrics, "dp_rank")).isEqualTo("1");
      assertThat(Long.parseLong(text(metrics, "counter_id")))
          .isEqualTo(Long.parseLong(text(heartbeat, "counter_id")) + 1);
      assertThat(publisher.dropped()).isZero();
    }
  }

  /** The next message, whose second frame is its number. */
  private static Map<Value, Value> next(ZMQ.Socket sub) throws IOException {
    assertThat(sub.recv()).isEmpty();
    final long number = ByteBuffer.wrap(sub.recv()).getLong();
    final Map<Value, Value> message =
        MessagePack.newDefaultUnpacker(sub.recv()).unpackValue().asMapValue().map();
    assertThat(text(message, "counter_id")).isEqualTo(Long.toString(number));
    assertThat(sub.hasReceiveMore()).isFalse();
    return message;
  }

  private static String text(Map<Value, Value> message, String name) {
    return Objects.requireNonNull(message.get(ValueFactory.newString(name))).toJson();
  }

  private static String golden(String name) throws IOException {
    try (InputStream in = ForwardPassWireTest.class.getResourceAsStream("/wire/fpm_golden.json")) {
      return JsonMapper.shared()
          .readTree(Objects.requireNonNull(in))
          .get(name)
          .get("hex")
          .asString();
    }
  }
}
