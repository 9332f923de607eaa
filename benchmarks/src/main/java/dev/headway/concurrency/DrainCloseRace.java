package dev.headway.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/**
 * A close while the engine drains: the request is run or cut off, and the drain returns either way.
 */
@JCStressTest
@Outcome(id = "LENGTH, true", expect = Expect.ACCEPTABLE, desc = "drained first")
@Outcome(id = "SHUTDOWN, true", expect = Expect.ACCEPTABLE, desc = "closed first")
@State
public class DrainCloseRace {

  private final Trial trial = new Trial(2);
  private final Received told = trial.submit("a");

  /** Drains. */
  @Actor
  public void drain(LL_Result result) {
    result.r2 = trial.drain();
  }

  /** Closes. */
  @Actor
  public void close() {
    trial.engine.close();
  }

  /** Asks how it ended. */
  @Arbiter
  public void ask(LL_Result result) {
    result.r1 = told.end() + trial.losses();
  }
}
