package dev.headway.api.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.Request;
import org.junit.jupiter.api.Test;

class EngineTest {

  @Test
  void shouldSubmitWithoutAListener() {
    final ManualEngine engine = new ManualEngine();

    final RequestHandle handle = engine.submit(Request.builder("r", 1).maxTokens(1).build());

    assertThat(engine.handles).containsExactly((ManualEngine.Handle) handle);
    assertThat(engine.handles.getFirst().listener()).isSameAs(TokenListener.NONE);
  }
}
