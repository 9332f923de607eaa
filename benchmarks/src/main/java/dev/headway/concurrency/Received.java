package dev.headway.concurrency;

import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.engine.RequestOutcome.Rejected;
import dev.headway.api.engine.TokenListener;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** What one submitter received: from its listener, and from its handle. */
final class Received implements TokenListener {

  private final AtomicInteger ends = new AtomicInteger();
  private final AtomicInteger tokens = new AtomicInteger();
  private volatile boolean tokenAfterEnd;
  private volatile @Nullable RequestOutcome notified;
  private volatile @Nullable RequestHandle handle;

  void handle(RequestHandle submitted) {
    handle = submitted;
  }

  RequestHandle handle() {
    return Objects.requireNonNull(handle, "not submitted yet");
  }

  @Override
  public void onToken(int index, int tokenId) {
    tokenAfterEnd |= ends.get() > 0;
    tokens.incrementAndGet();
  }

  @Override
  public void onDone(RequestOutcome outcome) {
    notified = outcome;
    ends.incrementAndGet();
  }

  /** How it ended, in one word, and every contradiction. */
  String end() {
    if (ends.get() == 0 || !handle().isDone()) {
      return "UNDONE after " + ends + " ends";
    }
    final RequestOutcome outcome = handle().outcome().toCompletableFuture().join();
    return nameOf(outcome)
        + (ends.get() == 1 ? "" : " ENDED " + ends + " TIMES")
        + (outcome.equals(notified) ? "" : " BUT NOTIFIED " + notified)
        + (outcome.outputTokens() == tokens.get() ? "" : " BUT NOTIFIED OF " + tokens + " TOKENS")
        + (tokenAfterEnd ? " AND TOKENS LATER" : "");
  }

  /** Waits for the end; returns its name. */
  String await() {
    try {
      return nameOf(handle().await());
    } catch (InterruptedException e) {
      throw new AssertionError("not interrupted by any test", e);
    }
  }

  private static String nameOf(RequestOutcome outcome) {
    return switch (outcome) {
      case Finished finished -> finished.reason().name();
      case Rejected rejected -> rejected.reason().name();
    };
  }
}
