package dev.headway.testkit.connector;

import dev.headway.api.executor.KvBlockAccess;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * KV blocks in memory that know who may touch which, and note every call that may not. The KV of a
 * block is a text of all tokens up to its end, so that it shows where it comes from. Any thread.
 */
public final class CheckedKvBlocks implements KvBlockAccess {

  private final int blockBytes;
  private final byte[][] blocks;
  private final Set<Integer> readable = new HashSet<>();
  private final Set<Integer> writable = new HashSet<>();
  private final Set<String> violations = new HashSet<>();
  private @Nullable Thread engine;
  private @Nullable CountDownLatch gate;
  private int atGate;
  private boolean closed;

  /**
   * Makes blocks that may not be touched.
   *
   * @param numBlocks the null block included
   */
  public CheckedKvBlocks(int numBlocks, int blockBytes) {
    this.blockBytes = blockBytes;
    blocks = new byte[numBlocks][blockBytes];
  }

  /** Makes blocks that may all be touched, for the other side of a transfer. */
  public static CheckedKvBlocks open(int numBlocks, int blockBytes) {
    final CheckedKvBlocks made = new CheckedKvBlocks(numBlocks, blockBytes);
    for (int block = 1; block < numBlocks; block++) {
      made.letRead(block, true);
      made.letWrite(block, true);
    }
    return made;
  }

  /** The KV of tokens up to the end of a block. */
  public static byte[] kvOf(int[] tokens, int block, int blockSize, int blockBytes) {
    final byte[] kv = new byte[blockBytes];
    final int end = Math.min(tokens.length, (block + 1) * blockSize);
    int hash = 1;
    for (int i = 0; i < blockBytes; i++) {
      hash = 31 * hash + i + Arrays.hashCode(Arrays.copyOf(tokens, end));
      kv[i] = (byte) (hash >>> 16);
    }
    return kv;
  }

  /** What a block holds. */
  public synchronized byte[] content(int block) {
    return blocks[block].clone();
  }

  /** Puts something into a block, as a step does. */
  public synchronized void compute(int block, byte[] kv) {
    System.arraycopy(kv, 0, blocks[block], 0, blockBytes);
  }

  /** A block may be read, until it may not. */
  synchronized void letRead(int block, boolean may) {
    change(readable, block, may);
  }

  /** A block may be written, until it may not. */
  synchronized void letWrite(int block, boolean may) {
    change(writable, block, may);
  }

  private static void change(Set<Integer> set, int block, boolean may) {
    if (may) {
      set.add(block);
    } else {
      set.remove(block);
    }
  }

  /** Calls of this thread are noted: it is the engine's. */
  synchronized void engineIs(Thread thread) {
    engine = thread;
  }

  /** Calls wait from now on, until {@link #openGate}. */
  synchronized void closeGate() {
    gate = new CountDownLatch(1);
  }

  synchronized void openGate() {
    if (gate != null) {
      gate.countDown();
      gate = null;
    }
  }

  /** Waits until a call waits at the gate; returns whether one came. */
  boolean awaitCallAtGate(long timeoutMs) throws InterruptedException {
    return await(true, timeoutMs);
  }

  /** Waits until all calls that waited at the gate have ended; returns whether they have. */
  boolean awaitCallsEnded(long timeoutMs) throws InterruptedException {
    return await(false, timeoutMs);
  }

  private synchronized boolean await(boolean anyAtGate, long timeoutMs)
      throws InterruptedException {
    final long endMs = System.nanoTime() / 1_000_000 + timeoutMs;
    long leftMs = timeoutMs;
    while (atGate > 0 != anyAtGate && leftMs > 0) {
      wait(leftMs);
      leftMs = endMs - System.nanoTime() / 1_000_000;
    }
    return atGate > 0 == anyAtGate;
  }

  /** The executor is closed: every call is noted. */
  synchronized void close() {
    closed = true;
  }

  /** What was noted. */
  synchronized Set<String> violations() {
    return Set.copyOf(violations);
  }

  @Override
  public int blockBytes() {
    return blockBytes;
  }

  @Override
  public String layout() {
    return "contract";
  }

  @Override
  public void read(int block, ByteBuffer target) {
    call(
        () -> {
          check("read", block, readable);
          target.put(blocks[block]);
        });
  }

  @Override
  public void write(int block, ByteBuffer source) {
    call(
        () -> {
          check("written", block, writable);
          source.get(blocks[block]);
        });
  }

  private void call(Runnable transfer) {
    final CountDownLatch closedGate = gateOfCall();
    try {
      if (closedGate != null) {
        closedGate.await();
      }
      synchronized (this) {
        transfer.run();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while it waits for a block", e);
    } finally {
      if (closedGate != null) {
        leaveGate();
      }
    }
  }

  /** The gate that a call has to wait for; the engine's thread waits for none. */
  private synchronized @Nullable CountDownLatch gateOfCall() {
    if (Thread.currentThread().equals(engine)) {
      violations.add("a block was touched by the engine's thread, which must not block");
      return null;
    }
    if (gate != null) {
      atGate++;
      notifyAll();
    }
    return gate;
  }

  private synchronized void leaveGate() {
    atGate--;
    notifyAll();
  }

  private void check(String what, int block, Set<Integer> allowed) {
    if (closed) {
      violations.add("a block was " + what + " after close()");
    }
    if (!allowed.contains(block)) {
      violations.add("a block was " + what + " outside its transfer: block=" + block);
    }
  }
}
