package dev.headway.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** A submission while the engine closes: refused, or accepted and ended, once. */
@JCStressTest
@Outcome(id = "SHUTDOWN", expect = Expect.ACCEPTABLE, desc = "accepted in time, ended by the close")
@Outcome(id = "ENGINE_CLOSED", expect = Expect.ACCEPTABLE, desc = "too late")
@State
public class SubmitCloseRace {

  private final Trial trial = new Trial(2);

  /** The submitter. */
  @Actor
  public void submit(L_Result end) {
    end.r1 = trial.submit("a");
  }

  /** The closer. */
  @Actor
  public void close() {
    trial.engine.close();
  }

  /** Asks how it ended; nothing is left to do. */
  @Arbiter
  public void ask(L_Result end) {
    end.r1 = ((Received) end.r1).end() + trial.losses();
  }
}
