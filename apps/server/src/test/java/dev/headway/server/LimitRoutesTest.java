package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.serving.TextExecutor;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Limits that an operator reads and changes while the server runs. */
class LimitRoutesTest {

  private final Served served = Served.of(new TextExecutor("y".repeat(20), 65));

  @AfterEach
  void close() {
    served.close();
  }

  @Test
  void shouldSetTheLimitsThatTheBodyNamesAndLeaveTheOthers() {
    final JsonNode all = served.answer("/limits", "{\"max_num_active_seqs\":3,\"watermark\":0.1}");

    assertThat(all.path("max_num_active_seqs").asInt()).isEqualTo(3);
    assertThat(all.path("watermark").asDouble()).isEqualTo(0.1);
    assertThat(all.path("max_num_scheduled_tokens").asInt()).isZero();
    assertThat(Served.json(served.get("/limits").body())).isEqualTo(all);
    assertThat(served.engine.limits().maxNumActiveSeqs()).isEqualTo(3);
  }

  @Test
  void shouldRefuseWhatTheEngineCannotHave() {
    final HttpResponse<String> tooMany = served.post("/limits", "{\"max_num_active_seqs\":17}");
    final HttpResponse<String> unknown = served.post("/limits", "{\"max_num_seqs\":3}");

    assertThat(tooMany.statusCode()).isEqualTo(400);
    assertThat(tooMany.body()).contains("maxNumActiveSeqs=17, maxNumSeqs=16");
    assertThat(unknown.statusCode()).isEqualTo(400);
    assertThat(unknown.body()).contains("a limit must be one that GET /limits has");
    assertThat(served.engine.limits().maxNumActiveSeqs()).isZero();
  }
}
