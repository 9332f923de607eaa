package dev.headway.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Two submissions for the only place of the queue: one gets it, neither is lost. */
@JCStressTest
@Outcome(id = "SHUTDOWN, QUEUE_FULL", expect = Expect.ACCEPTABLE, desc = "the first came first")
@Outcome(id = "QUEUE_FULL, SHUTDOWN", expect = Expect.ACCEPTABLE, desc = "the second came first")
@State
public class SubmitSubmitRace {

  private final Trial trial = new Trial(1);

  /** The first submitter. */
  @Actor
  public void first(LL_Result ends) {
    ends.r1 = trial.submit("a");
  }

  /** The second. */
  @Actor
  public void second(LL_Result ends) {
    ends.r2 = trial.submit("b");
  }

  /** Closes, and asks both how it ended. */
  @Arbiter
  public void ask(LL_Result ends) {
    trial.end();
    ends.r1 = ((Received) ends.r1).end();
    ends.r2 = ((Received) ends.r2).end() + trial.losses();
  }
}
