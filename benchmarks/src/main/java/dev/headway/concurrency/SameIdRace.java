package dev.headway.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Two submissions of one id: one is accepted. */
@JCStressTest
@Outcome(id = "SHUTDOWN, DUPLICATE_ID", expect = Expect.ACCEPTABLE, desc = "the first came first")
@Outcome(id = "DUPLICATE_ID, SHUTDOWN", expect = Expect.ACCEPTABLE, desc = "the second came first")
@State
public class SameIdRace {

  private final Trial trial = new Trial(2);

  /** The first submitter. */
  @Actor
  public void first(LL_Result ends) {
    ends.r1 = trial.submit("a");
  }

  /** The second. */
  @Actor
  public void second(LL_Result ends) {
    ends.r2 = trial.submit("a");
  }

  /** Closes, and asks both how it ended. */
  @Arbiter
  public void ask(LL_Result ends) {
    trial.end();
    ends.r1 = ((Received) ends.r1).end();
    ends.r2 = ((Received) ends.r2).end() + trial.losses();
  }
}
