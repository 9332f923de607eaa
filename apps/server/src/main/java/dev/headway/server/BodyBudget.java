package dev.headway.server;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * Memory for the bodies of all requests that are being read, and for what is made of them until the
 * engine has the request: bytes, handed out while there are some, at most half of them to one
 * address. The first {@value #FREE_BYTES} bytes of a body cost nothing, so that small requests are
 * taken while others hold all of it. Any thread.
 */
final class BodyBudget {

  /** Small enough for as many as there are connections. */
  static final int FREE_BYTES = 16 << 10;

  private final long most;
  private final Map<InetAddress, Long> heldBy = new HashMap<>();
  private long held;

  BodyBudget(long bytes) {
    this.most = bytes;
  }

  /** What one request holds. Closed by the thread that took it. */
  final class Claim implements AutoCloseable {
    private final InetAddress address;
    private long bytes;
    private long free = FREE_BYTES;

    private Claim(InetAddress address) {
      this.address = address;
    }

    /**
     * Takes more.
     *
     * @throws ApiException 413 if there will never be so much for one request, 503 if there is not
     *     now
     */
    void add(long wanted) {
      final long given = Math.min(free, wanted);
      free -= given;
      if (wanted > given) {
        take(this, wanted - given);
      }
    }

    @Override
    public void close() {
      release(this);
    }
  }

  /** Begins a request of an address; it holds nothing yet. */
  Claim claim(InetAddress address) {
    return new Claim(address);
  }

  private synchronized void take(Claim claim, long wanted) {
    if (claim.bytes + wanted > most / 2) {
      throw ApiException.of(
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
      throw ApiException.bodiesFull();
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
  synchronized long held() {
    return held;
  }
}
