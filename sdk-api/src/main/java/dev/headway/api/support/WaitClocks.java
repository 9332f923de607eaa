package dev.headway.api.support;

import java.util.Arrays;

/*
 * A waiting request has an individual cause, or the one that all others share. The shared one has a
 * clock per cause that runs while it is the shared one; a request stores the clocks when it joins,
 * and the difference when it leaves is its time per cause. So a change of the shared cause costs
 * the same however many requests wait.
 */
/**
 * Attributes every nanosecond that requests wait to exactly one cause, at O(1) per change and
 * without visiting the requests that wait. A cause is a number from 0; instants never decrease.
 *
 * <p>Schedulers give their outcomes the waits by reason with it, and the readers of events derive
 * theirs with it, so that the two agree to the nanosecond. One thread. Allocates only for a request
 * made without room, when it waits for a cause with a larger number, or shares one, for the first
 * time.
 */
public class WaitClocks {

  private static final long[] NONE = {};

  private int shared;
  private long[] sharedNs;
  private long sharedSinceNs;
  private int sharers;

  /** Waits of one request; changed by {@link WaitClocks} only. */
  public static class Waits {

    private int cause;
    private boolean open;
    private boolean shares;
    private long sinceNs;
    private long[] atJoinNs = NONE;
    private long[] byCauseNs = NONE;

    /** Creates the waits of a request that has not waited yet. */
    public Waits() {}

    /** As above, with room for causes below {@code causes}: nothing is allocated later. */
    public Waits(int causes) {
      atJoinNs = new long[causes];
      byCauseNs = new long[causes];
    }

    /** Whether it waits. */
    public final boolean isOpen() {
      return open;
    }

    /** Whether it waits for the cause that requests without an individual one share. */
    public final boolean sharesCause() {
      return shares;
    }

    /** The instant up to which {@link WaitClocks#take} has its time. */
    protected final long accountedUpToNs() {
      return sinceNs;
    }

    private void add(int index, long ns) {
      if (index >= byCauseNs.length) {
        byCauseNs = Arrays.copyOf(byCauseNs, index + 1);
      }
      byCauseNs[index] += ns;
    }
  }

  /**
   * Creates clocks whose shared cause is {@code firstShared}; there may be any number of causes.
   */
  public WaitClocks(int firstShared) {
    this(firstShared, firstShared + 8);
  }

  /** Creates clocks whose shared cause is {@code firstShared}, of {@code causes} causes. */
  public WaitClocks(int firstShared, int causes) {
    this.shared = firstShared;
    this.sharedNs = new long[causes];
  }

  /** The shared cause. */
  public final int shared() {
    return shared;
  }

  /** Requests that wait for it. */
  public final int sharers() {
    return sharers;
  }

  /** A request begins to wait, for an individual cause. */
  public final void begin(Waits waits, int cause, long nowNs) {
    waits.open = true;
    waits.cause = cause;
    waits.sinceNs = nowNs;
  }

  /** A request waits for an individual cause from now on. */
  public final void own(Waits waits, int cause, long nowNs) {
    account(waits, nowNs);
    waits.cause = cause;
  }

  /** A request waits for the shared cause from now on. */
  public final void share(Waits waits, long nowNs) {
    account(waits, nowNs);
    runShared(nowNs);
    sharers++;
    waits.shares = true;
    waits.cause = shared;
    if (waits.atJoinNs.length == sharedNs.length) {
      System.arraycopy(sharedNs, 0, waits.atJoinNs, 0, sharedNs.length);
    } else {
      waits.atJoinNs = sharedNs.clone();
    }
  }

  /** The shared cause is another from now on. */
  public final void share(int cause, long nowNs) {
    runShared(nowNs);
    shared = cause;
  }

  /** A request waits no more. */
  public final void end(Waits waits, long nowNs) {
    account(waits, nowNs);
    waits.open = false;
  }

  /**
   * Returns the nanoseconds per cause of a request, up to the highest one it waited for, and starts
   * anew.
   */
  public final long[] take(Waits waits) {
    final long[] taken = waits.byCauseNs;
    waits.byCauseNs = NONE;
    return taken;
  }

  /** Reports the shared waiting up to now to {@link #onShared}. */
  protected final void runShared(long nowNs) {
    if (shared >= sharedNs.length) {
      sharedNs = Arrays.copyOf(sharedNs, shared + 8);
    }
    sharedNs[shared] += nowNs - sharedSinceNs;
    if (sharers > 0 && nowNs != sharedSinceNs) {
      onShared(sharedSinceNs, nowNs, sharers);
    }
    sharedSinceNs = nowNs;
  }

  /** A number of requests has waited for {@link #shared}, all of them for the whole span. */
  protected void onShared(long fromNs, long toNs, int requests) {}

  /** Attributes its wait up to now, and removes it from the sharers. */
  private void account(Waits waits, long nowNs) {
    if (waits.shares) {
      runShared(nowNs);
      sharers--;
      waits.shares = false;
      waits.cause = shared;
      for (int cause = 0; cause < sharedNs.length; cause++) {
        final long before = cause < waits.atJoinNs.length ? waits.atJoinNs[cause] : 0;
        if (sharedNs[cause] != before) {
          waits.add(cause, sharedNs[cause] - before);
        }
      }
    } else {
      waits.add(waits.cause, nowNs - waits.sinceNs);
    }
    waits.sinceNs = nowNs;
  }
}
