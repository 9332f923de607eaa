package dev.headway.concurrency;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/**
 * A request submitted and cancelled at once while the engine takes in: the cancellation is not
 * overlooked because it was seen before its request.
 */
@JCStressTest
@Outcome(id = "ABORTED", expect = Expect.ACCEPTABLE, desc = "by the next step at the latest")
@State
public class SubmitCancelRace {

  private final Trial trial = new Trial(2);
  private volatile boolean cancelled;

  /** Submits a long request and cancels it. */
  @Actor
  public void submitAndCancel(L_Result end) {
    final Received told = trial.submit("a", 8);
    told.handle().cancel();
    end.r1 = told;
    cancelled = true;
  }

  /** Takes a step at any time, and one when the request has been cancelled. */
  @Actor
  public void step() {
    trial.engine.step();
    while (!cancelled) {
      Thread.onSpinWait();
    }
    trial.engine.step();
  }

  /** Closes, and asks how it ended. */
  @Arbiter
  public void ask(L_Result end) {
    trial.end();
    end.r1 = ((Received) end.r1).end() + trial.losses();
  }
}
