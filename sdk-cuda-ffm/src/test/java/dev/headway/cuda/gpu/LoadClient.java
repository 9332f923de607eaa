package dev.headway.cuda.gpu;

import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.engine.TokenListener;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What the client of each request saw; the figures are asked for once all have ended. */
final class LoadClient {
  private final CountDownLatch open;
  private final Seen[] seen;

  LoadClient(int requests) {
    open = new CountDownLatch(requests);
    seen = new Seen[requests];
    Arrays.setAll(seen, i -> new Seen());
  }

  /** One request. Its fields are written by the engine's thread, before the latch. */
  private final class Seen implements TokenListener {
    private final long sentNs = System.nanoTime();
    private long beginNs = sentNs;
    private volatile int tokens;
    private long firstNs;
    private volatile long endNs;
    private volatile boolean isFinished;

    @Override
    public void onToken(int index, int tokenId) {
      if (index == 0) {
        firstNs = System.nanoTime();
      }
      tokens = index + 1;
    }

    @Override
    public void onDone(RequestOutcome outcome) {
      endNs = System.nanoTime();
      isFinished = outcome instanceof Finished finished && finished.cause() == null;
      open.countDown();
    }

    double ttftMs() {
      return (firstNs - beginNs) / 1e6;
    }

    double tpotMs() {
      return (endNs - firstNs) / 1e6 / Math.max(1, tokens - 1);
    }
  }

  /** Called right before request {@code i} is submitted. */
  TokenListener listener(int i) {
    seen[i].beginNs = System.nanoTime();
    return seen[i];
  }

  boolean await(long time, TimeUnit unit) throws InterruptedException {
    return open.await(time, unit);
  }

  long ended() {
    return Arrays.stream(seen).filter(request -> request.isFinished).count();
  }

  long tokens() {
    return Arrays.stream(seen).mapToLong(request -> request.tokens).sum();
  }

  double meanTtftMs() {
    return finished().mapToDouble(Seen::ttftMs).average().orElse(Double.NaN);
  }

  double ttftMs(double quantile) {
    final double[] sorted = finished().mapToDouble(Seen::ttftMs).sorted().toArray();
    return sorted.length == 0 ? Double.NaN : sorted[(int) (quantile * (sorted.length - 1))];
  }

  double meanTpotMs() {
    return finished()
        .filter(request -> request.tokens > 1)
        .mapToDouble(Seen::tpotMs)
        .average()
        .orElse(Double.NaN);
  }

  private java.util.stream.Stream<Seen> finished() {
    return Arrays.stream(seen).filter(request -> request.isFinished);
  }

  String csv() {
    final StringBuilder text =
        new StringBuilder("request_id,output_tokens,ttft_ms,tpot_ms,ended\n");
    for (int i = 0; i < seen.length; i++) {
      text.append(
          String.format(
              Locale.ROOT,
              "q%d,%d,%.3f,%.3f,%s%n",
              i,
              seen[i].tokens,
              seen[i].ttftMs(),
              seen[i].tpotMs(),
              seen[i].isFinished));
    }
    return text.toString();
  }
}
