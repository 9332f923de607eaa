package dev.headway.simulation.run;

import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.WaitReason;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/*
 * The time all requests together spent waiting for a reason is the sum of the ends of their stays
 * minus the sum of the beginnings. So n requests that join at t subtract n * t, those that leave
 * add it, and nobody's stay has to be remembered. Sums may wrap around on the way; the result does
 * not.
 *
 * What a step decides takes effect when its scheduling ends: joins and leaves of a step are netted
 * and booked at that instant. The reason that unexamined requests share is booked as a group.
 */

/**
 * What the time in the waiting queue was spent on, over all requests: the sums of the columns
 * {@code waiting_<reason>_ns} of {@code per_request.csv}, taken live in O(changes).
 *
 * <p>For runs in which waiting requests are neither cancelled nor reset: a replay does neither.
 */
final class WaitTally {

  private final Map<WaitReason, Account> accounts = new EnumMap<>(WaitReason.class);
  private final Map<Long, Account> ownReasons = new HashMap<>();
  private final List<Long> fresh = new ArrayList<>();
  private Account shared;
  private Account nextShared;
  private long sharing;
  private long sharingNext;

  WaitTally() {
    for (WaitReason reason : WaitReason.values()) {
      accounts.put(reason, new Account());
    }
    shared = of(WaitReason.INITIAL_WAITING);
    nextShared = shared;
  }

  /** What is known of a reason. */
  private static final class Account {
    private long spentNs;
    private long joined;
  }

  void queued(RequestView request) {
    final Account initial = of(WaitReason.INITIAL_WAITING);
    initial.spentNs -= request.queuedNs();
    ownReasons.put(request.number(), initial);
    fresh.add(request.number());
  }

  void preempted(RequestView victim) {
    join(victim.number(), of(WaitReason.PREEMPTED));
  }

  void blocked(RequestView request, WaitReason reason) {
    if (request.status() != RequestStatus.RUNNING) {
      leave(request.number());
      join(request.number(), of(reason));
    }
  }

  void unblocked(RequestView request) {
    if (request.status() != RequestStatus.RUNNING) {
      leave(request.number());
      sharingNext++;
    }
  }

  void closed(WaitReason reason) {
    nextShared = of(reason);
  }

  void admitted(RequestView request) {
    leave(request.number());
  }

  /** The scheduling of a step has ended; everything since the call before takes effect. */
  void planned(long endNs) {
    final Account initial = of(WaitReason.INITIAL_WAITING);
    for (Long number : fresh) {
      if (ownReasons.remove(number, initial)) {
        initial.joined--;
        sharingNext++;
      }
    }
    fresh.clear();
    for (Account account : accounts.values()) {
      account.spentNs -= account.joined * endNs;
      account.joined = 0;
    }
    shared.spentNs += sharing * endNs;
    nextShared.spentNs -= sharingNext * endNs;
    shared = nextShared;
    sharing = sharingNext;
  }

  /** Nanoseconds by reason, of stays that have ended; all have when all requests have. */
  Map<WaitReason, Long> spentNs() {
    final Map<WaitReason, Long> result = new EnumMap<>(WaitReason.class);
    accounts.forEach(
        (reason, account) -> {
          if (account.spentNs != 0) {
            result.put(reason, account.spentNs);
          }
        });
    return result;
  }

  private Account of(WaitReason reason) {
    return Objects.requireNonNull(accounts.get(reason));
  }

  private void join(long number, Account account) {
    ownReasons.put(number, account);
    account.joined++;
  }

  private void leave(long number) {
    final Account own = ownReasons.remove(number);
    if (own == null) {
      sharingNext--;
    } else {
      own.joined--;
    }
  }
}
