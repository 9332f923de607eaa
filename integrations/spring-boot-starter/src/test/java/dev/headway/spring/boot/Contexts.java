package dev.headway.spring.boot;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.request.Request;
import dev.headway.serving.TextExecutor;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications of the tests. */
final class Contexts {

  private Contexts() {}

  /** One without an executor. */
  static ApplicationContextRunner empty() {
    return new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(HeadwayAutoConfiguration.class));
  }

  static ApplicationContextRunner simulated(String... properties) {
    return empty().withPropertyValues("headway.executor=simulated").withPropertyValues(properties);
  }

  /** One whose bean answers with a text, byte by byte. */
  static ApplicationContextRunner answering(String text) {
    return empty().withBean(TextExecutor.class, () -> new TextExecutor(text, 256));
  }

  static RequestHandle submit(Engine engine, String id, int maxTokens) {
    return engine.submit(Request.builder(id, 1, 2, 3).maxTokens(maxTokens).build());
  }

  static Finished end(RequestHandle handle) throws Exception {
    return (Finished) handle.outcome().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }
}
