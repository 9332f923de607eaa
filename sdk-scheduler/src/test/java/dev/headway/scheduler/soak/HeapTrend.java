package dev.headway.scheduler.soak;

import java.util.Arrays;

/**
 * Whether the heap grows with the requests served: a straight line through (requests, bytes after a
 * collection), without the first fifth of the samples, in which code warms up and pools fill.
 */
final class HeapTrend {

  private static final int FEWEST = 10;

  private double[] requests = new double[64];
  private double[] bytes = new double[64];
  private int size;

  /** A line with the uncertainty of its slope. */
  record Line(int samples, double bytesPerRequest, double standardError) {

    /** The slope is below this with a probability of about 97 %. */
    double upperBound() {
      return bytesPerRequest + 2 * standardError;
    }
  }

  void add(long requestsSoFar, long bytesInUse) {
    if (size == requests.length) {
      requests = Arrays.copyOf(requests, 2 * size);
      bytes = Arrays.copyOf(bytes, 2 * size);
    }
    requests[size] = requestsSoFar;
    bytes[size] = bytesInUse;
    size++;
  }

  /** Whether there are enough samples for a line. */
  boolean hasLine() {
    return size - size / 5 >= FEWEST;
  }

  /** Least squares. */
  Line line() {
    final int first = size / 5;
    final int n = size - first;
    final double meanX = mean(requests, first);
    final double meanY = mean(bytes, first);
    double xx = 0;
    double xy = 0;
    for (int i = first; i < size; i++) {
      xx += (requests[i] - meanX) * (requests[i] - meanX);
      xy += (requests[i] - meanX) * (bytes[i] - meanY);
    }
    final double slope = xy / xx;
    double squares = 0;
    for (int i = first; i < size; i++) {
      final double residual = bytes[i] - meanY - slope * (requests[i] - meanX);
      squares += residual * residual;
    }
    return new Line(n, slope, Math.sqrt(squares / (n - 2) / xx));
  }

  private double mean(double[] values, int first) {
    double sum = 0;
    for (int i = first; i < size; i++) {
      sum += values[i];
    }
    return sum / (size - first);
  }
}
