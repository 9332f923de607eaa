package dev.headway.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Two closes: each returns when all is done, and all is done once. */
@JCStressTest
@Outcome(
    id = "SHUTDOWN, SHUTDOWN",
    expect = Expect.ACCEPTABLE,
    desc = "done before either returned")
@State
public class CloseCloseRace {

  private final Trial trial = new Trial(2);
  private final Received told = trial.submit("a");

  /** Closes, and asks at once how it ended. */
  @Actor
  public void first(LL_Result ends) {
    trial.engine.close();
    ends.r1 = told.end() + trial.losses();
  }

  /** Closes, and asks at once how it ended. */
  @Actor
  public void second(LL_Result ends) {
    trial.engine.close();
    ends.r2 = told.end() + trial.losses();
  }
}
