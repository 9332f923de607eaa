package dev.headway.api.support;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/*
 * A waiting request has an individual cause, or the one that all others share. The shared one has a
 * clock per cause that runs while it is the shared one. A mark is a copy of these clocks; requests
 * that join between two changes of the shared cause refer to one mark, and when one leaves, the
 * difference is its time per cause. So a change of the shared cause costs the same however many
 * requests wait, and a waiting request holds no clocks of its own. Marks are used again.
 */
/**
 * Attributes every nanosecond that requests wait to exactly one cause, at O(1) per change and
 * without visiting the requests that wait. A cause is a number from 0; instants never decrease.
 *
 * <p>Schedulers give their outcomes the waits by reason with it, and the readers of events derive
 * theirs with it, so that the two agree to the nanosecond. One thread. What it stores for requests
 * and marks is used again: it allocates until there is as much as is in use at once.
 */
public class WaitClocks {

  private static final long[] NONE = {};

  private int shared;
  private long[] sharedNs;
  private long sharedSinceNs;
  private int sharers;
  private @Nullable Mark mark;
  private @Nullable Mark unused;
  private long[][] spare = new long[8][];
  private int spares;

  /** The shared clocks as of one instant. */
  private static final class Mark {
    private long[] ns = NONE;
    private int cause;
    private long atNs;
    private int requests;
    private @Nullable Mark next;
  }

  /** Waits of one request; changed by {@link WaitClocks} only. */
  public static class Waits {

    private int cause;
    private boolean open;
    private long sinceNs;
    private @Nullable Mark joined;

    /** Pairs of a cause and its nanoseconds; none before the first. */
    private long[] pairs = NONE;

    private int used;

    /** Creates the waits of a request that has not waited yet. */
    public Waits() {}

    /** Whether it waits. */
    public final boolean isOpen() {
      return open;
    }

    /** Whether it waits for the cause that requests without an individual one share. */
    public final boolean sharesCause() {
      return joined != null;
    }

    /** The instant up to which {@link WaitClocks#take} has its time. */
    protected final long accountedUpToNs() {
      return sinceNs;
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
    waits.joined = markOf(nowNs);
    waits.joined.requests++;
    waits.cause = shared;
  }

  /** The shared cause is another from now on. */
  public final void share(int cause, long nowNs) {
    runShared(nowNs);
    shared = cause;
    final Mark former = mark;
    mark = null;
    if (former != null && former.requests == 0) {
      reuse(former);
    }
  }

  /** A request waits no more. */
  public final void end(Waits waits, long nowNs) {
    account(waits, nowNs);
    waits.open = false;
  }

  /**
   * Returns the nanoseconds of a request by cause, and starts anew.
   *
   * @param into filled and returned if the causes have room in it; otherwise a new array is
   */
  public final long[] take(Waits waits, long[] into) {
    return take(waits, 0, into);
  }

  /** A request ends, and waits no more if it does: as {@link #end} and {@link #take}. */
  public final long[] end(Waits waits, long nowNs, long[] into) {
    if (waits.open && waits.joined == null) { // the last cause is added to the result directly
      waits.open = false;
      final long[] byCauseNs = take(waits, waits.cause + 1, into);
      byCauseNs[waits.cause] += nowNs - waits.sinceNs;
      return byCauseNs;
    }
    if (waits.open) {
      end(waits, nowNs);
    }
    return take(waits, into);
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
    final Mark joined = waits.joined;
    if (joined == null) {
      add(waits, waits.cause, nowNs - waits.sinceNs);
    } else {
      runShared(nowNs);
      addShared(waits, joined);
      waits.cause = shared;
      waits.joined = null;
      sharers--;
      if (--joined.requests == 0 && joined != mark) {
        reuse(joined);
      }
    }
    waits.sinceNs = nowNs;
  }

  private void addShared(Waits waits, Mark joined) {
    for (int cause = 0; cause < sharedNs.length; cause++) {
      long ns = sharedNs[cause] - (cause < joined.ns.length ? joined.ns[cause] : 0);
      if (cause == joined.cause) {
        ns -= waits.sinceNs - joined.atNs; // it joined later than the mark was made
      }
      add(waits, cause, ns);
    }
  }

  /** The mark since the latest change of the shared cause. */
  private Mark markOf(long nowNs) {
    if (mark == null) {
      final Mark made = unused == null ? new Mark() : unused;
      unused = made.next;
      made.next = null;
      if (made.ns.length < sharedNs.length) {
        made.ns = new long[sharedNs.length];
      }
      System.arraycopy(sharedNs, 0, made.ns, 0, sharedNs.length);
      made.cause = shared;
      made.atNs = nowNs;
      mark = made;
    }
    return mark;
  }

  private void reuse(Mark former) {
    former.next = unused;
    unused = former;
  }

  private void add(Waits waits, int cause, long ns) {
    if (ns == 0) {
      return;
    }
    final int used = waits.used;
    for (int i = 0; i < used; i += 2) {
      if (waits.pairs[i] == cause) {
        waits.pairs[i + 1] += ns;
        return;
      }
    }
    if (used == 0) {
      waits.pairs = spares == 0 ? new long[8] : spare[--spares];
    } else if (used == waits.pairs.length) {
      waits.pairs = Arrays.copyOf(waits.pairs, 2 * used);
    }
    waits.pairs[used] = cause;
    waits.pairs[used + 1] = ns;
    waits.used = used + 2;
  }

  private long[] take(Waits waits, int leastBound, long[] into) {
    final long[] pairs = waits.pairs;
    int bound = leastBound;
    for (int i = 0; i < waits.used; i += 2) {
      bound = Math.max(bound, (int) pairs[i] + 1);
    }
    final long[] byCauseNs = bound <= into.length ? into : new long[bound];
    Arrays.fill(byCauseNs, 0);
    for (int i = 0; i < waits.used; i += 2) {
      byCauseNs[(int) pairs[i]] = pairs[i + 1];
    }
    if (waits.used > 0) {
      spareAgain(pairs);
      waits.pairs = NONE;
      waits.used = 0;
    }
    return byCauseNs;
  }

  private void spareAgain(long[] pairs) {
    if (spares == spare.length) {
      spare = Arrays.copyOf(spare, 2 * spares);
    }
    spare[spares++] = pairs;
  }
}
