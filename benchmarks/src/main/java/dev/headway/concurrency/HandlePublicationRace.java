package dev.headway.concurrency;

import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.RequestOutcome.Finished;
import java.util.Arrays;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/**
 * A look at the handle while the request ends: once it says that it is done, all of its outcome can
 * be seen.
 */
@JCStressTest
@Outcome(id = "not done", expect = Expect.ACCEPTABLE, desc = "too early")
@Outcome(id = "LENGTH [7]", expect = Expect.ACCEPTABLE, desc = "done, with its token")
@State
public class HandlePublicationRace {

  private final Trial trial = new Trial(2);
  private final Received told = trial.submit("a");

  /** The engine. */
  @Actor
  public void step() {
    trial.engine.step();
  }

  /** Looks once. */
  @Actor
  public void look(L_Result seen) {
    seen.r1 = "not done";
    if (told.handle().isDone()) {
      final RequestOutcome outcome = told.handle().outcome().toCompletableFuture().getNow(null);
      seen.r1 =
          outcome instanceof Finished finished
              ? finished.reason() + " " + Arrays.toString(finished.outputTokenIds())
              : "done, but with " + outcome;
    }
  }

  /** Ends the engine. */
  @Arbiter
  public void end(L_Result seen) {
    trial.end();
    seen.r1 += trial.losses();
  }
}
