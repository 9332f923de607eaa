import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.engine.HeadwayEngine;
import java.util.ArrayList;
import java.util.List;

/** An engine with an executor of its own: every answer counts upwards from the prompt's length. */
public final class FirstEngine {

  /** Runs a step while the engine waits for it. Yours calls a model here. */
  static final class CountingExecutor implements Executor {
    private int[] tokens = {}; // per entry of the step; -1 in the middle of a prompt

    @Override
    public ExecutorShape shape() { // what the model can hold
      return ExecutorShape.builder()
          .kvCache(KvCacheShape.builder().blockSize(16).blocks(256).build())
          .maxNumSeqs(2)
          .vocabularySize(1_000)
          .build();
    }

    @Override
    public void submit(StepPlan step) {
      tokens = new int[step.size()];
      for (int entry = 0; entry < tokens.length; entry++) {
        int position = step.computedTokens(entry) + step.scheduledTokens(entry);
        tokens[entry] = step.samples(entry) ? position : -1;
      }
    }

    @Override
    public boolean await(StepOutput output, long timeoutNs) {
      for (int entry = 0; entry < tokens.length; entry++) {
        if (tokens[entry] >= 0) {
          output.addToken(entry, tokens[entry]);
        }
      }
      return true;
    }

    @Override
    public void close() {}
  }

  public static void main(String[] args) throws InterruptedException {
    try (Engine engine = HeadwayEngine.builder(new CountingExecutor()).build()) {
      List<RequestHandle> handles = new ArrayList<>();
      for (int i = 0; i < 4; i++) { // two run at once, the others wait
        handles.add(engine.submit(Request.builder("r" + i, 1, 2, 3).maxTokens(5).build()));
      }
      engine.start(Thread.ofPlatform().name("headway").factory());
      for (RequestHandle handle : handles) {
        if (handle.await() instanceof RequestOutcome.Finished finished) {
          System.out.println(finished + " waited for " + finished.waits().byReason().keySet());
        }
      }
    }
  }
}
