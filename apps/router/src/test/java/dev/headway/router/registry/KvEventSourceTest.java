package dev.headway.router.registry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class KvEventSourceTest {

  @ParameterizedTest
  @CsvSource({
    "tcp://*:5557, 10.0.0.7, tcp://10.0.0.7:5557",
    "tcp://0.0.0.0:5557, gpu-1, tcp://gpu-1:5557",
    "tcp://[::]:5557, fd00::7, tcp://[fd00::7]:5557",
    "tcp://10.0.0.9:5557, 10.0.0.7, tcp://10.0.0.9:5557",
    "ipc:///run/kv.sock, 10.0.0.7, ipc:///run/kv.sock"
  })
  void shouldConnectWhereTheEngineBinds(String bound, String host, String connected) {
    final KvEventSource source =
        read("{\"endpoint\":\"" + bound + "\",\"replay_endpoint\":\"" + bound + "\"}", host);

    assertThat(source).isEqualTo(new KvEventSource(connected, connected, ""));
  }

  @Test
  void shouldReadATextWithJsonInIt() {
    final String text = "{\"endpoint\":\"tcp://*:1\",\"topic\":\"kv@\"}";

    assertThat(read(JsonMapper.shared().writeValueAsString(text), "a"))
        .isEqualTo(new KvEventSource("tcp://a:1", null, "kv@"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "null", "\"no json\"", "7", "{\"endpoint\":\"\"}", "[]"})
  void shouldTellNothingWithoutAnEndpoint(String json) {
    assertThat(read(json, "a")).isNull();
  }

  private static KvEventSource read(String json, String host) {
    return KvEventSource.read(JsonMapper.shared().readTree(json), host);
  }
}
