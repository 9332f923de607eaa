package dev.headway.cuda.executor;

import dev.headway.cuda.CudaException;
import dev.headway.cuda.device.CudaGraph;
import dev.headway.cuda.device.CudaStream;
import org.jspecify.annotations.Nullable;

/**
 * Recordings of decode steps, one per batch size, made at start. Arguments of a recording are fixed
 * addresses and counts; everything that varies lies in device memory. Device thread only.
 */
final class GraphCache {
  private final int[] sizes;
  private final @Nullable CudaGraph[] graphs; // by batch size
  private int recorded;
  private String refusal = "";

  /**
   * Makes an empty cache.
   *
   * @param sizes that are to be recorded, rising; none if steps are to be launched
   */
  GraphCache(int... sizes) {
    this.sizes = sizes.clone();
    graphs = new CudaGraph[sizes.length == 0 ? 0 : sizes[sizes.length - 1] + 1];
  }

  /** The sizes that are to be recorded, rising. */
  int[] sizes() {
    return sizes.clone();
  }

  /**
   * Records {@code work} for a size. What the driver or a library refuses to record stays without a
   * recording: such steps are launched.
   *
   * @throws CudaException if the device is lost
   */
  void record(CudaStream stream, int size, Runnable work) {
    try {
      final CudaGraph graph = stream.capture(work);
      graphs[size] = graph;
      graph.upload(stream);
      recorded++;
    } catch (RuntimeException e) {
      if (e instanceof CudaException lost && lost.isSticky()) {
        throw e;
      }
      drop(size);
      if (refusal.isEmpty()) {
        refusal = "batch size " + size + ": " + e.getMessage();
      }
    }
  }

  /** Enqueues the recording of a size, or {@code work} if there is none. */
  void run(CudaStream stream, int size, Runnable work) {
    final CudaGraph graph = graphs[size];
    if (graph != null) {
      graph.launch(stream);
    } else {
      work.run();
    }
  }

  /** Gives all recordings back; nothing that is enqueued may use them. */
  void clear() {
    for (int size : sizes) {
      drop(size);
    }
    recorded = 0;
    refusal = "";
  }

  private void drop(int size) {
    final CudaGraph graph = graphs[size];
    graphs[size] = null;
    if (graph != null) {
      graph.close();
    }
  }

  /** How many sizes are recorded, in words, and why not all. */
  String describe() {
    if (sizes.length == 0) {
      return "off";
    }
    return recorded
        + " of "
        + sizes.length
        + " batch sizes up to "
        + sizes[sizes.length - 1]
        + " recorded"
        + (refusal.isEmpty() ? "" : ", the others are launched: " + refusal);
  }
}
