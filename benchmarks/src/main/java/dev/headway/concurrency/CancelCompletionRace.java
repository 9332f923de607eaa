package dev.headway.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/**
 * A cancellation while the step runs that ends the request anyway: one outcome, and who waits sees
 * the same one.
 */
@JCStressTest
@Outcome(id = "ABORTED, ABORTED", expect = Expect.ACCEPTABLE, desc = "cancelled in time")
@Outcome(id = "LENGTH, LENGTH", expect = Expect.ACCEPTABLE, desc = "too late")
@State
public class CancelCompletionRace {

  private final Trial trial = new Trial(2);
  private final Received told = trial.submit("a");

  /** The engine. */
  @Actor
  public void step() {
    trial.engine.step();
  }

  /** Cancels and waits. */
  @Actor
  public void cancel(LL_Result ends) {
    told.handle().cancel();
    ends.r1 = told.await();
  }

  /** Asks how it ended. */
  @Arbiter
  public void ask(LL_Result ends) {
    trial.end();
    ends.r2 = told.end() + trial.losses();
  }
}
