package dev.headway.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** Two cancellations: the request ends once. */
@JCStressTest
@Outcome(id = "ABORTED", expect = Expect.ACCEPTABLE, desc = "once")
@State
public class CancelCancelRace {

  private final Trial trial = new Trial(2);
  private final Received told = trial.submit("a");

  /** Cancels. */
  @Actor
  public void first() {
    told.handle().cancel();
  }

  /** Cancels. */
  @Actor
  public void second() {
    told.handle().cancel();
  }

  /** Lets the engine see to it, and asks how it ended. */
  @Arbiter
  public void ask(L_Result end) {
    trial.engine.step();
    final String ended = told.end();
    trial.end();
    end.r1 = ended + trial.losses();
  }
}
