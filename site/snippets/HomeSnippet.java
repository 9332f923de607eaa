import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.executor.Executor;
import dev.headway.api.request.Request;
import dev.headway.scheduler.engine.HeadwayEngine;
import java.util.Map;

/** The code of the home page. */
final class HomeSnippet {
  private HomeSnippet() {}

  static void run(Executor executor, int[] tokenIds) throws InterruptedException {
    // @start region="home"
    try (Engine engine =
        HeadwayEngine.builder(executor) // runs your model
            .policy("earliest-deadline") // or another of 23, or yours
            .probe("prometheus", Map.of("port", "9464"))
            .build()) {
      engine.start(Thread.ofPlatform().name("headway").factory());

      RequestHandle handle = engine.submit(Request.builder("r-17", tokenIds).maxTokens(256).build());
      if (handle.await() instanceof RequestOutcome.Finished finished) {
        System.out.println(finished.waits().byReason()); // {MAX_NUM_SEQS=PT1.3S, ...}
      }
    }
    // @end
  }
}
