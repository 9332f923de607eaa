package dev.headway.cuda.gpu;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaEvent;
import dev.headway.cuda.device.CudaStream;

/** Times launches by the device's own clock: the best of some rounds of launches in a row. */
final class Stopwatch {
  private static final int ROUNDS = 5;

  private final CudaStream stream;
  private final CudaEvent begin;
  private final CudaEvent end;
  private final int launches;

  /** What is enqueued. */
  interface Launch {
    void run(int turn);
  }

  Stopwatch(CudaDevice device, CudaStream stream, int launches) {
    this.stream = stream;
    this.launches = launches;
    begin = device.newEvent();
    end = device.newEvent();
  }

  /** Seconds of one launch. */
  double seconds(Launch launch) {
    double best = Double.MAX_VALUE;
    for (int round = 0; round <= ROUNDS; round++) {
      stream.record(begin);
      for (int turn = 0; turn < launches; turn++) {
        launch.run(turn);
      }
      stream.record(end);
      end.synchronize();
      if (round > 0) { // the first one warms up
        best = Math.min(best, Math.max(1, end.elapsedNsSince(begin)) / 1e9 / launches);
      }
    }
    return best;
  }
}
