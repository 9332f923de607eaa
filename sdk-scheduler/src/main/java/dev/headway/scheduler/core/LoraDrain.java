package dev.headway.scheduler.core;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.scheduler.queue.AdapterSeats;
import dev.headway.scheduler.queue.AdmissionQueue;
import dev.headway.scheduler.queue.RunningList;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/**
 * Adapters that are always in use keep all places for ever. So when the first request that waits
 * for a place has waited too long, one running adapter admits no waiting request until a place is
 * free. It is the adapter whose requests can be over first, by the outputs that they may still
 * have.
 *
 * <p>Source: SGLang's {@code LoRADrainer}, which also admits short requests of the drained adapter
 * and has a fixed threshold of 3 s in this version. Engine thread only; allocates nothing.
 */
final class LoraDrain {

  /** Adapters are numbered from 1. */
  private static final int NONE = 0;

  private final long thresholdNs;
  private final RunningList running;
  private int drained = NONE;

  private LoraDrain(long thresholdNs, RunningList running) {
    this.thresholdNs = thresholdNs;
    this.running = running;
  }

  /** Returns null if no adapter is ever drained. */
  static @Nullable LoraDrain of(SchedulerConfig config, RunningList running) {
    final long thresholdNs = config.loraDrainWaitThresholdNs();
    return thresholdNs == 0 ? null : new LoraDrain(thresholdNs, running);
  }

  /** Admissions of a step begin. O(adapters of the step), and O(running) where a drain begins. */
  void begin(AdapterSeats seats, AdmissionQueue waiting, long nowNs) {
    final RequestState first = seats.areTaken() ? waiting.firstWithoutAdapterSeat() : null;
    if (first == null || nowNs - first.awaitsAdapterSinceNs < thresholdNs) {
      drained = NONE;
    } else if (!seats.holds(drained)) {
      drained = firstToEnd(seats);
    }
  }

  /** Whether an adapter, by its number, is drained for the sake of another. */
  boolean drains(int adapterId) {
    return adapterId == drained;
  }

  private int firstToEnd(AdapterSeats seats) {
    int best = NONE;
    int fewest = Integer.MAX_VALUE;
    for (int i = 0; i < seats.count(); i++) {
      final int left = mostOutputsLeft(seats.adapterId(i));
      if (left < fewest) {
        fewest = left;
        best = seats.adapterId(i);
      }
    }
    return best;
  }

  private int mostOutputsLeft(int adapterId) {
    int most = 0;
    for (int i = 0; i < running.size(); i++) {
      final RequestState request = running.get(i);
      if (request.adapterId() == adapterId) {
        most = Math.max(most, request.maxTokens() - request.outputTokens());
      }
    }
    return most;
  }
}
