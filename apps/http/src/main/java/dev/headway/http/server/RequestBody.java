package dev.headway.http.server;

import dev.headway.http.HttpFailure;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpContent;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request as it arrives: parts put in by the event loop, taken by the request's
 * thread. The socket is not read while much waits to be taken.
 */
final class RequestBody extends InputStream implements RequestReceiver.Body {

  /** What makes the event loop read on, or stop reading. */
  interface Valve {
    void read(boolean isOpen);
  }

  private static final int HIGH_BYTES = 32 << 10;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<byte[]> parts = new ArrayDeque<>();
  private final Valve valve;
  private final Runnable onFirstRead;
  private final long pauseNs;
  private final long lastNs;
  private long untilNs;
  private int at;
  private int waiting;
  private boolean isShut;
  private boolean isEnded;
  private boolean isAskedFor;
  private @Nullable IOException failure;

  RequestBody(Valve valve, Runnable onFirstRead, Duration longest, Duration longestPause) {
    this.valve = valve;
    this.onFirstRead = onFirstRead;
    this.pauseNs = longestPause.toNanos();
    this.lastNs = System.nanoTime() + longest.toNanos();
    this.untilNs = System.nanoTime() + pauseNs;
  }

  /** The next part has come. Event loop. */
  @Override
  public void add(HttpContent content) {
    if (!content.content().isReadable()) {
      return;
    }
    final byte[] part = ByteBufUtil.getBytes(content.content());
    lock.lock();
    try {
      parts.addLast(part);
      waiting += part.length;
      untilNs = System.nanoTime() + pauseNs;
      if (waiting > HIGH_BYTES && !isShut) {
        isShut = true;
        valve.read(false);
      }
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /** It is whole. Event loop. */
  @Override
  public void end() {
    lock.lock();
    try {
      isEnded = true;
      open();
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void fail(HttpFailure reason) {
    cutShort(reason);
  }

  /** It will never be whole, as its reader is notified. Any thread. */
  void cutShort(IOException reason) {
    lock.lock();
    try {
      failure = reason;
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  private void open() {
    if (isShut) {
      isShut = false;
      valve.read(true);
    }
  }

  boolean isEnded() {
    lock.lock();
    try {
      return isEnded;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int read() throws IOException {
    final byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    lock.lock();
    try {
      if (!isAskedFor) {
        isAskedFor = true;
        onFirstRead.run();
      }
      await();
      final byte[] part = parts.peekFirst();
      if (part == null) {
        return -1;
      }
      final int taken = Math.min(length, part.length - at);
      System.arraycopy(part, at, target, offset, taken);
      at += taken;
      waiting -= taken;
      if (at == part.length) {
        parts.removeFirst();
        at = 0;
      }
      if (waiting < HIGH_BYTES / 2) {
        open();
      }
      return taken;
    } finally {
      lock.unlock();
    }
  }

  private void await() throws IOException {
    try {
      while (parts.isEmpty() && !isEnded) {
        if (failure != null) {
          throw failure;
        }
        final long leftNs = Math.min(untilNs, lastNs) - System.nanoTime();
        if (leftNs <= 0) {
          throw new HttpFailure(408, "request_timeout", "the body must arrive in time");
        }
        final boolean _ = changed.await(leftNs, TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for the body", e);
    }
  }
}
