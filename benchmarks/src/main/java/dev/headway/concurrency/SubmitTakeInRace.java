package dev.headway.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/**
 * A submission for the only place while the engine empties it: it finds room or not, and no request
 * is lost.
 */
@JCStressTest
@Outcome(id = "LENGTH, SHUTDOWN", expect = Expect.ACCEPTABLE, desc = "room again, for a later step")
@Outcome(id = "LENGTH, QUEUE_FULL", expect = Expect.ACCEPTABLE, desc = "no room yet")
@State
public class SubmitTakeInRace {

  private final Trial trial = new Trial(1);
  private final Received before = trial.submit("a");

  /** The engine. */
  @Actor
  public void step() {
    trial.engine.step();
  }

  /** The submitter. */
  @Actor
  public void submit(LL_Result ends) {
    ends.r2 = trial.submit("b");
  }

  /** Closes, and asks both how it ended. */
  @Arbiter
  public void ask(LL_Result ends) {
    trial.end();
    ends.r1 = before.end();
    ends.r2 = ((Received) ends.r2).end() + trial.losses();
  }
}
