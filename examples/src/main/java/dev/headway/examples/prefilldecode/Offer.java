package dev.headway.examples.prefilldecode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of a request that has ended, for one reader, until a lease is over. They are free when
 * it is over and no reader is at it. Any thread.
 */
final class Offer {

  private final long requestNumber;
  private final int[] blocks;
  private final long expiresNs;
  private @Nullable Socket reader;
  private boolean over;

  /**
   * Offers blocks.
   *
   * @param expiresNs when the lease ends
   */
  Offer(long requestNumber, int[] blocks, long expiresNs) {
    this.requestNumber = requestNumber;
    this.blocks = blocks;
    this.expiresNs = expiresNs;
  }

  long requestNumber() {
    return requestNumber;
  }

  int blockCount() {
    return blocks.length;
  }

  int block(int index) {
    return blocks[index];
  }

  boolean isExpired(long nowNs) {
    return nowNs - expiresNs >= 0;
  }

  /** A reader comes; returns whether it may read. */
  synchronized boolean begin(Socket socket) {
    if (over || reader != null) {
      return false;
    }
    reader = socket;
    return true;
  }

  /**
   * The reader is gone; returns whether the blocks are free.
   *
   * @param taken whether it has all it wants; another may come otherwise
   */
  synchronized boolean end(boolean taken) {
    reader = null;
    over |= taken;
    return over;
  }

  /**
   * The lease is over; returns whether the blocks are free. A reader is cut off, and its {@link
   * #end} says so.
   */
  synchronized boolean withdraw() {
    if (over) {
      return false;
    }
    over = true;
    if (reader == null) {
      return true;
    }
    try {
      reader.close();
    } catch (IOException e) {
      throw new UncheckedIOException("a socket could not be closed", e);
    }
    return false;
  }
}
