package dev.headway.scheduler.soak;

import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.TokenListener;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;

/**
 * One submitted request: checks that its tokens come gapless and its end once and last, and throws
 * where it is told to.
 */
final class SoakRequest implements TokenListener {

  private final String id;
  private final SoakTally tally;
  private final IntPredicate throwsAt;
  private final AtomicInteger ends = new AtomicInteger();
  private int tokens;
  private volatile RequestHandle handle;

  SoakRequest(String id, SoakTally tally, IntPredicate throwsAt) {
    this.id = id;
    this.tally = tally;
    this.throwsAt = throwsAt;
  }

  void submittedAs(RequestHandle submitted) {
    handle = submitted;
  }

  void cancel() {
    handle.cancel();
  }

  /** Checks handle against listener; for the submitter, when all is over. */
  void requireDone() {
    if (!handle.isDone() || ends.get() != 1) {
      tally.violation("must end once: id=" + id + ", ends=" + ends + ", done=" + handle.isDone());
    }
  }

  @Override
  public void onToken(int index, int tokenId) {
    if (index != tokens || ends.get() > 0) {
      tally.violation("token out of order: id=" + id + ", index=" + index + ", heard=" + tokens);
    }
    tokens++;
    tally.tokens.increment();
    if (throwsAt.test(index)) {
      throw new IllegalStateException("soak: the listener fails");
    }
  }

  @Override
  public void onDone(RequestOutcome outcome) {
    if (ends.incrementAndGet() > 1 || outcome.outputTokens() < tokens) {
      tally.violation("ended twice, or with too few tokens: heard=" + tokens + ", " + outcome);
    }
    tally.end(outcome);
    if (throwsAt.test(-1)) {
      throw new IllegalStateException("soak: the listener fails at the end");
    }
  }
}
