package dev.headway.http;

import io.netty.channel.Channel;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a connection if nothing happens in time: one thing, the latest that was asked
 * for. Event loop of the connection only.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails closes the connection, as is meant
public final class ConnectionDeadline {

  private final Channel channel;
  private @Nullable ScheduledFuture<?> due;

  /** No deadline yet. */
  public ConnectionDeadline(Channel channel) {
    this.channel = channel;
  }

  /** Closes the connection then. */
  public void closeAfter(Duration longest) {
    runAfter(longest.toNanos(), channel::close);
  }

  /** Does this then. */
  public void runAfter(long ns, Runnable action) {
    cancel();
    due = channel.eventLoop().schedule(action, ns, TimeUnit.NANOSECONDS);
  }

  /** There is no deadline any more. */
  public void cancel() {
    if (due != null) {
      due.cancel(false);
      due = null;
    }
  }
}
