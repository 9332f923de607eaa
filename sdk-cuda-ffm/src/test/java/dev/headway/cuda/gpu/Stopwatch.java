package dev.headway.cuda.gpu;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaEvent;
import dev.headway.cuda.device.CudaStream;

/**
 * Times launches by the device's own clock: the best of some rounds of launches in a row, as many
 * as fill a few milliseconds.
 */
final class Stopwatch {
  private static final int ROUNDS = 4;
  private static final int MOST_LAUNCHES = 50;
  private static final double ROUND_SECONDS = 0.005;

  private final CudaStream stream;
  private final CudaEvent begin;
  private final CudaEvent end;

  /** What is enqueued. */
  interface Launch {
    void run(int turn);
  }

  Stopwatch(CudaDevice device, CudaStream stream) {
    this.stream = stream;
    begin = device.newEvent();
    end = device.newEvent();
  }

  /** Seconds of one launch. */
  double seconds(Launch launch) {
    round(launch, 1); // loads what is loaded lazily
    final double once = round(launch, 1);
    final int launches = (int) Math.clamp(ROUND_SECONDS / once, 1, MOST_LAUNCHES);
    double best = once;
    for (int i = 0; i < (once > ROUND_SECONDS ? 1 : ROUNDS); i++) {
      best = Math.min(best, round(launch, launches));
    }
    return best;
  }

  private double round(Launch launch, int launches) {
    stream.record(begin);
    for (int turn = 0; turn < launches; turn++) {
      launch.run(turn);
    }
    stream.record(end);
    end.synchronize();
    return Math.max(1, end.elapsedNsSince(begin)) / 1e9 / launches;
  }
}
