package dev.headway.concurrency;

import dev.headway.api.schedule.ResetScope;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** A reset of the prefix cache while the engine takes a step and closes: it is answered. */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "done before the close")
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "refused by the close")
@State
public class ResetCloseRace {

  private final Trial trial = new Trial(2);

  /** Asks for a reset. */
  @Actor
  public void reset(LL_Result result) {
    result.r1 = trial.engine.resetPrefixCache(ResetScope.IDLE_ONLY).toCompletableFuture();
  }

  /** Takes a step and closes. */
  @Actor
  public void close() {
    trial.engine.step();
    trial.engine.close();
  }

  /** Looks at the answer. */
  @Arbiter
  public void ask(LL_Result result) {
    final CompletableFuture<?> answer = (CompletableFuture<?>) result.r1;
    result.r1 = answer.isDone();
    result.r2 = answer.getNow(null) + trial.losses();
  }
}
