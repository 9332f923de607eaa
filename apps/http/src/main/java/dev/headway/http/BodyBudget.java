package dev.headway.http;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * Memory for the bodies of all requests that are being read, and for what is made of them until the
 * engine has the request: bytes, handed out while there are some, at most half of them to one
 * address. The first {@value #FREE_BYTES} bytes of a body cost nothing, so that small requests are
 * taken while others hold all of it. Any thread.
 */
public final class BodyBudget {

  /** Small enough for as many as there are connections. */
  public static final int FREE_BYTES = 16 << 10;

  /** The code of a refusal that another attempt, a moment later, need not meet. */
  public static final String BODIES_FULL = "bodies_full";

  private final long most;
  private final Map<InetAddress, Long> heldBy = new HashMap<>();
  private long held;

  /** Begins with all of it free. */
  public BodyBudget(long bytes) {
    this.most = bytes;
  }

  /**
   * Checks that a budget lets two of the longest bodies be read at once, one from each of two
   * addresses.
   *
   * @throws IllegalArgumentException if it does not
   */
  public static void requireRoom(int maxBodyBytes, long bodyMemoryBytes) {
    if (maxBodyBytes < 1 || bodyMemoryBytes < 2L * maxBodyBytes) {
      throw new IllegalArgumentException(
          "the memory for bodies must hold two of the longest: bodyMemoryBytes="
              + bodyMemoryBytes
              + ", maxBodyBytes="
              + maxBodyBytes);
    }
  }

  /** What one request holds. Closed by the thread that took it. */
  public final class Claim implements AutoCloseable {
    private final InetAddress address;
    private long bytes;
    private long free = FREE_BYTES;

    private Claim(InetAddress address) {
      this.address = address;
    }

    /**
     * Takes more.
     *
     * @throws HttpFailure 413 if there will never be so much for one request, 503 if there is not
     *     now
     */
    public void add(long wanted) throws HttpFailure {
      final long given = Math.min(free, wanted);
      free -= given;
      if (wanted > given) {
        take(this, wanted - given);
      }
    }

    @Override
    public void close() {
      if (bytes > 0) { // most are small, and hold nothing
        release(this);
      }
    }
  }

  /** Begins a request of an address; it holds nothing yet. */
  public Claim claim(InetAddress address) {
    return new Claim(address);
  }

  private synchronized void take(Claim claim, long wanted) throws HttpFailure {
    if (claim.bytes + wanted > most / 2) {
      throw new HttpFailure(
          413,
          "body_too_large",
          "a body must need no more than half of the memory for bodies: it needs bytes="
              + (claim.bytes + wanted)
              + ", half of --max-body-memory-mib is bytes="
              + most / 2
              + "; send fewer values");
    }
    final long ofAddress = heldBy.getOrDefault(claim.address, 0L);
    if (held + wanted > most || ofAddress + wanted > most / 2) {
      throw new HttpFailure(
          503,
          BODIES_FULL,
          "the bodies of other requests must be read first: --max-body-memory-mib is in use");
    }
    heldBy.put(claim.address, ofAddress + wanted);
    held += wanted;
    claim.bytes += wanted;
  }

  private synchronized void release(Claim claim) {
    if (claim.bytes > 0) {
      held -= claim.bytes;
      heldBy.merge(claim.address, -claim.bytes, Long::sum);
      heldBy.remove(claim.address, 0L);
      claim.bytes = 0;
    }
  }

  /** Bytes in use. */
  public synchronized long held() {
    return held;
  }
}
