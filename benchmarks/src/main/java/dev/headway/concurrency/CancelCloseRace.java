package dev.headway.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** A cancellation while the engine closes: one of the two ends the request. */
@JCStressTest
@Outcome(id = "ABORTED", expect = Expect.ACCEPTABLE, desc = "the cancellation")
@Outcome(id = "SHUTDOWN", expect = Expect.ACCEPTABLE, desc = "the close")
@State
public class CancelCloseRace {

  private final Trial trial = new Trial(2);
  private final Received told = trial.submit("a");

  /** Cancels. */
  @Actor
  public void cancel() {
    told.handle().cancel();
  }

  /** Closes. */
  @Actor
  public void close() {
    trial.engine.close();
  }

  /** Asks how it ended. */
  @Arbiter
  public void ask(L_Result end) {
    end.r1 = told.end() + trial.losses();
  }
}
