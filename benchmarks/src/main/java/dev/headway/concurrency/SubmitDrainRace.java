package dev.headway.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/**
 * A submission while the engine drains: refused, or run to its end before the drain says that all
 * is done.
 */
@JCStressTest
@Outcome(id = "LENGTH, true, 1", expect = Expect.ACCEPTABLE, desc = "accepted in time")
@Outcome(id = "ENGINE_CLOSED, true, 0", expect = Expect.ACCEPTABLE, desc = "too late")
@State
public class SubmitDrainRace {

  private final Trial trial = new Trial(2);

  /** The submitter. */
  @Actor
  public void submit(LLL_Result result) {
    result.r1 = trial.submit("a");
  }

  /** Drains, and counts what has run when that says that all is done. */
  @Actor
  public void drain(LLL_Result result) {
    result.r2 = trial.drain();
    result.r3 = trial.engine.stats().finished();
  }

  /** Asks how it ended. */
  @Arbiter
  public void ask(LLL_Result result) {
    result.r1 = ((Received) result.r1).end();
    trial.end();
    result.r3 += trial.losses();
  }
}
