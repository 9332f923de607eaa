package dev.headway.examples.customprobe;

import dev.headway.events.model.RunListener;
import dev.headway.events.model.WaitInterval;
import dev.headway.events.model.WaitListener;

/**
 * Prints the longest stay in the queue of at least {@code fromNs}, and the reason that held when it
 * ended. Engine thread.
 */
final class LongestWait implements RunListener, WaitListener {
  private final long fromNs;
  private long longestNs = -1;
  private String longest = "none";

  LongestWait(long fromNs) {
    this.fromNs = fromNs;
  }

  @Override
  public void onWaitEnded(WaitInterval wait) {
    if (wait.lengthNs() >= fromNs && wait.lengthNs() > longestNs) {
      longestNs = wait.lengthNs();
      longest = wait.request().id() + ", ns=" + longestNs + ", reason=" + wait.lastCause().reason();
    }
  }

  @Override
  public void close() {
    System.out.println("longest-wait: request=" + longest);
  }
}
